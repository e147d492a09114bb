"""Bodies of received page messages."""

from collections.abc import Mapping
from typing import Any

from detourage.inputs.received import UnusableMessageError
from detourage.limits import MAX_BODY_BYTES
from detourage.outcomes import UnusableReason
from worker.messaging.compression import (
    BodyTooLargeError,
    CompressionError,
    compression_of,
    decompressed,
)

_BOM_AND_SPACE = 64
"""Number of bytes within which the JSON must begin."""


def plain_body(
    body: bytes, headers: Mapping[str, Any], content_encoding: str | None, *, withheld: int = 0
) -> bytes:
    """Return the JSON body of a message, decompressed if necessary; see `compression_of`.

    A body that begins like JSON is returned unchanged. ``withheld`` is the size of a body that was
    too large to be read, or 0. Raises `UnusableMessageError`.
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
