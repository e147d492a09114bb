"""Validation of received page messages."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from detourage.limits import MAX_BODY_BYTES, MAX_DETAIL_CHARACTERS
from detourage.messages import (
    HTML_NOT_GIVEN_ONCE,
    HTML_TOO_LARGE,
    UNLIKELY_TIME,
    UNSUPPORTED_SITE,
    PageMessage,
)
from detourage.outcomes import UnusableReason

MAX_CLOCK_LEAD = timedelta(days=1)
"""Maximum time by which a crawler's clock may be ahead, for example because of its time zone."""


@dataclass
class UnusableMessageError(Exception):
    """A message cannot be processed, now or later; the error has the reason and an explanation."""

    reason: UnusableReason
    detail: str


def read_message(body: bytes, *, received_at: datetime | None = None) -> PageMessage:
    """Parse the JSON body of a page message; raise `UnusableMessageError` if it is not valid."""
    if len(body) > MAX_BODY_BYTES:
        raise UnusableMessageError(UnusableReason.OVERSIZED, f"the message has {len(body)} bytes")
    try:
        message = PageMessage.from_json(body)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
        # For example, "url: Field required; headers.date: Input should be a valid string"
        lines = (
            (".".join(map(str, each["loc"])), each["msg"].removeprefix("Value error, "))
            for each in problems
        )
        detail = "; ".join(": ".join(filter(None, line)) for line in lines)[:MAX_DETAIL_CHARACTERS]
        raise (_declared_error(body) or UnusableMessageError(_reason(problems), detail)) from None
    fetched_at = message.fetched_at
    # A page with a future time would supersede all fetches until that time.
    if received_at and fetched_at and fetched_at > received_at + MAX_CLOCK_LEAD:
        detail = f"fetched_at: {fetched_at.isoformat()} is in the future"
        raise UnusableMessageError(UnusableReason.UNLIKELY_TIME, detail)
    return message


def _declared_error(body: bytes) -> UnusableMessageError | None:
    """Return the error that an `oversized_message` reports, or None for other messages."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        unusable = json.loads(body)["unusable"]
        return UnusableMessageError(
            UnusableReason(unusable["reason"]),
            storable_text(unusable["detail"])[:MAX_DETAIL_CHARACTERS],
        )
    return None


def storable_text(value: object) -> str:
    """Return a value as text that PostgreSQL accepts, without NULs or lone surrogates."""
    return str(value).replace("\x00", "").encode("utf-8", "replace").decode()


_REASON_BY_TYPE = {
    "json_invalid": UnusableReason.NOT_JSON,
    HTML_NOT_GIVEN_ONCE: UnusableReason.NO_HTML,
    HTML_TOO_LARGE: UnusableReason.OVERSIZED,
    UNLIKELY_TIME: UnusableReason.UNLIKELY_TIME,
    UNSUPPORTED_SITE: UnusableReason.UNSUPPORTED_SITE,
}


def _reason(problems: Sequence[ErrorDetails]) -> UnusableReason:
    types = {problem["loc"][0]: problem["type"] for problem in problems if problem["loc"]}
    if types.get("url") == "missing":
        return UnusableReason.NO_URL
    if "url" in types:
        return UnusableReason.UNSUPPORTED_URL
    if "version" in types:
        return UnusableReason.UNSUPPORTED_VERSION
    return _REASON_BY_TYPE.get(problems[0]["type"], UnusableReason.INVALID_MESSAGE)
