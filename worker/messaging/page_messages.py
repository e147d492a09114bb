"""Page messages as they come: what page one tells of, or why it tells of none."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from models.limits import MAX_BODY_BYTES
from models.messages import HTML_NOT_GIVEN_ONCE, HTML_TOO_LARGE, PageMessage
from worker.messaging.headers import MAX_DETAIL_CHARACTERS
from worker.outcomes import UnusableReason


@dataclass(frozen=True)
class UnusableMessageError(Exception):
    """A message that can never work.

    Parameters
    ----------
    reason
        Code to count by.
    detail
        What is wrong, for a person.
    """

    reason: UnusableReason
    detail: str


def read_message(body: bytes) -> PageMessage:
    """Read a page message.

    Raises
    ------
    UnusableMessageError
        If the body is not one.
    """
    if len(body) > MAX_BODY_BYTES:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message holds {len(body)} bytes")
    try:
        return PageMessage.model_validate_json(body)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
    raise _told_by_source(body) or UnusableMessageError(
        _reason(problems), "; ".join(map(_describe, problems))[:MAX_DETAIL_CHARACTERS]
    )


def _told_by_source(body: bytes) -> UnusableMessageError | None:
    """Return the reason that `worker.inputs` gave in place of a page too large to send."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        told = json.loads(body)["unusable"]
        return UnusableMessageError(
            UnusableReason(told["reason"]),
            _writable(told["detail"])[:MAX_DETAIL_CHARACTERS],
        )
    return None


def _writable(value: object) -> str:
    """Return text that the database takes: without NUL and half characters."""
    return str(value).replace("\x00", "").encode("utf-8", "replace").decode()


_REASON_BY_TYPE = {
    "json_invalid": UnusableReason.NOT_JSON,
    HTML_NOT_GIVEN_ONCE: UnusableReason.NO_HTML,
    HTML_TOO_LARGE: UnusableReason.OVERSIZED,
}
_REASON_BY_FIELD = {
    "url": UnusableReason.UNSUPPORTED_URL,
    "version": UnusableReason.UNSUPPORTED_VERSION,
}


def _reason(problems: Sequence[ErrorDetails]) -> UnusableReason:
    types = {problem["loc"][0]: problem["type"] for problem in problems if problem["loc"]}
    if types.get("url") == "missing":
        return UnusableReason.NO_URL
    for field, reason in _REASON_BY_FIELD.items():
        if field in types:
            return reason
    return _REASON_BY_TYPE.get(problems[0]["type"], UnusableReason.INVALID_MESSAGE)


def _describe(problem: ErrorDetails) -> str:
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]
