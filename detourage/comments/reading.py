"""The text, author, date, parent, permalink and votes of each comment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from lxml.html import HtmlElement

from detourage.comments.addresses import permalinks_of
from detourage.comments.bodies import Body, bodies_of
from detourage.comments.columns import Column, columns_of
from detourage.comments.comment import Comment
from detourage.comments.dating import Dating, date_comments
from detourage.comments.extents import Extent, extents_of
from detourage.comments.layout import Layout, layouts_of
from detourage.comments.naming import Naming, name_authors
from detourage.comments.replies import parents_of
from detourage.comments.voting import votes_of
from detourage.html.flat import FlatDocument
from detourage.text.relative import moment_before


@dataclass(frozen=True)
class CommentParts:
    """Locations of the parts of a page's comments.

    `elements` are the indices of the elements that contain the comments, in page order. The other
    fields are text indices in the page: those of authors, dates and the readers' texts.
    """

    elements: tuple[int, ...]
    authors: frozenset[int]
    dates: frozenset[int]
    bodies: frozenset[int]


class _Parts(NamedTuple):
    extents: list[Extent]
    layouts: list[Layout]
    columns: list[Column]
    named: Mapping[int, Naming]
    dated: Mapping[int, Dating]
    bodies: list[Body]


def read_comments(
    page: FlatDocument, records: Sequence[HtmlElement], url: str
) -> tuple[Comment, ...]:
    """Read the comments of a page, one per record.

    Each of the `records` contains one comment; they are in document order and possibly nested.
    Because comments share a template, the meaning of each part is decided for all of them together:
    a text at the same place in all comments is a button, and a place where most comments have a
    date holds their dates.
    """
    return read_places(page, page.places_of(records), url) if records else ()


def read_places(page: FlatDocument, records: Sequence[int], url: str) -> tuple[Comment, ...]:
    """Read the comments of a page like `read_comments`, given the indices of their elements."""
    extents, layouts, columns, named, dated, bodies = _parts_of(page, records)
    parents = parents_of(page, extents, layouts, named)
    permalinks = permalinks_of(page, extents, layouts, dated, url)
    votes = votes_of(layouts, columns)
    return tuple(
        Comment(
            text=body.text,
            parent=parents[number],
            permalink=permalinks[number],
            votes=votes[number],
            author=named[number].name if number in named else None,
            date=dated[number].moment if number in dated else None,
            written_date=(dated[number].written or None) if number in dated else None,
            element=records[number],
            texts=_ends_of([layouts[number].text_places[node] for node in body.nodes]),
        )
        for number, body in enumerate(bodies)
    )


def _ends_of(places: Sequence[int]) -> tuple[int, ...]:
    return (min(places), max(places)) if places else ()


def with_content(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    """Drop comments without text, such as forms for a new comment and removed comments.

    Replies to a dropped comment become replies to its parent.
    """
    kept = [number for number, comment in enumerate(comments) if comment.text]
    if len(kept) == len(comments):
        return tuple(comments)
    place_of = {number: place for place, number in enumerate(kept)}

    def parent_of(number: int) -> int | None:
        seen: set[int] = set()
        parent = comments[number].parent
        while parent is not None and parent not in place_of and parent not in seen:
            seen.add(parent)
            parent = comments[parent].parent
        return place_of.get(parent) if parent is not None else None

    return tuple(replace(comments[number], parent=parent_of(number)) for number in kept)


def locate_parts(page: FlatDocument, records: Sequence[HtmlElement]) -> CommentParts:
    """Locate the authors, dates and texts of a page's comments (at least one)."""
    extents, layouts, _, named, dated, bodies = _parts_of(page, page.places_of(records))
    return CommentParts(
        elements=tuple(row for extent in extents for row in extent.rows),
        authors=_texts_below((layouts[number], each.element) for number, each in named.items()),
        dates=_texts_below((layouts[number], each.element) for number, each in dated.items()),
        bodies=frozenset(
            layout.text_places[node]
            for layout, body in zip(layouts, bodies, strict=True)
            for node in body.nodes
        ),
    )


def _texts_below(elements: Iterable[tuple[Layout, int]]) -> frozenset[int]:
    return frozenset(
        place
        for layout, index in elements
        for place in layout.text_places[layout.text_starts[index] : layout.text_ends[index]]
    )


def _parts_of(page: FlatDocument, records: Sequence[int]) -> _Parts:
    extents = extents_of(page, records)
    layouts = layouts_of(page, extents)
    columns = columns_of(layouts)
    named = name_authors(layouts, columns)
    dated = date_comments(layouts, columns, named, page.attributes.of(0).get("lang"))
    return _Parts(extents, layouts, columns, named, dated, bodies_of(layouts, named, dated))


def dated_from(
    comments: Iterable[Comment], fetched_at: datetime | None, language: str | None
) -> tuple[Comment, ...]:
    """Date the comments that only state their age ("3 hours ago").

    `fetched_at` is the time when the page was fetched, with a time zone; if it is None, no comment
    changes. `language` is the page's BCP 47 tag.
    """
    if fetched_at is None:
        return tuple(comments)
    return tuple(
        replace(comment, date=moment_before(comment.written_date, fetched_at, language))
        if comment.date is None and comment.written_date is not None
        else comment
        for comment in comments
    )
