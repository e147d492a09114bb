"""The service's own extraction, as a method."""

from functools import lru_cache

from detourage.article import Article
from detourage.comments import CommentPattern
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.papers.reading import CACHED_PAGES, outline_of, page_of, to_reader_comments
from detourage.reader import TemplateKnowledge
from detourage.reader.content import (
    comment_pattern_of,
    pattern_of_group,
    patterns_for_page,
    read_content,
)


def detourage(source: Source, neighbours: Neighbours) -> Extracted:
    """Extract the article as the service does."""
    own = comment_pattern(source)
    if neighbours.pivot is None:
        return _to_extracted(read_content(page_of(source), None, patterns_for_page(own, None)))
    patterns = patterns_for_page(own, pattern_of_group([own, comment_pattern(neighbours.pivot)]))
    return _to_extracted(
        read_content(page_of(source), template_knowledge(neighbours.pivot), patterns)
    )


@lru_cache(maxsize=CACHED_PAGES)
def template_knowledge(source: Source) -> TemplateKnowledge:
    """Learn template knowledge from a page; it is cached for all pages compared with this page."""
    return TemplateKnowledge.of([outline_of(source)])


@lru_cache(maxsize=CACHED_PAGES)
def comment_pattern(source: Source) -> CommentPattern | None:
    """Find the comment pattern of a page; it is cached for all pages compared with this page."""
    return comment_pattern_of(page_of(source))


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
