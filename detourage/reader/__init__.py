"""Extraction of a page's article: its title, text, blocks, images and metadata."""

from detourage.reader.article import extract_article
from detourage.reader.errors import (
    GoneError,
    MenuPageError,
    NeedsRenderingError,
    NoArticleError,
    NoTextError,
    WallError,
)
from detourage.reader.explanation import ExplainedLine, Explanation, explain_article
from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.threads import FindPosts, Posts
from detourage.text.dates import Moment

__all__ = [
    "ExplainedLine",
    "Explanation",
    "FindPosts",
    "GoneError",
    "MenuPageError",
    "Moment",
    "NeedsRenderingError",
    "NoArticleError",
    "NoTextError",
    "Posts",
    "TemplateKnowledge",
    "WallError",
    "explain_article",
    "extract_article",
]
