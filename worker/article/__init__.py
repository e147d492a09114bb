"""Extraction of a page's article: its title, text, blocks, images and metadata."""

from worker.article.article import extract_article
from worker.article.errors import (
    GoneError,
    MenuPageError,
    NeedsRenderingError,
    NoArticleError,
    NoTextError,
    WallError,
)
from worker.article.explanation import ExplainedLine, Explanation, Reason, explain_article
from worker.article.headlines import HeadlineLink, headline_links
from worker.article.knowledge import TemplateKnowledge
from worker.article.metadata import ArticleMetadata, Moment
from worker.article.result import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
    Extraction,
)
from worker.article.threads import FindPosts, Posts

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
