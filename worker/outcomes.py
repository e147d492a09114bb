"""Outcomes of pages, messages and tasks; the database and other services rely on their values."""

from enum import StrEnum, unique
from typing import Final

PENDING: Final = "pending"  # key under which pages without an outcome are counted


@unique
class ReceiptResult(StrEnum):
    """Result of handling a message at the intake."""

    ACCEPTED = "accepted"  # the page is new
    UPDATED = "updated"  # the stored page was changed
    DUPLICATE = "duplicate"  # the stored page has the same content
    SUPERSEDED = "superseded"  # a later fetch of the page is already stored
    QUARANTINED = "quarantined"  # the message is unusable


@unique
class AbandonedReason(StrEnum):
    """Kind of abandoned work. A task that repeats the work waits in quarantine for an operator."""

    COMPARISON_FAILED = "comparison-failed"
    CLUSTERING_FAILED = "clustering-failed"


@unique
class RefusedReason(StrEnum):
    """Reason why a message is in the relay's quarantine."""

    REFUSED_BY_BROKER = "refused-by-broker"
    DAMAGED = "damaged"  # its stored body cannot be decompressed
