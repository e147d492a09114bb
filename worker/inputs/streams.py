"""Open files that may be compressed."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from worker.inputs.errors import SourceError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = Path("-")

MAX_RATIO = 200
"""Maximum compression ratio: gzip reaches 1,032 on hostile data, but only 135 on a repeated page.
"""

FREE_BYTES = 64 * 1024 * 1024
"""Uncompressed size allowed regardless of the ratio, as small files may be repetitive."""

_BUFFER_BYTES = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def open_source(path: Path) -> Iterator[IO[bytes]]:
    """Open a file (or standard input for ``-``), decompressing gzip as it is read.

    Gzip is recognised by content. Raises `SourceError` if the file cannot be read and, within the
    ``with`` block, if it is damaged or truncated.
    """
    try:
        with _open_raw(path) as raw:
            if raw.peek(2)[:2] == _GZIP_MAGIC:
                metered = _CountingReader(raw)
                with gzip.GzipFile(fileobj=metered, mode="rb") as packed:
                    yield io.BufferedReader(_GunzippedStream(packed, metered, path), _BUFFER_BYTES)
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
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        data = self._raw.read(size)
        self.taken += len(data)
        return data

    def seek(self, offset: int, /) -> int:
        return self._raw.seek(offset)


class _GunzippedStream(io.RawIOBase):
    """The content of a gzip file, up to the first damage.

    :class:`gzip.GzipFile` reads ahead and, on damage, discards what it has already read.
    """

    def __init__(self, packed: gzip.GzipFile, metered: _CountingReader, path: Path) -> None:
        self._packed = packed
        self._metered = metered
        self._path = path
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        data = self._packed.read1(len(view))
        self._given += len(data)
        if self._given > FREE_BYTES + MAX_RATIO * self._metered.taken:
            raise SourceError(
                self._path, f"unpacks to more than {MAX_RATIO} times its size, unlike any pages"
            )
        view[: len(data)] = data
        return len(data)


def _open_raw(path: Path) -> nullcontext[io.BufferedReader] | io.BufferedReader:
    if path == STANDARD_INPUT:
        return nullcontext(cast("io.BufferedReader", sys.stdin.buffer))
    return path.open("rb")
