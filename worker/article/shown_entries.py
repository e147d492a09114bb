"""Entries displayed in a live report: similar blocks, each with its own time."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import time, timedelta
from itertools import pairwise
from operator import itemgetter

import numpy as np

from worker.article.entry import Entry
from worker.article.live import LIVE_NAMES
from worker.article.metadata.authors import names_in
from worker.comments import Comment
from worker.comments.candidates import find_candidates
from worker.comments.elements import PageElements
from worker.html import Page
from worker.html.addresses import split_url
from worker.html.elements import HEADINGS
from worker.html.flat import FlatDocument
from worker.html.names import split_words
from worker.html.text import paragraphs
from worker.text.dates import Moment, find_dates, parse_moment
from worker.text.wordlists import listed
from worker.text.words import clean, count_characters, tokens

MAX_SHOWN = 1_000
"""Maximum number of entries read."""

MIN_SHOWN = 3
"""Minimum number of blocks with a time; just two may be the publication and modification dates."""

MIN_DATED = 0.6
"""Minimum share of blocks that have their own time."""

MIN_NAMED = 0.8
"""Minimum share of blocks with an ID for blocks without one to be ignored."""

MIN_REGULAR = 0.8
"""Minimum share of steps between consecutive times that have the same direction.

The share is below 1 because the time of day jumps back at midnight.
"""

MIN_DISTINCT = 0.5
"""Minimum share of distinct times; a time that all blocks share is the article's."""

MAX_SPAN = timedelta(days=14)
"""Maximum time between the first and the last entry; lists of articles cover a longer period."""

MIN_CHARACTERS = 40
"""Minimum mean length of the entries; those of a match log or a programme are shorter."""

MAX_LINKED = 0.5
"""Maximum share of blocks that start with a link to another page, as teasers do."""

MIN_IN_ARTICLE = 0.5
"""Minimum share of blocks that are part of the article's text."""

MAX_ROWS = 2
"""Maximum number of elements of a block searched for its headline and author."""

MAX_HEAD_TEXTS = 6
"""Maximum number of texts or lines searched for the time at the start of a block."""

MAX_HEAD = 80
"""Maximum length of a text that displays nothing but a time or an author."""

MAX_SOUGHT = 200
"""Maximum number of characters of an entry's text that are searched for in the article."""

MAX_TRIED = 50
"""Maximum number of groups of blocks searched for in the article, which limits the work on hostile
pages."""

MIN_HEADLINE = 15
"""Minimum length of a text that counts as the headline of a teaser."""

MAX_TITLE = 300
"""Maximum length of a title."""

MAX_NAMES = 200
"""Maximum number of characters of classes and IDs that are examined."""

_AFTER_CLOCK = re.compile(r"\s?[-–—:|·•+.]|\s(?=[^\W\d_])")
"""Separator between a time and the text after it on the same line."""

_OF_READERS = listed(
    "comment comments commentlist reply replies discussion disqus kommentar kommentare commentaires"
    " comentarios"
)
_AUTHOR_NAMES = listed("author authors byline autor autore auteur")
_TITLE_NAMES = listed("title headline heading titel titre titulo titolo")
_LEADING = HEADINGS | {"dt"}
"""Elements that act as headings of the elements after them."""

_DATES = ("datepublished", "datecreated")
_TIMES = ("datetime", "data-post-time", "data-time", "data-timestamp", "data-utime", "data-date")
_CLOCK = re.compile(
    r"\W{0,5}(?:(?:at|um|à|a las|alle|ore|kl\.?|klo|o godz\.?|às)\s)?\s?"
    r"(?P<hour>[01]?\d|2[0-3])\s?(?:[:.h]|時|点|시\s)\s?(?P<minute>[0-5]\d)(?:分|분)?(?![\d%])"
    r"(?P<half>\s?[ap]\.?m\b\.?)?(?:\s?(?:uhr|hrs?|h|ч|[A-Z]{2,4})\b)?",
    re.IGNORECASE,
)
_EDGES = " \t-–—:|·•.,+()[]"


