"""Page messages as they come: what page one tells of, or why it tells of none."""

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from models.messages import MAX_HTML_BYTES, PageMessage
from worker.outcomes import UnusableReason

MAX_DETAIL_CHARACTERS = 2000
"""Length of what is told of an unusable message: it travels in a header."""

MAX_BODY_BYTES = 6 * MAX_HTML_BYTES + 1024 * 1024
"""Largest body that can hold allowed HTML: JSON may write a byte in six characters."""


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


_REASON_BY_PLACE = {
    "url": UnusableReason.UNSUPPORTED_URL,
    "version": UnusableReason.UNSUPPORTED_VERSION,
}


def _reason(problems: list[Any]) -> UnusableReason:
    first = problems[0]
    if first["type"] == "json_invalid":
        return UnusableReason.NOT_JSON
    places = {(problem["loc"] or ("",))[0]: problem["type"] for problem in problems}
    if places.get("url") == "missing":
        return UnusableReason.NO_URL
    for place, reason in _REASON_BY_PLACE.items():
        if place in places:
            return reason
    if "more than the" in first["msg"]:
        return UnusableReason.OVERSIZED
    if "exactly one of html" in first["msg"]:
        return UnusableReason.NO_HTML
    return UnusableReason.INVALID_MESSAGE


def _describe(problem: Any) -> str:
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else str(problem["msg"])
