"""Run a paper's method on a page, returning the same type as the service's own reader."""

from detourage.article import Article
from detourage.comments import Comment
from detourage.papers.interface import Neighbours, Source
from detourage.papers.registry import get_method


def read_by(method: str, page: Source, pivot: Source | None = None) -> Article:
    """Read a page with a method or a chain of methods (see `get_method`).

    Raise NoArticleError if the method finds no article or lacks a page to compare with, and
    UnavailableError if a library is not installed.
    """
    found = get_method(method).extract(page, Neighbours(pivot, partner=pivot))
    return Article(
        title=found.title,
        text=found.text,
        blocks=found.blocks,
        images=(),
        embeds=(),
        language=None,
        method=method,
        xpath="",
        # The papers' methods do not estimate confidence.
        confidence=0.0,
        comments=tuple(
            Comment(each.text, author=each.author, written_date=each.date, parent=each.parent)
            for each in found.comments
        ),
    )