@dataclass(frozen=True)
class _ShownTime:
    """The time of a block: a moment or, if `moment` is None, a minute of the day."""

    written: str | None
    moment: Moment | None
    minute: int = 0

    @property
    def order(self) -> float:
        return self.moment.instant.timestamp() if self.moment else 60.0 * self.minute


@dataclass(frozen=True)
class _Block:
    """A block and its time, if any; `rows` are its outermost elements, in order."""

    rows: tuple[int, ...]
    shown_time: _ShownTime | None


def shown_entries(
    page: Page,
    *,
    text: str,
    comments: Sequence[Comment],
    is_live: bool,
    is_declared: bool,
    day: Moment | None,
) -> list[Entry]:
    """Read the live-report entries that a page displays, in page order; their IDs may be empty.

    The blocks must be dated individually and in order, be part of the article's `text`, and not be
    comments. If the page does not call itself a live report (`is_live`), class names in or around
    the blocks must indicate one. If its markup declares a live report (`is_declared`), blocks
    without a time are entries as well. `day` is the day on which all entries were written, or None
    if there may be several.
    """
    shown = _Blocks(page, is_live=is_live, is_declared=is_declared)
    article = _squeezed(text)
    readers = _squeezed("".join(comment.text for comment in comments))
    best, chosen, left = (0, 0), list[_Block](), MAX_TRIED
    for candidate in find_candidates(shown.elements):
        places = candidate.members[:MAX_SHOWN]
        if len(places) < MIN_SHOWN or not shown.may_be(places):
            continue
        blocks = shown.blocks(places)
        dated = [block for block in blocks if block.shown_time is not None]
        rank = len(dated), sum(map(shown.characters, dated))
        if rank > best and left and shown.are_regular(blocks):
            left -= 1
            if shown.are_entries(blocks, article, readers):
                best, chosen = rank, blocks
    return shown.read(shown.entries(chosen), day)


def marked_entries_of(page: Page, places: Sequence[int], day: Moment | None) -> list[Entry]:
    """Read the entries from the elements (`places`) that microdata marks as entries."""
    shown = _Blocks(page, is_live=True, is_declared=True)
    place_of = {number: place for place, number in enumerate(shown.elements.numbers.tolist())}
    rows: list[int] = []
    for place in (place_of[each] for each in places if each in place_of):
        if not rows or place >= shown.elements.ends[rows[-1]]:
            rows.append(place)
    return shown.read(shown.blocks(rows[:MAX_SHOWN]), day)


