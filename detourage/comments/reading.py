"""The text, author, date, parent, permalink and votes of each comment."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple, Self
from urllib.parse import urldefrag

from detourage.comments.authors import FoundAuthor, find_authors
from detourage.comments.bodies import Body, read_bodies
from detourage.comments.comment import Comment
from detourage.comments.dates import FoundDate, find_comment_dates
from detourage.comments.extents import Extent, find_extents
from detourage.comments.layout import Column, Layout, lay_out
from detourage.comments.names import DOWNVOTE, PERMALINK, VOTE
from detourage.comments.replies import find_parents
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of
from detourage.text.patterns import lazy_pattern
from detourage.text.relative import resolve_relative


def find_permalinks(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    dates: Mapping[int, FoundDate],
    url: str,
) -> list[str | None]:
    """Return the absolute permalink of each comment, or None.

    A permalink is a link labelled as permanent, or else a link on the date or to an anchor in the
    comment, or else the page's URL with the comment's ID as its fragment.
    """
    base = base_of(Node(page, 0), url)
    links = [
        next(_candidate_links(layout, dates.get(number)), "")
        for number, layout in enumerate(layouts)
    ]
    # A link to the top of the page is not a permalink.
    permalinks = [absolute(link, base) if link.strip() != "#" else None for link in links]
    if not any(permalinks):
        permalinks = [absolute(_own_anchor(page, extent), url) for extent in extents]
    # A target that several comments share is the page itself or an author's profile.
    counts = Counter(permalinks)
    return [permalink if counts[permalink] == 1 else None for permalink in permalinks]


def _candidate_links(layout: Layout, date: FoundDate | None) -> Iterator[str]:
    """Yield the links in a comment that may be its permalink, the most reliable first."""
    links = [index for index, tag in enumerate(layout.tags) if tag == "a"]
    for index in links:
        if layout.names[index] & PERMALINK:
            yield layout.get(index, "href") or ""
    if date is not None:
        for index in links:
            # The link is around the date or inside it.
            if index <= date.element < layout.ends[index] or (
                date.element <= index < layout.ends[date.element]
            ):
                yield layout.get(index, "href") or ""
    urls = [layout.get(index, "href") or "" for index in links]
    fragments = [urldefrag(url).fragment if "#" in url else "" for url in urls]
    if any(fragments):
        ids, names = layout.attributes.by_element("id"), layout.attributes.by_element("name")
        anchors = {ids.get(place) or names.get(place) for place in layout.places}
        for link_url, fragment in zip(urls, fragments, strict=True):
            if fragment and fragment in anchors:
                yield link_url


def _own_anchor(page: FlatDocument, extent: Extent) -> str:
    """Return the link to the ID of a comment, such as ``#comment-5``, or an empty string."""
    ids = (page.distinct_names[page.name_numbers[row]][1] for row in extent.rows)
    return next((f"#{identity}" for identity in ids if identity), "")


MAX_VOTES = 10**12  # maximum votes for a comment; a larger number has another meaning
_UNIT = (
    r"(?:likes?|votes?|points?|people like(?:d)? this|gefällt(?: mir)?|punkte|stimmen|j[’']aime"
    r"|me gusta|mi piace|голос\w*|лайк\w*|recommend\w*|thanks)"
)
_VOTES = lazy_pattern(  # "+12 likes", "1,234 points", "1.2k"
    r"^[^\w+−–-]*+(?P<sign>[-−–+]?)(?P<number>\d{1,3}(?:[.,\s]\d{3})++|\d+(?:[.,]\d)?)(?P<thousands>\s?k\b)?"
    rf"\s*+(?P<unit>{_UNIT})?\W*+$",
    re.IGNORECASE,
)


def find_votes(layouts: Sequence[Layout], columns: Sequence[Column]) -> list[int | None]:
    """Return the votes of each comment, or None; they are at the same place in all comments."""
    best: dict[int, int] = {}
    best_share = 0.0
    for column in columns:
        found: dict[int, int] = {}
        labelled = 0
        for number, element, text in column.values:
            votes = _parse_votes(text)
            if votes is not None:
                found[number] = votes
                labelled += _is_labelled_as_votes(layouts[number], element, text)
        if found and 2 * labelled > len(found):
            share = len(found) / len(layouts) * len(found) / len(column.texts)
            if share > best_share:
                best, best_share = found, share
    return [best.get(number) for number in range(len(layouts))]


def _parse_votes(text: str) -> int | None:
    """Return the votes that make up a text (negative after a minus sign), or None."""
    match = _VOTES.match(text)
    if match is None:
        return None
    digits = match["number"]
    if match["thousands"]:
        number = round(float(digits.replace(",", ".").replace(" ", "")) * 1_000)
    else:
        number = int(re.sub(r"\D", "", digits))
    if number > MAX_VOTES:
        return None
    return -number if match["sign"] in ("-", "−", "–") else number


def _is_labelled_as_votes(layout: Layout, index: int, text: str) -> bool:
    """Return whether the text itself, or a class of the nearest elements, mentions votes."""
    names = 0
    for _ in range(3):
        if index < 0:
            break
        names |= layout.names[index]
        index = layout.parents[index]
    if names & DOWNVOTE:
        return False
    match = _VOTES.match(text)
    return bool(names & VOTE or (match and match["unit"]))


class CommentParts(NamedTuple):
    """Locations of the parts of a page's comments.

    `elements` are the indices of the elements that contain the comments, in page order. `authors`,
    `dates` and `bodies` are the indices of the text nodes that display these parts. `confidence` is
    the probability that these are comments or posts.
    """

    elements: tuple[int, ...]
    authors: frozenset[int]
    dates: frozenset[int]
    bodies: frozenset[int]
    confidence: float


@dataclass(frozen=True, eq=False)
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


def dated_from(
    comments: Iterable[Comment], fetched_at: datetime | None, language: str | None
) -> tuple[Comment, ...]:
    """Return the comments with relative dates ("3 hours ago") resolved to absolute ones.

    `fetched_at` is the time when the page was fetched, with a time zone; if it is None, the
    comments do not change. `language` is the page's BCP 47 tag.
    """
    if fetched_at is None:
        return tuple(comments)
    return tuple(
        replace(comment, date=resolve_relative(comment.written_date, fetched_at, language))
        if comment.date is None and comment.written_date is not None
        else comment
        for comment in comments
    )
