"""What can be wrong with a page before anything is extracted from it."""

from typing import ClassVar


class PageError(ValueError):
    """The page cannot be used; trying again would not help.

    Attributes
    ----------
    outcome
        Kebab-case name of what is wrong, which becomes the page's outcome.
    """

    outcome: ClassVar[str] = "unusable"


class NotHtmlError(PageError):
    """The content is something other than an HTML page: an image, an archive, a feed."""

    outcome = "not-html"


class UndecodableError(PageError):
    """The bytes are no text in any encoding."""

    outcome = "undecodable"


class EmptyPageError(PageError):
    """The page has no element or no text."""

    outcome = "empty"


class FramesetError(PageError):
    """The page only arranges other pages in frames."""

    outcome = "frameset"


class TooLargeError(PageError):
    """The page has more bytes, elements or attributes than any real page."""

    outcome = "too-large"


class TooDeepError(PageError):
    """The page's elements are nested deeper than in any real page."""

    outcome = "too-deep"
