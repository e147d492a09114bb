"""The service's own extraction, as a method."""

from functools import lru_cache

from detourage.article import Article
from detourage.comments import CommentPattern
from detourage.papers.conversion import CACHED_PAGES, outline_of, page_of, to_reader_comments
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.reader import TemplateKnowledge
from detourage.reader.article_and_comments import read_content, search_for_vote


def detourage(source: Source, neighbours: Neighbours) -> Extracted:
    """Extract the article as the service does."""
    if neighbours.pivot is None:
        return _to_extracted(read_content(page_of(source)))
    template, pattern = template_knowledge(neighbours.pivot), comment_pattern(neighbours.pivot)
    return _to_extracted(read_content(page_of(source), template, pattern))


@lru_cache(maxsize=CACHED_PAGES)
def template_knowledge(source: Source) -> TemplateKnowledge:
    """Learn template knowledge from a page; it is cached for all pages compared with this page."""
    return TemplateKnowledge.of([outline_of(source)])


@lru_cache(maxsize=CACHED_PAGES)
def comment_pattern(source: Source) -> CommentPattern | None:
    """Find the comment pattern of a page; it is cached for all pages compared with this page."""
    vote = search_for_vote(page_of(source), None)
    return CommentPattern.from_json(vote) if vote else None


def _to_extracted(article: Article) -> Extracted:
    metadata = article.metadata
    return Extracted(
        article.title,
        article.text,
        article.blocks,
        authors=metadata.authors,
        date=str(metadata.published) if metadata.published else None,
        comments=to_reader_comments(article.comments),
    )
