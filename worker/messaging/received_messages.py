"""Bodies of received page and feedback messages."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from detourage.inputs.received import UnusableMessageError, _described, _problems
from detourage.limits import MAX_BODY_BYTES
from detourage.messages import (
    FeedbackMessage,
)
from detourage.outcomes import UnusableReason
from worker.messaging.compression import (
    BodyTooLargeError,
    CompressionError,
    compression_of,
    decompressed,
)

FEEDBACK_BYTES: Final = 64 * 1024
"""Maximum size of a feedback message; the longest valid note takes a fifth of it."""

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


def read_feedback(body: bytes, *, withheld: int = 0) -> FeedbackMessage:
    """Parse the JSON body of a feedback message; raise `UnusableMessageError` if it is not valid.

    ``withheld`` is the size of a body that was too large to be read, or 0.
    """
    size = withheld or len(body)
    if size > FEEDBACK_BYTES:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message has {size} bytes")
    try:
        return FeedbackMessage.from_json(body)
    except ValidationError as error:
        problems = _problems(error)
    if problems[0]["type"] == "json_invalid":
        reason = UnusableReason.NOT_JSON
    elif any(problem["loc"] == ("version",) for problem in problems):
        reason = UnusableReason.UNSUPPORTED_VERSION
    else:
        reason = UnusableReason.INVALID_MESSAGE
    raise UnusableMessageError(reason, _described(problems))
