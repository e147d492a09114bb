"""What found comments say: text, author, date, parent, address and votes of each."""

from collections.abc import Sequence

from lxml.html import HtmlElement

from worker.comments.addresses import permalinks_of
from worker.comments.bodies import bodies_of
from worker.comments.columns import columns_of
from worker.comments.comment import Comment
from worker.comments.dating import date_comments
from worker.comments.extents import extents_of
from worker.comments.layout import layouts_of
from worker.comments.naming import name_authors
from worker.comments.replies import parents_of
from worker.comments.voting import votes_of
from worker.pages.flat import FlatDocument


def read_comments(
    page: FlatDocument, records: Sequence[HtmlElement], url: str
) -> tuple[Comment, ...]:
    """Read the comments of a page.

    They are made from one template, so what each part of it is, is decided over all of them
    together: a text that all show at one place is a button, a place where most show a date is
    the date's.

    Parameters
    ----------
    page
        All of the page.
    records
        Elements of the page that hold one comment each, in document order, possibly nested in
        each other.
    url
        Address of the page.

    Returns
    -------
    tuple of Comment
        One for each record, in the same order.
    """
    return read_places(page, page.places_of(records), url) if records else ()


def read_places(page: FlatDocument, records: Sequence[int], url: str) -> tuple[Comment, ...]:
    """Read the comments of a page as `read_comments` does, which are told by their places."""
    language = page.attributes.of(0).get("lang")
    extents = extents_of(page, records)
    layouts = layouts_of(page, extents)
    columns = columns_of(layouts)
    named = name_authors(layouts, columns)
    dated = date_comments(layouts, columns, named, language)
    texts = bodies_of(layouts, named, dated)
    parents = parents_of(page, extents, layouts, named)
    permalinks = permalinks_of(page, extents, layouts, dated, url)
    votes = votes_of(layouts, columns)
    return tuple(
        Comment(
            text=text,
            parent=parents[number],
            permalink=permalinks[number],
            votes=votes[number],
            author=named[number].name if number in named else None,
            date=dated[number].moment if number in dated else None,
            written_date=(dated[number].written or None) if number in dated else None,
        )
        for number, text in enumerate(texts)
    )
