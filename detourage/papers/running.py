"""Run a paper's method on a page, returning the same type as the service's own reader."""

from detourage.comments import Comment
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.papers.registry import get_method
from detourage.reader import Extraction
from detourage.reader.content import Content


def read_by(method: str, page: Source, pivot: Source | None = None) -> Content:
    """Read a page with a method or a chain of methods (see `get_method`).

    Raise NoArticleError if the method finds no article or lacks a page to compare with, and
    UnavailableError if a library is not installed.
    """
    found = get_method(method).extract(page, Neighbours(pivot, partner=pivot))
    return _content(found, method)


def _content(extracted: Extracted, method: str) -> Content:
    article = Extraction(
        title=extracted.title,
        text=extracted.text,
        blocks=extracted.blocks,
        images=(),
        embeds=(),
        language=None,
        method=method,
        xpath="",
        # The papers' methods do not estimate confidence.
        confidence=0.0,
    )
    comments = (
        Comment(each.text, author=each.author, written_date=each.date, parent=each.parent)
        for each in extracted.comments
    )
    return Content(article, tuple(comments))
