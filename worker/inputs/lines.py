"""Page messages as JSON lines."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from models.limits import MAX_MESSAGE_BYTES
from worker.inputs.messages import oversized_message
from worker.inputs.streams import open_source


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield each line that is not blank, as it is: the intake judges it.

    A line longer than the largest message gives an oversized message in its
    place. A byte order mark at the start of the file is dropped.

    Raises
    ------
    SourceError
        If the file cannot be read to its end.
    """
    with open_source(path) as stream:
        yield from lines_of(stream, path.name)


def lines_of(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file of some name, as `read_lines` does."""
    for number, (line, length) in enumerate(_bounded_lines(stream), start=1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if length > MAX_MESSAGE_BYTES:
            detail = f"line {number} of {name} holds {length} bytes"
            yield oversized_message(detail, start=text)
        elif not text.isspace():
            yield text.rstrip(b"\r\n")


def _bounded_lines(stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield the beginning of each line, whole if it is not too long, and its full length."""
    while line := stream.readline(MAX_MESSAGE_BYTES):
        length = len(line)
        end = line
        while not end.endswith(b"\n") and (end := stream.readline(MAX_MESSAGE_BYTES)):
            length += len(end)
        yield line, length
