"""Weak labels: roles of lines that are inferred from a page's gold record.

A line that equals the title is the headline. Outside the gold text, a short line with an author's
name is a byline, and text in a caption element is a caption. Most lines get no role.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from detourage.html.text import HEADINGS
from detourage.inference import Features
from detourage.roles import LineRole
from detourage.text import words

IN_GOLD = 0.8
"""Minimum share of a line's words that the gold text must contain for the line to certainly belong
to the text."""

NOT_IN_GOLD = 0.3
"""A line certainly does not belong to the text if the gold text contains less than this share of
its words."""

LONG = 6
"""Minimum number of words of a line that serves to locate the article."""

LINES_BEFORE = 20
LINES_AFTER = 15
"""Maximum distance from the article, in lines, at which a line can get a role."""

LINES_TO_LEAD = 12
"""Maximum distance of the lead from the start of the article, in lines."""

MAX_BYLINE = 9
MAX_DATELINE = 12
MAX_CELL = 12
"""Maximum number of words in a byline, a dateline or a table cell."""

MIN_CAPTION = 4
MIN_QUOTE = 6
MIN_PARAGRAPH = 25
"""Minimum number of words in a caption, a quote or a paragraph."""

DATED = 0.4
"""Minimum share of a line's words that belong to a date for the line to be a dateline."""


@dataclass(frozen=True, eq=False)
class KnownLines:
    """The lines of a page with what is known about them.

    `shares` gives, for each line, the share of its words that the gold text contains; `lead` marks
    a lead that the gold record separates from its text. `title`, `authors` and `captions` come from
    the gold record.
    """

    tokens: Sequence[Sequence[str]]
    features: Features
    tags: Sequence[str]
    shares: npt.NDArray[np.float64]
    lead: npt.NDArray[np.bool_]
    title: str = ""
    authors: Sequence[str] = ()
    captions: Sequence[str] = ()


def weak_roles(page: KnownLines) -> list[LineRole | None]:
    """Return the inferred role of each line of a page, or None."""
    roles: list[LineRole | None] = [None] * len(page.tokens)
    lengths = np.array([*map(len, page.tokens)])
    inside = np.flatnonzero((page.shares > 0.5) & (lengths >= LONG))
    if not len(inside):
        return roles
    start, end = int(inside[0]), int(inside[-1])
    outer, inner = _Outer(page, start), _Inner(page)
    near = range(max(0, start - LINES_BEFORE), min(len(roles), end + LINES_AFTER))
    for place in near:
        if page.lead[place] and start - LINES_TO_LEAD <= place <= start + LONG:
            roles[place] = "lead"
        elif page.shares[place] < NOT_IN_GOLD or place < start:
            roles[place] = outer.role_of(place)
        elif page.shares[place] > IN_GOLD and place <= end:
            roles[place] = inner.role_of(place)
    return roles


class _Outer:
    def __init__(self, page: KnownLines, start: int) -> None:
        self._page = page
        self._start = start
        self._title = tuple(words.tokens(page.title))
        names = (frozenset(words.tokens(name)) for name in page.authors)
        self._authors = [name for name in names if 0 < len(name) <= MAX_BYLINE // 2]
        captions = (frozenset(words.tokens(caption)) for caption in page.captions)
        self._captions = [caption for caption in captions if caption]
        self._in_caption = _column(page.features, "within_figcaption")
        self._has_date = _column(page.features, "has_date")
        self._dated = _column(page.features, "date_share")

    def role_of(self, place: int) -> LineRole | None:
        tokens = self._page.tokens[place]
        known = frozenset(tokens)
        if self._title and tuple(tokens) == self._title and place <= self._start + 1:
            return "title"
        if any(len(known & each) >= IN_GOLD * len(each) for each in self._captions):
            return "caption"
        if any(name <= known for name in self._authors):
            return "byline" if len(tokens) <= MAX_BYLINE else None
        if self._in_caption[place]:
            return "caption" if len(tokens) >= MIN_CAPTION else None
        is_dated = self._has_date[place] > 0 and self._dated[place] >= DATED
        if is_dated and len(tokens) <= MAX_DATELINE and place <= self._start + 2:
            return "dateline"
        return None


class _Inner:
    def __init__(self, page: KnownLines) -> None:
        self._page = page
        self._ends_sentence = _column(page.features, "ends_sentence")
        self._in_caption = _column(page.features, "within_figcaption")
        self._within = {
            name: _column(page.features, f"within_{name}") for name in ("quote", "code", "table")
        }

    def role_of(self, place: int) -> LineRole | None:
        size, tag = len(self._page.tokens[place]), self._page.tags[place]
        if self._in_caption[place]:
            return None
        return next(iter(self._roles(place, size, tag)), None)

    def _roles(self, place: int, size: int, tag: str) -> Iterator[LineRole]:
        if self._within["quote"][place] and size >= MIN_QUOTE:
            yield "quote"
        elif self._within["code"][place]:
            yield "code"
        elif self._within["table"][place] and size <= MAX_CELL:
            yield "table"
        elif tag in HEADINGS and tag != "h1":
            yield "heading"
        elif tag == "li":
            yield "list_item"
        elif tag == "p" and size >= MIN_PARAGRAPH and self._ends_sentence[place]:
            yield "paragraph"


def _column(features: Features, name: str) -> npt.NDArray[np.float32]:
    column: npt.NDArray[np.float32] = features.rows[:, features.columns.index(name)]
    return column
