"""Message headers: the reason for and time of a quarantine, and the number of redeliveries."""

from datetime import datetime
from typing import Final

from detourage.outcomes import UnusableReason
from worker.outcomes import AbandonedReason

REASON: Final = "x-reason"
DETAIL: Final = "x-detail"
FAILED_AT: Final = "x-failed-at"

DEATHS: Final = "x-death"  # header that RabbitMQ adds to dead-lettered messages

QUARANTINE_HEADERS: Final = (REASON, DETAIL, FAILED_AT, DEATHS)  # removed from requeued messages

DELIVERY_COUNT: Final = "x-delivery-count"
"""Header in which RabbitMQ counts redeliveries from a quorum queue."""


def quarantine_headers(
    reason: UnusableReason | AbandonedReason, detail: str, failed_at: datetime
) -> dict[str, str]:
    """Return the headers that explain why a message is in quarantine."""
    return {REASON: reason.value, DETAIL: detail, FAILED_AT: failed_at.isoformat()}
