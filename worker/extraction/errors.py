"""Why a page yields no article."""

from typing import ClassVar


class NoArticleError(ValueError):
    """The page holds no article.

    Attributes
    ----------
    outcome
        Kebab-case name of the page's outcome, as it is stored and counted.
    """

    outcome: ClassVar[str] = "no-article"


class MenuPageError(NoArticleError):
    """The page is a selection of links to other pages: a home page, a section, a tag."""

    outcome = "menu"


class NoTextError(NoArticleError):
    """The page shows no text at all."""

    outcome = "no-text"


class NeedsRenderingError(NoArticleError):
    """The page shows nothing until a browser has run its programs."""

    outcome = "needs-rendering"
