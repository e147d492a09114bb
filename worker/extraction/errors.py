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
    """The page is a selection of links to other pages: a home page, a section, a tag.

    Parameters
    ----------
    probability
        How likely it is one.
    """

    outcome = PageOutcome.MENU

    def __init__(self, probability: float = 1.0) -> None:
        super().__init__("the page is a list of links to other pages")
        self.probability = probability


class NoTextError(NoArticleError):
    """The page shows no text at all."""

    outcome = PageOutcome.NO_TEXT


class NeedsRenderingError(NoArticleError):
    """The page shows nothing until a browser has run its programs."""

    outcome = PageOutcome.NEEDS_RENDERING
