"""All that a page holds for its readers: its article, and the comments below it, apart from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from worker.comments import (
    NONE_SEEN,
    Comment,
    CommentPattern,
    FoundComments,
    find_comments,
    read_comments,
)
from worker.comments.areas import comment_area
from worker.comments.extents import extents_of
from worker.extraction import Extraction, TemplateKnowledge, extract_article
from worker.pages import Page
from worker.pages.places import element_at

__all__ = [
    "SURE",
    "Content",
    "apart_from_article",
    "comment_pattern_of",
    "comments_of",
    "read_content",
]

SURE = 0.8
"""Probability that they are comments, from which on elements are taken out of the article.

Of 2,203 pages whose sites neither classifier has seen, 223 have such elements: 14 articles get
better without them, none worse (``benchmarks/extraction/without_comments.py``).
"""


@dataclass(frozen=True)
class Content:
    """What a page holds for its readers.

    Attributes
    ----------
    article
        The article.
    comments
        What readers wrote, in the order of the page.
    """

    article: Extraction
    comments: tuple[Comment, ...] = ()


def read_content(
    page: Page,
    other: Page | TemplateKnowledge | None = None,
    patterns: Sequence[CommentPattern] | None = None,
) -> Content:
    """Cut the article out of a page, and read its comments.

    Parameters
    ----------
    page, other
        As for `worker.extraction.extract_article`, which raises the same.
    patterns
        Where comments stand on pages of the template: the first that finds any counts. None to
        look for them on this page alone.
    """
    found = comments_of(page, patterns)
    article = extract_article(page, other, apart=apart_from_article(found))
    records = _without_article(found.records, page, article)
    return Content(article, read_comments(records, page.url))


def comments_of(page: Page, patterns: Sequence[CommentPattern] | None = None) -> FoundComments:
    """Find the comments of a page, see `read_content`."""
    if patterns is None:
        return find_comments(page)
    for pattern in patterns:
        records = pattern.records(page.document)
        if records:
            return FoundComments(records, pattern, pattern.confidence)
    return FoundComments((), NONE_SEEN, 1.0)


def apart_from_article(found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements that are surely readers', and no part of the article."""
    return comment_area(found.records) if found.confidence >= SURE else ()


def comment_pattern_of(page: Page) -> CommentPattern:
    """Return what a page tells of where comments stand on it."""
    return find_comments(page).pattern


def _without_article(
    records: Sequence[HtmlElement], page: Page, article: Extraction
) -> Sequence[HtmlElement]:
    """Leave out a record that holds the article and does not stand among the others.

    That is the article, where its comments are made like it, or an element around a whole thread.
    The first post of a thread stands among the others, and is one of them.
    """
    container = element_at(page.document, article.xpath)
    if container is None:
        return records
    around = {container, *container.iterancestors()}
    extents = extents_of(records)
    parents = [extent.element.getparent() for extent in extents]
    return [
        record
        for record, parent in zip(records, parents, strict=True)
        if record not in around or parents.count(parent) > 1
    ]
