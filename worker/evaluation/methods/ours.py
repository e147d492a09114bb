"""The service's own extraction, and the two papers it starts from, each on its own."""

from collections.abc import Iterable
from functools import lru_cache

from worker.comments import Comment, CommentPattern, extract_comments, vote
from worker.content import Content, comment_pattern_of, read_content
from worker.evaluation.methods.interface import (
    Extracted,
    Neighbours,
    NoPivotError,
    ReaderComment,
    Source,
)
from worker.evaluation.methods.reading import CACHED_PAGES, page_of
from worker.extraction import NoTextError, TemplateKnowledge, difference, sentences
from worker.extraction.article import article_of
from worker.extraction.finding import Finding
from worker.extraction.outline import Outline
from worker.extraction.titles import Titles


def detourage(source: Source, neighbours: Neighbours) -> Extracted:
    """Extract as the service does."""
    own = pattern_of(source)
    if neighbours.pivot is None:
        return _extracted(read_content(page_of(source), None, [own]))
    patterns = [vote([own, pattern_of(neighbours.pivot)]), own]
    return _extracted(read_content(page_of(source), knowledge_of(neighbours.pivot), patterns))


def paper000(source: Source, neighbours: Neighbours) -> Extracted:
    """Apply the retained heuristic of paper 000 (section 4.4.2), without any fallback."""
    pivot = pivot_outline(neighbours)
    page = outline_of(source)
    finding = difference.find_body(page, pivot)
    if finding is None:
        raise NoTextError("no part of the page differs from the other page")
    return cut(source, page, finding, pivot)


def wutsi(source: Source, _neighbours: Neighbours) -> Extracted:
    """Apply the extractor of paper 003, for which no other page is needed."""
    page = outline_of(source)
    finding = sentences.find_body(page)
    if finding is None:
        raise NoTextError("the page shows no text")
    return cut(source, page, finding)


def commentsminer(source: Source, _neighbours: Neighbours) -> Extracted:
    """Find comments as paper 004 does, and read them as the service does."""
    found = extract_comments(page_of(source), method="commentsminer")
    return Extracted(None, "", (), comments=_as_given(found.comments))


@lru_cache(maxsize=CACHED_PAGES)
def outline_of(source: Source) -> Outline:
    """Flatten a page, once for all that compare with it."""
    return Outline.of(page_of(source).document)


@lru_cache(maxsize=CACHED_PAGES)
def knowledge_of(source: Source) -> TemplateKnowledge:
    """Learn from a page, once for all that are compared with it."""
    return TemplateKnowledge.of([outline_of(source)])


@lru_cache(maxsize=CACHED_PAGES)
def pattern_of(source: Source) -> CommentPattern:
    """Look where the comments of a page stand, once for all that are compared with it."""
    return comment_pattern_of(page_of(source))


def pivot_outline(neighbours: Neighbours) -> Outline:
    """Return the page that another is compared with.

    Raises
    ------
    NoPivotError
        If there is none: paper 000 leaves outliers untreated.
    """
    if neighbours.pivot is None:
        raise NoPivotError("no page to compare it with")
    return outline_of(neighbours.pivot)


def cut(
    source: Source,
    page: Outline,
    finding: Finding,
    pivot: Outline | None = None,
) -> Extracted:
    """Render the element that a method found, with the headline that belongs to it.

    Parameters
    ----------
    source
        The page.
    page
        Its outline.
    finding
        The element.
    pivot
        Outline of another page of the template group.
    """
    others = () if pivot is None else (Titles.of(pivot),)
    article = article_of(source.url, page, others, finding)
    return Extracted(article.title, article.text, article.blocks)


def _extracted(content: Content) -> Extracted:
    article, metadata = content.article, content.article.metadata
    return Extracted(
        article.title,
        article.text,
        article.blocks,
        authors=metadata.authors,
        date=str(metadata.published) if metadata.published else None,
        comments=_as_given(content.comments),
    )


def _as_given(comments: Iterable[Comment]) -> tuple[ReaderComment, ...]:
    return tuple(
        ReaderComment(
            each.text,
            each.author,
            each.written_date,
            each.parent,
            str(each.date) if each.date else None,
        )
        for each in comments
    )
