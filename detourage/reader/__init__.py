"""Extraction of a page's article: its title, text, blocks, images and metadata."""

from typing import TYPE_CHECKING, Any

from detourage.reader.no_article_errors import (
    GoneError,
    MenuPageError,
    NeedsRenderingError,
    NoArticleError,
    NoTextError,
    WallError,
)

if TYPE_CHECKING:
    from detourage.reader.article import extract_article
    from detourage.reader.explanation import ExplainedLine, Explanation
    from detourage.reader.knowledge import TemplateKnowledge

__all__ = [
    "ExplainedLine",
    "Explanation",
    "GoneError",
    "MenuPageError",
    "NeedsRenderingError",
    "NoArticleError",
    "NoTextError",
    "TemplateKnowledge",
    "WallError",
    "extract_article",
]

_MODULES = {
    "extract_article": "detourage.reader.article",
    "TemplateKnowledge": "detourage.reader.knowledge",
    "ExplainedLine": "detourage.reader.explanation",
    "Explanation": "detourage.reader.explanation",
}
"""Names that are imported on first use, with their modules. Importing them here would be circular:
extraction needs `detourage.metadata`, which needs the outline in this package."""


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