class _Blocks:
    """The blocks of a page."""

    def __init__(self, page: Page, *, is_live: bool, is_declared: bool) -> None:
        self.elements = PageElements.of(page.flat)
        self._path = _path(page.url)
        self._is_live = is_live
        self._is_declared = is_declared
        self._language = page.flat.attributes.of(0).get("lang")
        self._ends = self.elements.ends.tolist()
        self._parents = self.elements.parents.tolist()
        self._text_starts = self.elements.text_starts.tolist()
        self._text_ends = self.elements.text_ends.tolist()
        lengths = np.cumsum([0, *map(count_characters, self.elements.texts)])
        self._characters = lengths[self.elements.text_ends] - lengths[self.elements.text_starts]
        self._declared_times = sorted(self._times(page.flat), key=itemgetter(0))
        self._numbers = self.elements.numbers.tolist()
        self._number_ends = page.flat.ends
        self._written_at: dict[int, _ShownTime | None] = {}

    def may_be(self, places: Sequence[int]) -> bool:
        """Return whether elements may be blocks of a live report, by their names and positions."""
        if any(after < self._ends[before] for before, after in pairwise(places)):
            return False
        names = [self._names(place) for place in (*places[:MIN_SHOWN], *self._around(places[0]))]
        if any(not _OF_READERS.isdisjoint(split_words(name)) for name in names):
            return False
        return self._is_live or any(map(LIVE_NAMES.search, names))

    def blocks(self, places: Sequence[int]) -> list[_Block]:
        """Return the blocks that consist of the given elements or start with one of them."""
        found = [_Block(rows, self._time_of(rows)) for rows in self._rows(places)]
        named = [block for block in found if self._id(block.rows[0])]
        # If the entries have IDs, a block without one is unrelated.
        return named if len(named) >= MIN_NAMED * len(found) else found

    def entries(self, blocks: Sequence[_Block]) -> list[_Block]:
        """Return the entries: the blocks with a time, merged with those that continue them."""
        if self._is_declared:
            return [*blocks]
        found: list[_Block] = []
        for block in blocks:
            if block.shown_time is not None:
                found.append(block)
            elif found and self.elements.tags[block.rows[0]] not in HEADINGS:
                found[-1] = _Block((*found[-1].rows, *block.rows), found[-1].shown_time)
        return found

    def characters(self, block: _Block) -> int:
        return sum(int(self._characters[row]) for row in block.rows)

    def are_regular(self, blocks: Sequence[_Block]) -> bool:
        """Return whether blocks contain enough text and their times are in order."""
        shown_times = [block.shown_time for block in blocks if block.shown_time is not None]
        least = MIN_SHOWN if self._is_declared else max(MIN_SHOWN, MIN_DATED * len(blocks))
        if len(shown_times) < least or not _is_regular(shown_times):
            return False
        return sum(map(self.characters, blocks)) >= MIN_CHARACTERS * len(blocks)

    def are_entries(self, blocks: Sequence[_Block], article: str, readers: str) -> bool:
        """Return whether blocks are in the article, do not link elsewhere and are not comments."""
        if sum(map(self._is_teaser, blocks)) > MAX_LINKED * len(blocks):
            return False
        texts = [max(self._texts(block), key=len, default="")[:MAX_SOUGHT] for block in blocks]
        sought = [_squeezed(text) for text in texts if count_characters(text) >= MIN_CHARACTERS]
        inside = sum(text in article and text not in readers for text in sought)
        return inside >= max(MIN_SHOWN, MIN_IN_ARTICLE * len(sought))

    def read(self, blocks: Sequence[_Block], day: Moment | None) -> list[Entry]:
        """Read entries from blocks, without those that have no content."""
        authors = self._authors(blocks)
        entries = (self._entry(block, day, authors) for block in blocks)
        found = [entry for entry in entries if entry is not None]
        numbers = [int(digits) for entry in found if (digits := re.sub(r"\D", "", entry.id)[:18])]
        # IDs that number the positions change whenever an entry is added.
        is_counted = len(numbers) > 0 and max(numbers) <= 2 * len(found) + 1
        return [replace(entry, id="") for entry in found] if is_counted else found

    def _rows(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the elements of each block: one element, or a heading or term with its content."""
        tags, starts = self.elements.tags, set(places)
        for place in places:
            rows, after = [place], self._ends[place]
            end = self._ends[self._parents[place]] if tags[place] in _LEADING else after
            while after < end and after not in starts and not _is_above(tags[after], tags[place]):
                rows.append(after)
                after = self._ends[after]
            yield tuple(rows)

    def _texts(self, block: _Block) -> list[str]:
        return [text for row in block.rows for text in self._below(row)]

    def _below(self, place: int) -> Sequence[str]:
        return self.elements.texts[self._text_starts[place] : self._text_ends[place]]

    def _names(self, place: int) -> str:
        classes, identity = self.elements.distinct_names[self.elements.name_numbers[place]]
        return f"{classes[:MAX_NAMES]} {identity[:MAX_NAMES]}"

    def _around(self, place: int) -> Iterator[int]:
        place = self._parents[place]
        while place >= 0:
            yield place
            place = self._parents[place]

    def _inside(self, rows: Sequence[int]) -> Iterator[int]:
        return (place for row in rows for place in range(row, self._ends[row]))

    def _attributes(self, place: int) -> dict[str, str]:
        return self.elements.attributes.of(int(self.elements.numbers[place]))

    def _times(self, page: FlatDocument) -> Iterator[tuple[int, Moment]]:
        """Yield the times that elements declare, displayed or not, with the elements' numbers."""
        marks, contents = page.values("itemprop"), page.values("content")
        of_marks = {
            number: contents[number]
            for number, mark in marks.items()
            if mark.lower() in _DATES and number in contents
        }
        for values in (*map(page.values, _TIMES), of_marks):
            for number, value in values.items():
                moment = parse_moment(value.strip(), self._language)
                if moment is not None and moment.clock is not None:
                    yield number, moment

    def _time_of(self, rows: Sequence[int]) -> _ShownTime | None:
        """Return the time that a block declares, or displays at its start."""
        written = self._written(rows[0])
        own = self._numbers[rows[0]]
        first = bisect_left(self._declared_times, own, key=itemgetter(0))
        if first < len(self._declared_times):
            number, moment = self._declared_times[first]
            if number < self._number_ends[own]:
                return _ShownTime(written.written if written else None, moment)
        return written

    def _written(self, row: int) -> _ShownTime | None:
        start, end = self._text_starts[row], self._text_ends[row]
        for place in range(start, min(end, start + MAX_HEAD_TEXTS)):
            if place not in self._written_at:
                self._written_at[place] = self._time_in(self.elements.texts[place])
            shown_time = self._written_at[place]
            if shown_time is not None:
                return shown_time
        return None

    def _time_in(self, text: str) -> _ShownTime | None:
        date = next(find_dates(text, self._language), None) if len(text) <= MAX_HEAD else None
        if date is not None and date.moment.clock is not None:
            return _ShownTime(text[date.start : date.end], date.moment)
        clock = _CLOCK.match(text)
        if clock is None:
            return None
        is_alone = not text[clock.end() : clock.end() + MAX_HEAD].strip(_EDGES)
        if not is_alone and not _AFTER_CLOCK.match(text, clock.end()):
            return None
        return _ShownTime(clock[0].strip(_EDGES), None, _minute(clock))

    def _is_teaser(self, block: _Block) -> bool:
        """Return whether the headline or the start of a block links to another page."""
        tags = self.elements.tags
        headings = (place for place in self._inside(block.rows[:1]) if tags[place] in HEADINGS)
        heading = next(headings, None)
        if heading is not None:
            inside = range(heading, self._ends[heading])
            return any(map(self._leads_away, (*inside, *self._around(heading))))
        row = block.rows[0]
        first, last = (int(column[row]) for column in (self._text_starts, self._text_ends))
        for place in range(first, last):
            text = self.elements.texts[place]
            if len(text) >= MIN_HEADLINE and not _CLOCK.fullmatch(text):
                parent = int(self.elements.text_parents[place])
                return any(map(self._leads_away, (parent, *self._around(parent))))
        return False

    def _leads_away(self, place: int) -> bool:
        if self.elements.tags[place] != "a":
            return False
        path = _path(self._attributes(place).get("href", ""))
        return path not in ("", self._path)

    def _entry(self, block: _Block, day: Moment | None, authors: Collection[str]) -> Entry | None:
        title, author = self._title_and_author(block)
        written = block.shown_time.written if block.shown_time else None
        lines = self._lines(block)
        beside = _text_beside_time(lines, written)
        if author is None and beside in authors:
            author = beside
        head, body = lines[:MAX_HEAD_TEXTS], lines[MAX_HEAD_TEXTS:]
        parts = [part for part in (written, author) if part]
        body = [rest for line in head if (rest := _without_head(line, parts, title))] + body
        shown_title = _without_head(title, [written]) if title and written else title
        if not body and not shown_title:
            return None
        return Entry(
            id=self._id(block.rows[0]),
            text="\n\n".join(body),
            title=shown_title or None,
            time=_moment(block.shown_time, day),
            written_time=written,
            author=author,
        )

    def _lines(self, block: _Block) -> list[str]:
        return [line for row in block.rows for line in paragraphs(self.elements.elements[row])]

    def _authors(self, blocks: Sequence[_Block]) -> frozenset[str]:
        """Return the names that appear next to the times of several blocks."""
        found = Counter(
            _text_beside_time(self._lines(block), block.shown_time.written)
            for block in blocks
            if block.shown_time
        )
        return frozenset(
            name
            for name, count in found.items()
            if count > 1 and " " in name and names_in(name, is_byline=True) == (name,)
        )

    def _title_and_author(self, block: _Block) -> tuple[str | None, str | None]:
        """Return the title and the author of a block, if its markup identifies them."""
        title = author = None
        for place in self._inside(block.rows[:MAX_ROWS]):
            words = split_words(self._names(place))
            kind = self._attributes(place).get("itemprop", "").lower()
            is_title = self.elements.tags[place] in HEADINGS or kind == "headline"
            if title is None and (is_title or not words.isdisjoint(_TITLE_NAMES)):
                title = self._line(place, MAX_TITLE)
            elif author is None and (kind == "author" or not words.isdisjoint(_AUTHOR_NAMES)):
                names = names_in(self._line(place, MAX_HEAD) or "", is_byline=True)
                author = ", ".join(names) or None
        return title, author

    def _line(self, place: int, most: int) -> str | None:
        if not 0 < self._characters[place] <= most:
            return None
        return clean(" ".join(self._below(place))) or None

    def _id(self, row: int) -> str:
        attributes = self._attributes(row)
        found = attributes.get("id") or attributes.get("data-id") or ""
        return clean(found) if any(map(str.isdigit, found)) and len(found) <= MAX_NAMES else ""


def _is_above(tag: str, heading: str) -> bool:
    """Return whether an element ends the section below a heading or term."""
    return tag in _LEADING and tag <= heading


def _is_regular(shown_times: Sequence[_ShownTime]) -> bool:
    """Return whether times increase or decrease regularly, as in a live report."""
    if len({each.moment is None for each in shown_times}) > 1:
        return False
    orders = [each.order for each in shown_times]
    steps = [(before < after) - (before > after) for before, after in pairwise(orders)]
    moving = sum(map(abs, steps))
    if abs(sum(steps)) < (2 * MIN_REGULAR - 1) * moving or moving == 0:
        return False
    if len(set(orders)) < MIN_DISTINCT * len(orders):
        return False
    return max(orders) - min(orders) <= MAX_SPAN.total_seconds()


def _minute(clock: re.Match[str]) -> int:
    hour = int(clock["hour"])
    half = (clock["half"] or "").strip().lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return 60 * hour + int(clock["minute"])


def _moment(shown_time: _ShownTime | None, day: Moment | None) -> Moment | None:
    if shown_time is None or shown_time.moment is not None or day is None:
        return shown_time.moment if shown_time else None
    return Moment(day.day, time(*divmod(shown_time.minute, 60)))


def _text_beside_time(lines: Sequence[str], written: str | None) -> str:
    """Return the text on the same line as the time of a block, or an empty string."""
    for line in lines[:MAX_HEAD_TEXTS]:
        if written and line.startswith(written) and len(line) <= MAX_HEAD:
            return line.removeprefix(written).strip(_EDGES)
    return ""


def _without_head(line: str, beside: Sequence[str], title: str | None = None) -> str:
    """Strip the time and the author from the start of a line; empty if only the title remains."""
    rest = line
    for part in sorted(beside, key=line.find):
        cut = rest.lstrip(_EDGES)
        if cut.startswith(part):
            rest = cut.removeprefix(part).lstrip(_EDGES)
    shows_no_more = not tokens(rest) or _CLOCK.fullmatch(rest) or line == title or rest == title
    return "" if shows_no_more else rest


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _path(address: str) -> str:
    return split_url(address).path.rstrip("/")
