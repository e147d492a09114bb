"""Headers that state why and since when a message has been in quarantine."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from detourage.outcomes import UnusableReason
from worker.outcomes import AbandonedReason

REASON: Final = "x-reason"
DETAIL: Final = "x-detail"
FAILED_AT: Final = "x-failed-at"

DEATHS: Final = "x-death"
"""Header that RabbitMQ adds to dead-lettered messages."""

FIRST_DEATH_PREFIX: Final = "x-first-death"

DELIVERY_COUNT: Final = "x-delivery-count"
"""Header in which RabbitMQ counts redeliveries from a quorum queue."""


def quarantine_headers(
    reason: UnusableReason | AbandonedReason, detail: str, failed_at: datetime
) -> dict[str, str]:
    """Return the headers that explain why a message is in quarantine."""
    return {REASON: reason.value, DETAIL: detail, FAILED_AT: failed_at.isoformat()}


def without_quarantine(headers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the headers without those added by quarantine."""
    return {
        name: value
        for name, value in headers.items()
        if name not in (REASON, DETAIL, FAILED_AT, DEATHS)
        and not str(name).startswith(FIRST_DEATH_PREFIX)
    }
