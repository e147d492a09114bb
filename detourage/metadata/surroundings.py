"""The lines around a body, where a page displays its lead, authors and date."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from detourage.html.flat import Booleans
from detourage.reader.finding import FoundBody
from detourage.reader.knowledge import digest_of
from detourage.reader.outline import Outline
from detourage.text import words
from detourage.text.texts import Count

Place = Literal["above", "before", "opening", "closing", "after"]
"""Position of a line relative to the headline and the body."""

MAX_CHARACTERS = 200  # length, in characters, of a line outside the body that describes the article
LINES_ABOVE = 12  # number of lines examined above the headline (or the body if none is displayed)
LINES_BEFORE = 40  # maximum number of lines examined between headline and body
LINES_WITHIN = 4  # number of lines examined at either end of the body

LINES_AFTER = 8
"""Number of lines examined after the body; lower ones belong to comments and other articles."""

LINES_FARTHER = 300
"""Maximum number of lines on either side of the body searched for a date missing nearby."""

MAX_ENCLOSING = 4  # enclosing elements whose names and attributes count as a text's own
MAX_TOKENS_AROUND = 60  # tokens in an element whose name describes its lines

_EMPTY: frozenset[str] = frozenset()


class Part(NamedTuple):
    """A text node of a note; `names` are words from classes, IDs, ``rel`` and so on around it."""

    text: str
    names: frozenset[str] = _EMPTY
    is_linked: bool = False


@dataclass(frozen=True)
class Note:
    """A line near the body; `moment` is the date of a ``time`` element around it, or empty."""

    place: Place
    parts: tuple[Part, ...]
    moment: str = ""
    is_linked: bool = False

    @cached_property
    def text(self) -> str:
        """The line with spaces between its parts, which a style sheet may separate visually."""
        return " ".join(part.text for part in self.parts)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all parts."""
        return _EMPTY.union(*(part.names for part in self.parts))


class Surroundings:
    """The lines around a body.

    Lines that other pages of the template share are part of the template, except between headline
    and body, because several pages may name the same author.
    """

    def __init__(
        self,
        page: Outline,
        finding: FoundBody,
        heading: int | None,
        template_lines: Collection[int] = frozenset(),
    ) -> None:
        self._page = page
        self._names: dict[int, frozenset[str]] = {}
        self._own: dict[int, frozenset[str]] = {}
        self._nearest: dict[int, list[int]] = {}
        self._lines = page.lines
        self._template_lines = template_lines
        numbers = finding.lines
        if numbers is None:
            start, end = page.text_starts[finding.container], page.text_ends[finding.container]
            numbers = frozenset(text.line for text in page.texts[start:end])
        in_order = page.text_lines[page.line_starts]
        self._headline: int | None = None
        if heading is not None and page.text_starts[heading] < page.text_ends[heading]:
            line = page.texts[page.text_starts[heading]].line
            self._headline = int(np.searchsorted(in_order, line))
        self._body = np.flatnonzero(np.isin(in_order, [*numbers])).tolist()
        if self._headline in self._body:
            self._body.remove(self._headline)

    @cached_property
    def notes(self) -> Sequence[Note]:
        """The short lines before the body, at its ends and after it, in page order."""
        notes = (self._note(position, place) for position, place in sorted(self._places().items()))
        return [note for note in notes if note is not None]

    @property
    def farther_notes(self) -> Iterator[Note]:
        """Other short lines that may state a date: above the body, nearest first, then below."""
        places = self._places()
        first, last = (self._body[0], self._body[-1]) if self._body else (0, -1)
        above = range(first - 1, max(-1, first - 1 - LINES_FARTHER), -1)
        below = range(last + 1, min(len(self._lines), last + 1 + LINES_FARTHER))
        sides: tuple[tuple[range, Place], ...] = ((above, "above"), (below, "after"))
        for positions, place in sides:
            wanted = (at for at in positions if self._may_state_date[at] and at not in places)
            yield from filter(None, (self._note(position, place) for position in wanted))

    @cached_property
    def _may_state_date(self) -> Booleans:
        """Whether each line contains a digit or is in an element for dates."""
        page = self._page
        has_digit = page.tokenised.texts.count(Count.DECIMALS)[page.tokenised.of_lines] > 0
        is_timed = page.flat.within(page.flat.having(("time",)))[page.text_parents]
        return has_digit | np.logical_or.reduceat(is_timed, page.line_starts)

    def _places(self) -> dict[int, Place]:
        if not self._body:
            return {}
        first, last = self._body[0], self._body[-1]
        headline = first if self._headline is None else min(self._headline, first)
        inside = sorted({*range(first, last)}.difference(self._body))
        places: dict[int, Place] = {}
        places.update(dict.fromkeys(range(max(0, headline - LINES_ABOVE), headline), "above"))
        if self._headline is not None:
            start = max(headline + 1, first - LINES_BEFORE)
            places.update(dict.fromkeys(range(start, first), "before"))
        for positions in (self._body, inside):
            places.update(dict.fromkeys(positions[-LINES_WITHIN:], "closing"))
            places.update(dict.fromkeys(positions[:LINES_WITHIN], "opening"))
        end = min(len(self._lines), last + 1 + LINES_AFTER)
        places.update(dict.fromkeys(range(last + 1, end), "after"))
        return places

    def _note(self, position: int, place: Place) -> Note | None:
        nodes = self._lines[position]
        is_body = place in ("opening", "closing")
        if not is_body and sum(len(node.text) for node in nodes) > 4 * MAX_CHARACTERS:
            return None
        if self._template_lines and place not in ("before", "opening"):
            line = words.tokens("".join(node.text for node in nodes))
            if digest_of(line) in self._template_lines:
                return None
        parts = tuple(
            Part(text, self._names_around(node.parent), self._page.links[node.parent] >= 0)
            for node in nodes
            if (text := words.clean(node.text))
        )
        if not parts or (not is_body and sum(len(p.text) for p in parts) > MAX_CHARACTERS):
            return None
        moments = (self._moment(node.parent) for node in nodes[:8])
        is_linked = self._page.links[nodes[0].parent] >= 0
        return Note(place, parts, next(filter(None, moments), ""), is_linked)

    def _names_around(self, index: int) -> frozenset[str]:
        if index not in self._names:
            self._names[index] = _EMPTY.union(*map(self._own_names, self._around(index)))
        return self._names[index]

    def _around(self, index: int) -> Sequence[int]:
        """Return an element and its enclosing elements, as long as they contain little else."""
        known = self._nearest.get(index)
        if known is None:
            known = self._nearest[index] = []
            while index >= 0 and len(known) < MAX_ENCLOSING:
                if self._page.size(index) > MAX_TOKENS_AROUND:
                    break
                known.append(index)
                index = self._page.parents[index]
        return known

    def _own_names(self, index: int) -> frozenset[str]:
        if index not in self._own:
            marks = (self._page.flat.values(name).get(index) for name in ("rel", "itemprop"))
            mark_words = {mark.strip().lower() for mark in marks if mark}
            self._own[index] = self._page.name_words(index) | mark_words
        return self._own[index]

    def _moment(self, index: int) -> str:
        times = (each for each in self._around(index) if self._page.tags[each] == "time")
        return next((self._page.flat.values("datetime").get(time, "") for time in times), "")
