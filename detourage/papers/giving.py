"""Conversion of a method's findings to its result."""

from collections.abc import Iterable

from detourage.comments import Comment
from detourage.papers.interface import Extracted, ReaderComment, Source
from detourage.reader.article import article_of
from detourage.reader.finding import Finding
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles


def cut(
    source: Source,
    page: Outline,
    finding: Finding,
    pivot: Outline | None = None,
) -> Extracted:
    """Render the element found by a method, with the page's headline.

    Headings and titles shared with `pivot`, another page of the template, are not headlines.
    """
    others = () if pivot is None else (Titles.of(pivot),)
    article = article_of(source.url, page, others, finding)
    return Extracted(article.title, article.text, article.blocks)


def as_given(comments: Iterable[Comment]) -> tuple[ReaderComment, ...]:
    """Convert comments to the type used in a method's result."""
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
