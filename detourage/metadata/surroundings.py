"""The lines around a body, where a page displays its lead, authors and date."""

import re
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

# Position of a line relative to the headline and the body.
Place = Literal["above", "before", "opening", "closing", "after"]
MAX_CHARACTERS = 200  # length, in characters, of a line outside the body that describes the article
LINES_ABOVE = 12  # lines examined above the headline (or the body if none is displayed)
LINES_BEFORE = 40  # lines examined between headline and body
LINES_WITHIN = 4  # lines examined at either end of the body
LINES_OPENING = 12  # lines of the body after which an excluded line is not at its beginning
LINES_AFTER = 8  # lines examined after the body; lower ones belong to comments or other articles
LINES_FARTHER = 300  # lines on either side of the body searched for a date missing nearby
MAX_ENCLOSING = 4  # enclosing elements whose names and attributes count as a text's own
MAX_TOKENS_AROUND = 60  # tokens in an element whose name describes its lines
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")  # start of an exact date in a ``title``
_NO_NAMES: frozenset[str] = frozenset()


class Part(NamedTuple):
    """A text node of a line; `names` are words from tags, classes, IDs and so on around it."""

    text: str
    names: frozenset[str] = _NO_NAMES
    is_linked: bool = False


@dataclass(frozen=True)
class NearbyLine:
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
        return _NO_NAMES.union(*(part.names for part in self.parts))


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
        self._names_by_element: dict[int, frozenset[str]] = {}
        self._own_names_by_element: dict[int, frozenset[str]] = {}
        self._ancestors_by_element: dict[int, list[int]] = {}
        self._page_lines = page.lines
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
    def lines(self) -> Sequence[NearbyLine]:
        """The short lines before the body, at its ends and after it, in page order."""
        places = sorted(self._places().items())
        return [line for each in places if (line := self._read_line(*each)) is not None]

    @property
    def farther_lines(self) -> Iterator[NearbyLine]:
        """Other short lines that may state a date: above the body, in reverse, in it, and below."""
        if not self._body:
            return
        known, first, last = {*self._places(), *self._body}, self._body[0], self._body[-1]
        above = range(first - 1, max(-1, first - 1 - LINES_FARTHER), -1)
        below = range(first + 1, min(len(self._page_lines), last + 1 + LINES_FARTHER))
        sides: tuple[tuple[range, Place], ...] = ((above, "above"), (below, "after"))
        for positions, place in sides:
            candidates = (each for each in positions if self._may_state_date[each])
            lines = (self._read_line(each, place) for each in candidates if each not in known)
            yield from filter(None, lines)

    @cached_property
    def _may_state_date(self) -> Booleans:
        """Whether each line contains a digit or is in an element for dates."""
        page = self._page
        has_digit = page.tokenised.count(Count.DECIMALS)[page.tokenised.line_texts] > 0
        is_timed = page.flat.within(page.flat.having(("time",)))[page.text_parents]
        return has_digit | np.logical_or.reduceat(is_timed, page.line_starts)

    def _places(self) -> dict[int, Place]:
        """Return the places of the lines near the body, by their position in the page."""
        if not self._body:
            return {}
        first, last = self._body[0], self._body[-1]
        headline = first if self._headline is None else min(self._headline, first)
        gaps = sorted({*range(first, last)}.difference(self._body))  # lines that were excluded
        places: dict[int, Place] = {}
        places.update(dict.fromkeys(range(max(0, headline - LINES_ABOVE), headline), "above"))
        if self._headline is not None:
            start = max(headline + 1, first - LINES_BEFORE)
            places.update(dict.fromkeys(range(start, first), "before"))
        opening_end = self._body[:LINES_OPENING][-1]
        for positions in (self._body, gaps):
            places.update(dict.fromkeys(positions[-LINES_WITHIN:], "closing"))
            opening = (each for each in positions[:LINES_WITHIN] if each <= opening_end)
            places.update(dict.fromkeys(opening, "opening"))
        end = min(len(self._page_lines), last + 1 + LINES_AFTER)
        places.update(dict.fromkeys(range(last + 1, end), "after"))
        return places

    def _read_line(self, position: int, place: Place) -> NearbyLine | None:
        """Return a line of the page, or None if it is too long or part of the template."""
        nodes = self._page_lines[position]
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
        moments = (self._declared_moment(node.parent) for node in nodes[:8])
        is_linked = self._page.links[nodes[0].parent] >= 0
        return NearbyLine(place, parts, next(filter(None, moments), ""), is_linked)

    def _names_around(self, index: int) -> frozenset[str]:
        if index not in self._names_by_element:
            self._names_by_element[index] = _NO_NAMES.union(
                *map(self._own_names, self._element_and_ancestors(index))
            )
        return self._names_by_element[index]

    def _element_and_ancestors(self, index: int) -> Sequence[int]:
        """Return an element and its nearest ancestors, as long as they contain little else."""
        found = self._ancestors_by_element.get(index)
        if found is None:
            found = self._ancestors_by_element[index] = []
            while index >= 0 and len(found) < MAX_ENCLOSING:
                if self._page.size(index) > MAX_TOKENS_AROUND:
                    break
                found.append(index)
                index = self._page.parents[index]
        return found

    def _own_names(self, index: int) -> frozenset[str]:
        if index not in self._own_names_by_element:
            values = (self._page.flat.values(name).get(index) for name in ("rel", "itemprop"))
            others = {self._page.tags[index], *(each.strip().lower() for each in values if each)}
            self._own_names_by_element[index] = self._page.name_words(index) | others
        return self._own_names_by_element[index]

    def _declared_moment(self, index: int) -> str:
        for element in self._element_and_ancestors(index):
            if self._page.tags[element] == "time":
                return self._page.flat.values("datetime").get(element, "")
            if _INSTANT.match(title := self._page.flat.values("title").get(element, "")):
                return title
        return ""
