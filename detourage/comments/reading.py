"""The text, author, date, parent, permalink and votes of each comment."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urldefrag

from lxml.html import HtmlElement

from detourage.comments.bodies import Body, bodies_of
from detourage.comments.comment import Comment
from detourage.comments.dating import Dating, date_comments
from detourage.comments.extents import Extent, extents_of
from detourage.comments.layout import Column, Layout, columns_of, layouts_of
from detourage.comments.naming import Naming, name_authors
from detourage.comments.replies import parents_of
from detourage.html.addresses import absolute, base_of
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.text.relative import resolve_relative
from detourage.text.words import listed

_LINK_NAMES = listed("permalink bookmark")


def permalinks_of(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    dated: Mapping[int, Dating],
    url: str,
) -> list[str | None]:
    """Return the absolute permalink of each comment, or None.

    It is a link labelled as permanent, or else the link on the date or to an anchor inside the
    comment, or else the page's URL with the comment's ID.
    """
    base = base_of(Node(page, 0), url)
    links = [next(_links(layout, dated.get(number)), "") for number, layout in enumerate(layouts)]
    # A link to the top of the page is not a permalink.
    found = [absolute(link, base) if link.strip() != "#" else None for link in links]
    if not any(found):
        found = [absolute(_anchor(page, extent), url) for extent in extents]
    # A target that several comments share is the page itself or an author's profile.
    counts = Counter(found)
    return [address if counts[address] == 1 else None for address in found]


def _links(layout: Layout, dating: Dating | None) -> Iterator[str]:
    links = [index for index, tag in enumerate(layout.tags) if tag == "a"]
    for index in links:
        if layout.names[index] & _LINK_NAMES:
            yield layout.get(index, "href") or ""
    if dating is not None:
        for index in links:
            # The link is around the date or inside it.
            if index <= dating.element < layout.ends[index] or (
                dating.element <= index < layout.ends[dating.element]
            ):
                yield layout.get(index, "href") or ""
    addresses = [layout.get(index, "href") or "" for index in links]
    fragments = [urldefrag(each).fragment if "#" in each else "" for each in addresses]
    if any(fragments):
        ids, names = layout.attributes.by_element("id"), layout.attributes.by_element("name")
        own = {ids.get(place) or names.get(place) for place in layout.places}
        for address, fragment in zip(addresses, fragments, strict=True):
            if fragment and fragment in own:
                yield address


def _anchor(page: FlatDocument, extent: Extent) -> str:
    names = (page.distinct_names[page.name_numbers[row]][1] for row in extent.rows)
    return next((f"#{name}" for name in names if name), "")


MAX_VOTES = 10**12  # votes; larger numbers have another meaning

_VOTE_NAMES = listed(
    "vote votes voting like likes liked score points karma upvotes upvote rating ratings"
    " recommend recommendations recommended thumbs reaction reactions useful helpful plus kudos"
    " dank oceny"
)
_AGAINST = listed("dislike dislikes downvote downvotes minus negative down")
_UNIT = (
    r"(?:likes?|votes?|points?|people like(?:d)? this|gefällt(?: mir)?|punkte|stimmen|j[’']aime"
    r"|me gusta|mi piace|голос\w*|лайк\w*|recommend\w*|thanks)"
)
_VOTES = re.compile(
    r"^[^\w+−–-]*+(?P<sign>[-−–+]?)(?P<number>\d{1,3}(?:[.,\s]\d{3})++|\d+(?:[.,]\d)?)(?P<thousands>\s?k\b)?"
    rf"\s*+(?P<unit>{_UNIT})?\W*+$",
    re.IGNORECASE,
)


def votes_of(layouts: Sequence[Layout], columns: Sequence[Column]) -> list[int | None]:
    """Return the votes displayed with each comment, at the same place in all of them, or None."""
    best: tuple[float, dict[int, int]] = (0.0, {})
    for column in columns:
        found: dict[int, int] = {}
        marks = 0
        for number, value in column.values.items():
            votes = _read(value.text)
            if votes is not None:
                found[number] = votes
                marks += _is_vote_count(layouts[number], value.element, value.text)
        if found and 2 * marks > len(found):
            share = len(found) / len(layouts) * len(found) / len(column.values)
            if share > best[0]:
                best = share, found
    return [best[1].get(number) for number in range(len(layouts))]


def _read(text: str) -> int | None:
    found = _VOTES.match(text)
    if found is None:
        return None
    written = found["number"]
    if found["thousands"]:
        number = round(float(written.replace(",", ".").replace(" ", "")) * 1_000)
    else:
        number = int(re.sub(r"\D", "", written))
    if number > MAX_VOTES:
        return None
    return -number if found["sign"] in ("-", "−", "–") else number


def _is_vote_count(layout: Layout, index: int, text: str) -> bool:
    names: frozenset[str] = frozenset()
    for _ in range(3):
        if index < 0:
            break
        names |= layout.names[index]
        index = layout.parents[index]
    if names & _AGAINST:
        return False
    shown = _VOTES.match(text)
    return bool(names & _VOTE_NAMES or (shown and shown["unit"]))


@dataclass(frozen=True)
class CommentParts:
    """Locations of the parts of a page's comments.

    `elements` are the indices of the elements that contain the comments, in page order. The other
    fields are text indices in the page: those of authors, dates and texts. `confidence` is the
    probability that these are comments or posts.
    """

    elements: tuple[int, ...]
    authors: frozenset[int]
    dates: frozenset[int]
    bodies: frozenset[int]
    confidence: float


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
            texts=(places[0], places[-1]) if places else (),
        )
        for number, body in enumerate(bodies)
        for places in [sorted(layouts[number].text_places[node] for node in body.nodes)]
    )


def with_content(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    """Drop comments without text; replies to them become replies to their parents."""
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


def locate_parts(
    page: FlatDocument, records: Sequence[HtmlElement], confidence: float
) -> CommentParts:
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
        confidence=confidence,
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
    dated = date_comments(layouts, columns, page.attributes.of(0).get("lang"))
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
        replace(comment, date=resolve_relative(comment.written_date, fetched_at, language))
        if comment.date is None and comment.written_date is not None
        else comment
        for comment in comments
    )
