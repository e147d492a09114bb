"""Bodies of received page messages, which may be compressed."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import brotli

from detourage.inputs.received import UnusableMessageError
from detourage.limits import MAX_BODY_BYTES
from detourage.outcomes import UnusableReason

_BOM_AND_SPACE = 64
"""Number of bytes within which the JSON must begin."""


def plain_body(
    body: bytes, headers: Mapping[str, Any], content_encoding: str | None, *, withheld: int = 0
) -> bytes:
    """Return the JSON body of a message, decompressed if necessary; see `compression_of`.

    A body that begins like JSON is returned unchanged. ``withheld`` is the size of a body that was
    too large to be read, or 0. Raise `UnusableMessageError`.
    """
    if withheld:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message has {withheld} bytes")
    compression = compression_of(headers, content_encoding)
    if compression is None or body[:_BOM_AND_SPACE].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return body
    try:
        return decompressed(body, compression, limit=MAX_BODY_BYTES)
    except BodyTooLargeError as error:
        raise UnusableMessageError(UnusableReason.OVERSIZED, str(error)) from error
    except CompressionError as error:
        raise UnusableMessageError(UnusableReason.UNDECODABLE_BODY, str(error)) from error


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

    Raise `BodyTooLargeError` as soon as the result exceeds ``limit`` bytes, and `CompressionError`
    if the compression is unknown, or the body is corrupt or truncated.
    """
    if compression not in _DECOMPRESSORS:
        raise CompressionError(f"the compression {compression[:40]!r} is not supported")
    try:
        decompressor = _DECOMPRESSORS[compression]()
        if isinstance(decompressor, brotli.Decompressor):
            plain, is_whole = _unbrotli(decompressor, body, limit + 1)
        else:
            plain = decompressor.decompress(body, limit + 1)
            is_whole = decompressor.eof
    except (zlib.error, lzma.LZMAError, OSError, ValueError, brotli.error) as error:
        raise CompressionError(f"the body is not valid {compression}: {error}") from error
    if len(plain) > limit:
        raise BodyTooLargeError(f"the message has more than {limit} bytes when decompressed")
    if not is_whole:
        raise CompressionError(f"the body is not valid {compression}: it is truncated")
    return plain


def _unbrotli(decompressor: brotli.Decompressor, body: bytes, length: int) -> tuple[bytes, bool]:
    plain = bytearray(decompressor.process(body, output_buffer_limit=length))
    while len(plain) < length and not decompressor.is_finished():
        part = decompressor.process(b"", output_buffer_limit=length - len(plain))
        if not part:
            break
        plain += part
    return bytes(plain), decompressor.is_finished()


_ZLIB = partial(zlib.decompressobj, 32 + zlib.MAX_WBITS)
_LZMA = partial(lzma.LZMADecompressor, memlimit=LZMA_MEMORY_BYTES)

_DECOMPRESSORS: Final[Mapping[str, Callable[[], Any]]] = {
    "gzip": _ZLIB,
    "zlib": _ZLIB,
    "deflate": _ZLIB,
    "bz2": bz2.BZ2Decompressor,
    "bzip2": bz2.BZ2Decompressor,
    "lzma": _LZMA,
    "xz": _LZMA,
    "br": brotli.Decompressor,
    "brotli": brotli.Decompressor,
}
