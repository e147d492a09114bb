"""Decompression of message bodies, with a size limit."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import brotli

PLAIN_ENCODINGS: Final = frozenset({"", "utf-8", "utf8", "us-ascii", "binary", "identity"})
"""Values of the ``content_encoding`` property that do not name a compression method."""

LZMA_MEMORY_BYTES = 68 * 1024 * 1024
"""Memory limit for LZMA: its strongest preset needs 65 MiB, but a hostile header demands 4 GiB."""


class CompressionError(Exception):
    """A body cannot be decompressed; the message explains why in one line."""


class BodyTooLargeError(CompressionError):
    """A decompressed body exceeds the limit."""


def compression_of(headers: Mapping[str, Any], content_encoding: str | None) -> str | None:
    """Return the compression that a message declares, or None if it declares none.

    kombu uses the ``compression`` header. The AMQP property ``content_encoding`` serves the same
    purpose, but often holds a character set.
    """
    named = headers.get("compression") or content_encoding or ""
    name = str(named).strip().lower().removeprefix("application/").removeprefix("x-")
    return name if name and (headers.get("compression") or name not in PLAIN_ENCODINGS) else None


def decompressed(body: bytes, compression: str, *, limit: int) -> bytes:
    """Decompress a body, whose ``compression`` is named as by `compression_of`.

    Raises `BodyTooLargeError` as soon as the result exceeds ``limit`` bytes, and `CompressionError`
    if the compression is unknown, or the body is corrupt or truncated.
    """
    decompress = _DECOMPRESS.get(compression)
    if decompress is None:
        raise CompressionError(f"the compression {compression[:40]!r} is not supported")
    try:
        plain = decompress(body, limit + 1)
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, brotli.error) as error:
        raise CompressionError(f"the body is not valid {compression}: {error}") from error
    if len(plain) > limit:
        raise BodyTooLargeError(f"the message has more than {limit} bytes when decompressed")
    return plain


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _inflate(body: bytes, length: int) -> bytes:
    return _whole(zlib.decompressobj(32 + zlib.MAX_WBITS), body, length)


def _bunzip(body: bytes, length: int) -> bytes:
    return _whole(bz2.BZ2Decompressor(), body, length)


def _unlzma(body: bytes, length: int) -> bytes:
    return _whole(lzma.LZMADecompressor(memlimit=LZMA_MEMORY_BYTES), body, length)


def _whole(decompressor: _Decompressor, body: bytes, length: int) -> bytes:
    plain = decompressor.decompress(body, length)
    return plain if len(plain) == length or decompressor.eof else _cut_off()


def _unbrotli(body: bytes, length: int) -> bytes:
    decompressor = brotli.Decompressor()
    plain = bytearray(decompressor.process(body, output_buffer_limit=length))
    while len(plain) < length and not decompressor.is_finished():
        part = decompressor.process(b"", output_buffer_limit=length - len(plain))
        if not part:
            return _cut_off()
        plain += part
    return bytes(plain)


def _cut_off() -> bytes:
    raise EOFError("it is truncated")


_DECOMPRESS: Final[Mapping[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _inflate,
    "zlib": _inflate,
    "deflate": _inflate,
    "bz2": _bunzip,
    "bzip2": _bunzip,
    "lzma": _unlzma,
    "xz": _unlzma,
    "br": _unbrotli,
    "brotli": _unbrotli,
}
