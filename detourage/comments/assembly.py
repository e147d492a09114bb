"""Assembly of comments from their text, author, date, parent, permalink and votes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

from detourage.comments.authors import FoundAuthor, find_authors
from detourage.comments.bodies import Body, read_bodies
from detourage.comments.comment import Comment, CommentParts
from detourage.comments.dates import FoundDate, find_comment_dates
from detourage.comments.extents import Extent, find_extents
from detourage.comments.layout import Column, Layout, lay_out
from detourage.comments.permalinks import find_permalinks
from detourage.comments.replies import find_parents
from detourage.comments.votes import find_votes
from detourage.html.flat import FlatDocument
from detourage.records import record


@record
class Reading:
    """Comments of a page, whose texts and other parts are read when needed.

    `records` are the indices of the elements that contain one comment each, in document order and
    possibly nested. Because comments share a template, the meaning of each place is decided for all
    comments at once. For example, the same text in all of them is a button, and a place with a date
    in most of them has the dates of the comments.
    """

    page: FlatDocument
    records: Sequence[int]
    url: str
    extents: Sequence[Extent]
    layouts: Sequence[Layout]
    columns: Sequence[Column]

    @classmethod
    def of(cls, page: FlatDocument, records: Sequence[int], url: str) -> Self:
        """Lay out comments (at least one)."""
        extents = find_extents(page, records)
        return cls(page, records, url, extents, *lay_out(page, extents))

    @cached_property
    def authors(self) -> Mapping[int, FoundAuthor]:
        """The authors that were found, by comment number."""
        return find_authors(self.layouts, self.columns)

    @cached_property
    def dates(self) -> Mapping[int, FoundDate]:
        """The dates that were found, by comment number."""
        language = self.page.attributes.by_element("lang").get(0)
        return find_comment_dates(self.layouts, self.columns, language)

    @cached_property
    def _bodies(self) -> list[Body]:
        return read_bodies(self.layouts, self.authors, self.dates)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The comments, one per record."""
        page, layouts, authors, dates = self.page, self.layouts, self.authors, self.dates
        parents = find_parents(page, self.extents, layouts, authors)
        permalinks = find_permalinks(page, self.extents, layouts, dates, self.url)
        votes = find_votes(layouts, self.columns)
        return tuple(
            Comment(
                text=body.text,
                parent=parents[number],
                permalink=permalinks[number],
                votes=votes[number],
                author=authors[number].name if number in authors else None,
                date=dates[number].moment if number in dates else None,
                written_date=(dates[number].written or None) if number in dates else None,
                element=self.records[number],
                texts=(places[0], places[-1]) if places else (),
            )
            for number, body in enumerate(self._bodies)
            for places in [sorted(layouts[number].text_places[node] for node in body.nodes)]
        )

    def locate_parts(self, confidence: float) -> CommentParts:
        """Locate the authors, dates and texts of the comments."""
        layouts, authors, dates = self.layouts, self.authors.items(), self.dates.items()
        return CommentParts(
            elements=tuple(row for extent in self.extents for row in extent.rows),
            authors=_texts_below((layouts[number], each.element) for number, each in authors),
            dates=_texts_below((layouts[number], each.element) for number, each in dates),
            bodies=frozenset(
                layout.text_places[node]
                for layout, body in zip(layouts, self._bodies, strict=True)
                for node in body.nodes
            ),
            confidence=confidence,
        )


def read_comments(page: FlatDocument, records: Sequence[int], url: str) -> tuple[Comment, ...]:
    """Read the comments of a page, one per record (see `Reading`)."""
    return Reading.of(page, records, url).comments if records else ()


def with_content(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    """Drop comments without text; replies to them become replies to the nearest kept ancestor."""
    kept = [number for number, comment in enumerate(comments) if comment.text]
    if len(kept) == len(comments):
        return tuple(comments)
    new_numbers = {number: new_number for new_number, number in enumerate(kept)}

    def new_parent(number: int) -> int | None:
        dropped: set[int] = set()
        parent = comments[number].parent
        while parent is not None and parent not in new_numbers and parent not in dropped:
            dropped.add(parent)
            parent = comments[parent].parent
        return new_numbers.get(parent) if parent is not None else None

    return tuple(replace(comments[number], parent=new_parent(number)) for number in kept)


def _texts_below(elements: Iterable[tuple[Layout, int]]) -> frozenset[int]:
    return frozenset(
        place
        for layout, index in elements
        for place in layout.text_places[layout.text_starts[index] : layout.text_ends[index]]
    )
