"""Files of articles: one that grows while they come, and one that is whole or not at all."""

import gzip
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

from worker.errors import ExpectedError


class OutputError(ExpectedError):
    """A file cannot be written; the message is one line for a person."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path} cannot be written: {error.strerror or error}")


class GrowingFile:
    """A file of lines, each of which is whole at any moment that this process is not killed in.

    What was there before is replaced with the first lines. If its name ends in ``.gz``, what is
    added at once is a gzip member.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: FileIO | None = None

    def add(self, messages: Iterable[dict[str, Any]]) -> None:
        """Add messages as JSON lines, in one piece.

        Raises
        ------
        OutputError
            If they cannot be written.
        """
        text = "".join(map(_line, messages)).encode()
        if not text:
            return
        data = gzip.compress(text, mtime=0) if self._path.suffix == ".gz" else text
        try:
            if self._stream is not None:
                _write_all(self._stream, data)
                return
            partial = _partial(self._path)
            # Unbuffered: a line is written when it is said to be.
            self._stream = partial.open("wb", buffering=0)
            _write_all(self._stream, data)
            partial.replace(self._path.resolve())
        except OSError as error:
            raise OutputError(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Open a file that takes the place of another only when all went well.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    partial = _partial(path)
    try:
        if path.suffix == ".gz":
            with (
                partial.open("wb") as raw,
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed,
                io.TextIOWrapper(packed, encoding="utf-8") as stream,
            ):
                yield stream
        else:
            with partial.open("w", encoding="utf-8") as stream:
                yield stream
        partial.replace(path.resolve())
    except OSError as error:
        raise OutputError(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def write_lines(stream: IO[str], messages: Iterable[dict[str, Any]]) -> int:
    """Write messages as JSON lines, and return how many."""
    written = 0
    for message in messages:
        stream.write(_line(message))
        written += 1
    return written


def _write_all(stream: FileIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def _line(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False) + "\n"


def _partial(path: Path) -> Path:
    # Beside the file itself, where a link leads to it: a file is replaced on its own disk.
    path = path.resolve()
    return path.with_name(f".{path.name}.partial")
