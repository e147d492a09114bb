"""Defects of a page that prevent extraction."""

from typing import ClassVar

from detourage.outcomes import PageOutcome


class PageError(ValueError):
    """The page is permanently unusable, so a retry would not help; `outcome` is the reason."""

    outcome: ClassVar[PageOutcome]


class NotHtmlError(PageError):
    """The content is not an HTML page but, for example, an image, an archive or a feed."""

    outcome = PageOutcome.NOT_HTML


class UndecodableError(PageError):
    """The bytes are not text in any known encoding."""

    outcome = PageOutcome.UNDECODABLE


class EmptyPageError(PageError):
    """The page has no elements or no text."""

    outcome = PageOutcome.EMPTY


class FramesetError(PageError):
    """The page only arranges other pages in frames."""

    outcome = PageOutcome.FRAMESET


class TooLargeError(PageError):
    """The page is larger than any real page, or parsing it takes too much time or memory."""

    outcome = PageOutcome.TOO_LARGE


class TooDeepError(PageError):
    """The page's elements are nested deeper than on any real page."""

    outcome = PageOutcome.TOO_DEEP
