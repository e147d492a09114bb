"""What can be wrong with a page before anything is extracted from it."""

from typing import ClassVar

from worker.outcomes import PageOutcome


class PageError(ValueError):
    """The page cannot be used; trying again would not help.

    Attributes
    ----------
    outcome
        Outcome of the page: what is wrong with it.
    """

    outcome: ClassVar[PageOutcome]


class NotHtmlError(PageError):
    """The content is something other than an HTML page: an image, an archive, a feed."""

    outcome = PageOutcome.NOT_HTML


class UndecodableError(PageError):
    """The bytes are no text in any encoding."""

    outcome = PageOutcome.UNDECODABLE


class EmptyPageError(PageError):
    """The page has no element or no text."""

    outcome = PageOutcome.EMPTY


class FramesetError(PageError):
    """The page only arranges other pages in frames."""

    outcome = PageOutcome.FRAMESET


class TooLargeError(PageError):
    """The page has more bytes, elements or attributes than any real page."""

    outcome = PageOutcome.TOO_LARGE


class TooDeepError(PageError):
    """The page's elements are nested deeper than in any real page."""

    outcome = PageOutcome.TOO_DEEP
