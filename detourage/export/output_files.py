"""Output files: one that grows as articles arrive, and one that is replaced atomically."""

import gzip
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

from detourage.expected_errors import ExpectedError
from detourage.export.formats import FileFormat, require_format


class OutputError(ExpectedError):
    """A file cannot be written; the one-line message gives the reason."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path} cannot be written: {error.strerror or error}")


class GrowingFile:
    """A file of JSON lines that grows; the first lines replace any content from earlier runs.

    If the name ends in ``.gz``, each call of `add` writes a gzip member.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: FileIO | None = None

    def add(self, messages: Iterable[dict[str, Any]]) -> None:
        """Append messages as JSON lines in one write; raise `OutputError` on failure."""
        text = "".join(map(_line, messages)).encode()
        if not text:
            return
        data = gzip.compress(text, mtime=0) if self._path.suffix == ".gz" else text
        try:
            if self._stream is not None:
                _write_all(self._stream, data)
                return
            partial = partial_of(self._path)
            # Unbuffered, so that the file contains all lines when `add` returns.
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
def replacement_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path; its file replaces the given one unless the block raises an error.

    An `OSError` becomes an `OutputError`.
    """
    partial = partial_of(path)
    try:
        yield partial
        partial.replace(path.resolve())
    except OSError as error:
        raise OutputError(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def open_replacement(path: Path) -> Iterator[IO[str]]:
    """Open a text file that replaces a file as `replacement_path` does; compress ``.gz`` files."""
    with replacement_path(path) as partial:
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


def write_articles(path: Path, form: FileFormat, messages: Iterable[dict[str, Any]]) -> int:
    """Replace a file with article messages, once all are written; return their number."""
    if form == "parquet":
        require_format(form)
        from detourage.export.arrow import write_parquet

        with replacement_path(path) as partial:
            return write_parquet(partial, messages)
    with open_replacement(path) as stream:
        return write_lines(stream, messages)


def write_lines(stream: IO[str], messages: Iterable[dict[str, Any]]) -> int:
    """Write messages as JSON lines, and return their number."""
    written = 0
    for message in messages:
        stream.write(_line(message))
        written += 1
    return written


def _write_all(stream: FileIO, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[stream.write(remaining) :]


def _line(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False) + "\n"


def partial_of(path: Path) -> Path:
    """Return the path of the unfinished file that will replace the given one."""
    # Symbolic links are resolved, because a file can be replaced only within its file system.
    path = path.resolve()
    return path.with_name(f".{path.name}.partial")
