"""Files and standard input that may be compressed with gzip."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from detourage.expected_errors import ExpectedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = Path("-")

MAX_RATIO = 200  # maximum compression ratio; a file of equal pages has 135, a gzip bomb up to 1,032

FREE_BYTES = 64 * 1024 * 1024
"""Maximum uncompressed size with any ratio, because small files may be repetitive."""


class SourceError(ExpectedError):
    """An input cannot be read completely; the message gives the reason in one line."""

    def __init__(self, path: Path | str, problem: str) -> None:
        # `problem` may contain line breaks from a damaged file, but messages must be a single line.
        self.path, self.problem = path, " ".join(problem.split())
        super().__init__(" ".join(f"{path}: {problem}".split()))


@contextmanager
def open_source(path: Path) -> Iterator[IO[bytes]]:
    """Open a file or standard input (``-``) and decompress gzip; raise `SourceError` on failure."""
    try:
        is_standard = path == STANDARD_INPUT
        with nullcontext(sys.stdin.buffer) if is_standard else path.open("rb") as opened:
            raw = cast("io.BufferedReader", opened)
            if raw.peek(2)[:2] == b"\x1f\x8b":
                compressed = _CountingReader(raw)
                with gzip.GzipFile(fileobj=compressed, mode="rb") as unpacked:
                    yield io.BufferedReader(_GunzippedStream(unpacked, compressed, path), 64 * 1024)
            elif path.suffix == ".gz":
                raise SourceError(path, "is not gzip, or is empty")
            else:
                yield raw
    except EOFError as error:
        raise SourceError(path, "is truncated: the gzip data end too early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(path, f"contains damaged gzip data: {error}") from error
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror or error}") from error


class _CountingReader:
    """A compressed file that counts the bytes read from it."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self.count = 0

    def read(self, size: int, /) -> bytes:
        data = self._raw.read(size)
        self.count += len(data)
        return data

    def seek(self, offset: int, /) -> int:
        return self._raw.seek(offset)


class _GunzippedStream(io.RawIOBase):
    """Reader that returns all content before any damage in a gzip file, unlike `gzip.GzipFile`."""

    def __init__(self, unpacked: gzip.GzipFile, compressed: _CountingReader, path: Path) -> None:
        self._unpacked = unpacked
        self._compressed = compressed
        self._path = path
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        data = self._unpacked.read1(len(view))
        self._count += len(data)
        if self._count > FREE_BYTES + MAX_RATIO * self._compressed.count:
            raise SourceError(
                self._path, f"is not plausible: it unpacks to over {MAX_RATIO} times its size"
            )
        view[: len(data)] = data
        return len(data)
