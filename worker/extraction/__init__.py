"""Main content, title, blocks and images of a page, with or without a page to compare it with."""

from worker.extraction.article import extract_article
from worker.extraction.errors import (
    GoneError,
    MenuPageError,
    NeedsRenderingError,
    NoArticleError,
    NoTextError,
    WallError,
)
from worker.extraction.explanation import ExplainedLine, Explanation, Reason, explain_article
from worker.extraction.headlines import HeadlineLink, headline_links
from worker.extraction.knowledge import TemplateKnowledge
from worker.extraction.metadata import ArticleMetadata, Moment
from worker.extraction.result import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
    Extraction,
)
from worker.extraction.threads import FindPosts, Posts

__all__ = [
    "ArticleBlock",
    "ArticleEmbed",
    "ArticleEmphasis",
    "ArticleImage",
    "ArticleLink",
    "ArticleMetadata",
    "ExplainedLine",
    "Explanation",
    "Extraction",
    "FindPosts",
    "GoneError",
    "HeadlineLink",
    "MenuPageError",
    "Moment",
    "NeedsRenderingError",
    "NoArticleError",
    "NoTextError",
    "Posts",
    "Reason",
    "TemplateKnowledge",
    "WallError",
    "explain_article",
    "extract_article",
    "headline_links",
]
