"""Outcomes of pages, messages and tasks, on whose values the database and other services rely."""

from enum import StrEnum, unique
from typing import Final

PENDING: Final = "pending"
"""Label, in counts, of the pages without an outcome."""


@unique
class ReceiptResult(StrEnum):
    """Result of handling a message at the intake."""

    ACCEPTED = "accepted"
    UPDATED = "updated"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"


@unique
class AbandonedReason(StrEnum):
    """Kind of abandoned work. A task that repeats the work waits in quarantine for an operator."""

    COMPARISON_FAILED = "comparison-failed"
    CLUSTERING_FAILED = "clustering-failed"


@unique
class RefusedReason(StrEnum):
    """Reason why a message is in the relay's quarantine."""

    REFUSED_BY_BROKER = "refused-by-broker"
    DAMAGED = "damaged"
