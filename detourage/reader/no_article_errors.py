"""Reasons why a page yields no article."""

from typing import ClassVar

from detourage.outcomes import PageOutcome


class NoArticleError(ValueError):
    """The page contains no article.

    `outcome` is the reason: a `PageOutcome`, or a name that only a method under evaluation uses.
    """

    outcome: ClassVar[str]


class MenuPageError(NoArticleError):
    """The page only lists links to other pages, such as a home page, section front or tag page."""

    outcome = PageOutcome.MENU

    def __init__(self, probability: float = 1.0) -> None:
        super().__init__("the page is a list of links to other pages")
        self.probability = probability


class NoTextError(NoArticleError):
    """The page displays no text."""

    outcome = PageOutcome.NO_TEXT


class NeedsRenderingError(NoArticleError):
    """The page is empty until a browser runs its scripts."""

    outcome = PageOutcome.NEEDS_RENDERING


class OtherPageError(NoArticleError):
    """The page shows no article, but something else, which `kind` names."""

    problem: ClassVar[str]

    def __init__(self, kind: str, probability: float = 1.0) -> None:
        super().__init__(f"{self.problem}: {kind}")
        self.kind = kind
        self.probability = probability


class WallError(OtherPageError):
    """The page shows a wall; `kind` names it, such as ``"log-in"`` or ``"consent"``."""

    outcome = PageOutcome.WALL
    problem = "the page shows a wall in place of an article"


class GoneError(OtherPageError):
    """The article was removed or never existed; `kind` names the case, such as ``"not found"``."""

    outcome = PageOutcome.GONE
    problem = "the page says that there is no article"
