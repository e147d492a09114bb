"""Bodies of received page messages, which may be compressed."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import brotli

from detourage.inputs.message_validation import UnusableMessageError
from detourage.limits import MAX_BODY_BYTES
from detourage.outcomes import UnusableReason

_START_BYTES = 64  # an uncompressed body has its first "{" among this many bytes

PLAIN_ENCODINGS: Final = frozenset({"", "utf-8", "utf8", "us-ascii", "binary", "identity"})
"""Values of the ``content_encoding`` property that do not name a compression method."""

LZMA_MEMORY_BYTES = 68 * 1024 * 1024
"""Memory limit for LZMA: its strongest preset needs 65 MiB, but a hostile header demands 4 GiB."""


def plain_body(
    body: bytes, headers: Mapping[str, Any], content_encoding: str | None, *, withheld: int = 0
) -> bytes:
    """Return the JSON body of a message, decompressed if necessary.

    kombu declares the compression in the header ``compression``. The AMQP property
    ``content_encoding`` serves the same purpose, but often holds a character set. A body that
    begins like JSON is returned unchanged. ``withheld`` is the size of a body that was too large to
    be read, or 0. Raise `UnusableMessageError` if the body is too large or cannot be decompressed.
    """
    if withheld:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message has {withheld} bytes")
    declared = headers.get("compression")
    name = str(declared or content_encoding or "").strip().lower()
    name = name.removeprefix("application/").removeprefix("x-")
    is_plain = not name or (not declared and name in PLAIN_ENCODINGS)
    if is_plain or body[:_START_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return body
    undecodable = UnusableReason.UNDECODABLE_BODY
    if name not in _DECOMPRESSORS:
        raise UnusableMessageError(undecodable, f"the compression {name[:40]!r} is not supported")
    try:
        decompressor = _DECOMPRESSORS[name]()
        if isinstance(decompressor, brotli.Decompressor):
            plain, is_complete = _from_brotli(decompressor, body, MAX_BODY_BYTES + 1)
        else:
            plain = decompressor.decompress(body, MAX_BODY_BYTES + 1)
            is_complete = decompressor.eof
    except (zlib.error, lzma.LZMAError, OSError, ValueError, brotli.error) as error:
        raise UnusableMessageError(undecodable, f"the body is not valid {name}: {error}") from error
    if len(plain) > MAX_BODY_BYTES:
        detail = f"the message has more than {MAX_BODY_BYTES} bytes when decompressed"
        raise UnusableMessageError(UnusableReason.OVERSIZED, detail)
    if not is_complete:
        raise UnusableMessageError(undecodable, f"the body is not valid {name}: it is truncated")
    return plain


def _from_brotli(decompressor: brotli.Decompressor, body: bytes, limit: int) -> tuple[bytes, bool]:
    """Return at most ``limit`` decompressed bytes, and whether they are the whole body."""
    plain = bytearray(decompressor.process(body, output_buffer_limit=limit))
    while len(plain) < limit and not decompressor.is_finished():
        part = decompressor.process(b"", output_buffer_limit=limit - len(plain))
        if not part:
            break
        plain += part
    return bytes(plain), decompressor.is_finished()


_ZLIB = partial(zlib.decompressobj, 32 + zlib.MAX_WBITS)  # 32: detect gzip and zlib headers
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
