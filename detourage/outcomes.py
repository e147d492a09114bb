"""Outcomes of pages, and reasons why a page message is unusable.

The values appear in the database, in message headers and in reports, and other services rely on
them.
"""

from enum import StrEnum, unique


@unique
class PageOutcome(StrEnum):
    """Result of processing a page; every page gets exactly one."""

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


@unique
class UnusableReason(StrEnum):
    """Reason why an unusable page message was quarantined."""

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
