"""The closed enumerations of what becomes of pages, of messages and of tasks.

Their values are written to the database, to headers and to reports, and others count by them.
"""

from enum import StrEnum, unique
from typing import Final


@unique
class PageOutcome(StrEnum):
    """How the processing of a page ended; every page has exactly one in the end."""

    ARTICLE = "article"
    MENU = "menu"
    NO_TEXT = "no-text"
    EMPTY = "empty"
    WALL = "wall"
    GONE = "gone"
    NEEDS_RENDERING = "needs-rendering"
    NOT_HTML = "not-html"
    UNDECODABLE = "undecodable"
    FRAMESET = "frameset"
    TOO_DEEP = "too-deep"
    TOO_LARGE = "too-large"
    JOINED = "joined"
    FAILED = "failed"


PENDING: Final = "pending"
"""What pages without an outcome are counted as."""


@unique
class ReceiptResult(StrEnum):
    """What the intake made of a message."""

    ACCEPTED = "accepted"
    UPDATED = "updated"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"


@unique
class UnusableReason(StrEnum):
    """Why a message is no page message, and so in the quarantine of the intake."""

    NOT_JSON = "not-json"
    NO_URL = "no-url"
    UNSUPPORTED_URL = "unsupported-url"
    UNSUPPORTED_SITE = "unsupported-site"
    UNSUPPORTED_VERSION = "unsupported-version"
    NO_HTML = "no-html"
    OVERSIZED = "oversized"
    UNDECODABLE_BODY = "undecodable-body"
    UNLIKELY_TIME = "unlikely-time"
    INVALID_MESSAGE = "invalid-message"


@unique
class GivenUpReason(StrEnum):
    """What was given up, so that a task to do it again waits in quarantine for an operator."""

    COMPARISON_FAILED = "comparison-failed"
    CLUSTERING_FAILED = "clustering-failed"


@unique
class RefusedReason(StrEnum):
    """Why a message waits in the quarantine of the relay."""

    REFUSED_BY_BROKER = "refused-by-broker"
