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


class WallError(NoArticleError):
    """Something stands before the article: consent, a robot check, a log-in, a paywall, a block.

    Parameters
    ----------
    kind
        What stands there, in words, such as ``"log-in"``.
    probability
        How likely it does.
    """

    outcome = PageOutcome.WALL

    def __init__(self, kind: str, probability: float = 1.0) -> None:
        super().__init__(f"the page shows a wall in place of an article: {kind}")
        self.kind = kind
        self.probability = probability


class GoneError(NoArticleError):
    """There is nothing at the address any longer, or never was.

    Parameters
    ----------
    kind
        What the site says, in words, such as ``"not found"``.
    probability
        How likely it says so.
    """

    outcome = PageOutcome.GONE

    def __init__(self, kind: str, probability: float = 1.0) -> None:
        super().__init__(f"the page says that there is no article: {kind}")
        self.kind = kind
        self.probability = probability
