"""Validation of received feedback messages."""

from typing import Final

from pydantic import ValidationError

from models.messages import FeedbackMessage
from worker.messaging.page_messages import UnusableMessageError, described
from worker.outcomes import UnusableReason

MAX_BYTES: Final = 64 * 1024
"""Maximum size of a feedback message; the longest valid note takes a fifth of it."""


def read_feedback(body: bytes, *, withheld: int = 0) -> FeedbackMessage:
    """Parse the JSON body of a feedback message; raise `UnusableMessageError` if it is not valid.

    ``withheld`` is the size of a body that was too large to be read, or 0.
    """
    size = withheld or len(body)
    if size > MAX_BYTES:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message has {size} bytes")
    try:
        return FeedbackMessage.from_json(body)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
    if problems[0]["type"] == "json_invalid":
        reason = UnusableReason.NOT_JSON
    elif any(problem["loc"] == ("version",) for problem in problems):
        reason = UnusableReason.UNSUPPORTED_VERSION
    else:
        reason = UnusableReason.INVALID_MESSAGE
    raise UnusableMessageError(reason, described(problems))
