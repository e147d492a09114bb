"""Main content, title, blocks and images of a page, with or without a page to compare it with."""

from worker.extraction.article import extract_article
from worker.extraction.errors import (
    MenuPageError,
    NeedsRenderingError,
    NoArticleError,
    NoTextError,
)
from worker.extraction.explanation import ExplainedLine, Explanation, Reason, explain_article
from worker.extraction.knowledge import TemplateKnowledge
from worker.extraction.metadata import Metadata, Moment
from worker.extraction.result import Block, Embed, Extraction, Image

__all__ = [
    "Block",
    "Embed",
    "ExplainedLine",
    "Explanation",
    "Extraction",
    "Image",
    "MenuPageError",
    "Metadata",
    "Moment",
    "NeedsRenderingError",
    "NoArticleError",
    "NoTextError",
    "Reason",
    "TemplateKnowledge",
    "explain_article",
    "extract_article",
]
