"""Why a page yields no article."""

from typing import ClassVar

from worker.outcomes import PageOutcome


class NoArticleError(ValueError):
    """The page holds no article.

    Attributes
    ----------
    outcome
        Why: a `PageOutcome`, or a name that only a method under evaluation gives.
    """

    outcome: ClassVar[str]


class MenuPageError(NoArticleError):
    """The page is a selection of links to other pages: a home page, a section, a tag."""

    outcome = PageOutcome.MENU


class NoTextError(NoArticleError):
    """The page shows no text at all."""

    outcome = PageOutcome.NO_TEXT


class NeedsRenderingError(NoArticleError):
    """The page shows nothing until a browser has run its programs."""

    outcome = PageOutcome.NEEDS_RENDERING
