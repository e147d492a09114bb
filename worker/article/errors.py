"""Reasons why a page yields no article."""

from typing import ClassVar

from worker.outcomes import PageOutcome


class NoArticleError(ValueError):
    """The page holds no article.

    Attributes
    ----------
    outcome
        The reason: a `PageOutcome`, or a name that only a method under evaluation uses.
    """

    outcome: ClassVar[str]


class MenuPageError(NoArticleError):
    """The page is a list of links to other pages: a home page, a section, a tag.

    Parameters
    ----------
    probability
        Probability that it is one.
    """

    outcome = PageOutcome.MENU

    def __init__(self, probability: float = 1.0) -> None:
        super().__init__("the page is a list of links to other pages")
        self.probability = probability


class NoTextError(NoArticleError):
    """The page shows no text."""

    outcome = PageOutcome.NO_TEXT


class NeedsRenderingError(NoArticleError):
    """The page shows nothing until a browser has run its scripts."""

    outcome = PageOutcome.NEEDS_RENDERING


class WallError(NoArticleError):
    """A wall stands in place of the article: consent, robot check, log-in, paywall or block.

    Parameters
    ----------
    kind
        Kind of the wall in words, such as ``"log-in"``.
    probability
        Probability that there is one.
    """

    outcome = PageOutcome.WALL

    def __init__(self, kind: str, probability: float = 1.0) -> None:
        super().__init__(f"the page shows a wall in place of an article: {kind}")
        self.kind = kind
        self.probability = probability


class GoneError(NoArticleError):
    """There is no longer an article at the address, or never was.

    Parameters
    ----------
    kind
        What the site says, such as ``"not found"``.
    probability
        Probability that it says so.
    """

    outcome = PageOutcome.GONE

    def __init__(self, kind: str, probability: float = 1.0) -> None:
        super().__init__(f"the page says that there is no article: {kind}")
        self.kind = kind
        self.probability = probability
