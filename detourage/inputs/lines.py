"""Page messages from JSON lines."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from detourage.inputs.messages import oversized_message
from detourage.inputs.streams import open_source
from detourage.limits import MAX_MESSAGE_BYTES


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield each non-blank line, unvalidated; an oversized one becomes an `oversized_message`."""
    with open_source(path) as stream:
        yield from lines_of(stream, path.name)


def lines_of(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file like `read_lines`; `name` is used in error messages."""
    for number, (line, length) in enumerate(_bounded_lines(stream), start=1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if length > MAX_MESSAGE_BYTES:
            detail = f"line {number} of {name} has {length} bytes"
            yield oversized_message(detail, start=text)
        elif not text.isspace():
            yield text.rstrip(b"\r\n")


def _bounded_lines(stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each line with its full length; lines that are too long are truncated."""
    while line := stream.readline(MAX_MESSAGE_BYTES):
        length = len(line)
        end = line
        while not end.endswith(b"\n") and (end := stream.readline(MAX_MESSAGE_BYTES)):
            length += len(end)
        yield line, length
