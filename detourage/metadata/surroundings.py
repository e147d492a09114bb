"""The lines around a body, where a page displays its lead, authors and date."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property, reduce
from itertools import islice
from operator import itemgetter, or_
from typing import Literal, NamedTuple

import numpy as np

from detourage import core
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline, list_of, rows
from detourage.text.dates import may_have_date
from detourage.text.texts import Count, digest_of

# Place of a line: above the headline, before, at the start or end of, or after the body.
Place = Literal["above", "before", "opening", "closing", "after"]
MAX_CHARACTERS = 200  # length, in characters, of a line outside the body that describes the article
LINES_ABOVE = 12  # lines examined above the headline (or the body if none is displayed)
LINES_BEFORE = 40  # lines examined between headline and body
LINES_WITHIN = 4  # lines examined at either end of the body
LINES_OPENING = 12  # lines of the body among which an excluded line counts as at its start
LINES_AFTER = 8  # lines examined after the body; later ones belong to comments or other articles
LINES_FARTHER = 300  # lines on either side of the body searched for a date if none is nearby
MAX_DATED_TEXTS = 8  # texts of a line whose elements are searched for a date
MAX_TOKENS_AROUND = 60  # tokens in an element whose attributes apply to the lines in it
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")  # start of an exact date in a ``title``


class Meaning:
    """Bits for what an element's names (tag, class, ID, `rel` and `itemprop`) indicate."""

    AUTHOR, DATE, UPDATE, COMMENT, PICTURE, BYLINE = (1 << bit for bit in range(6))


class Part(NamedTuple):
    """A text node of a line, with the `Meaning` of the elements around it."""

    text: str
    meaning: int = 0
    is_linked: bool = False


class NearbyLine(NamedTuple):
    """A line near the body, with the `Meaning` of the elements around its parts.

    `text` has spaces between the parts, because style sheets may separate them visually. `moment`
    is the date in the markup, or empty.
    """

    place: Place
    parts: tuple[Part, ...]
    text: str
    meaning: int
    moment: str
    is_linked: bool


class Surroundings:
    """The lines around a body.

    Lines that other pages of the template share are ignored, except before the body and at its
    start, because several pages may name the same author there.
    """

    def __init__(
        self,
        page: Outline,
        finding: FoundBody,
        heading: int | None,
        template_lines: Collection[int] = frozenset(),
    ) -> None:
        self._page = page
        self._enclosing = np.maximum(page.flat.parents, 0)
        self._template_lines = template_lines
        self._starts = [*list_of(page.line_starts), len(page.text_lines)]
        self._parents = list_of(page.text_parents)
        texts = page.tokenised
        self._clean = texts.clean
        self._digits = list_of(texts.count(Count.DECIMALS)[texts.line_texts])
        numbers: Collection[int] | None = finding.lines
        if numbers is None:
            start, end = page.text_starts[finding.container], page.text_ends[finding.container]
            numbers = {*page.text_lines[start:end].tolist()}
        in_order = list_of(page.text_lines[page.line_starts])
        self._body = [place for place, line in enumerate(in_order) if line in numbers]
        self._headline: int | None = None
        if heading is not None and page.text_starts[heading] < page.text_ends[heading]:
            self._headline = bisect_left(in_order, page.text_lines[page.text_starts[heading]])
        if self._headline in self._body:
            self._body.remove(self._headline)

    @cached_property
    def _moments(self) -> list[str]:
        """For each element, the date in its attributes or in those of its parents, if any."""
        page, enclosing = self._page, self._enclosing
        titles, times = map(page.flat.values, ("title", "datetime"))
        moments = {index: text for index, text in titles.items() if _INSTANT.match(text)}
        for index in np.flatnonzero(page.flat.having(("time",))).tolist():
            moments[index] = times.get(index, "")
        if not moments:
            return []
        own = np.full(len(enclosing), -1)
        own[[*moments]] = [*moments]
        own[page.sizes > MAX_TOKENS_AROUND] = -1
        nearest = np.where(own < 0, own[enclosing], own)
        nearest = np.where(nearest < 0, nearest[enclosing[enclosing]], nearest)
        return [moments.get(index, "") for index in nearest.tolist()]

    @cached_property
    def lines(self) -> Sequence[NearbyLine]:
        """The short lines before the body, at its ends and after it, in page order."""
        return self._read_lines(sorted(self._places().items()))

    @property
    def farther_lines(self) -> Sequence[NearbyLine]:
        """Further short lines that may have a date: first upwards from the body, then downwards."""
        if not self._body:
            return ()
        known, first, last = {*self._places(), *self._body}, self._body[0], self._body[-1]
        above = range(first - 1, max(-1, first - 1 - LINES_FARTHER), -1)
        below = range(first + 1, min(len(self._starts) - 1, last + 1 + LINES_FARTHER))
        places: list[tuple[int, Place]] = [*((each, "above") for each in above)]
        places += [(each, "after") for each in below]
        return self._read_lines(
            [each for each in places if each[0] not in known and self._may_be_dated(each[0])]
        )

    def _may_be_dated(self, position: int) -> bool:
        """Return whether a line may have a date, in its text or in its markup."""
        texts = slice(*self._starts[position : position + 2])
        if self._digits[position] and may_have_date(" ".join(self._clean[texts])):
            return True
        return bool(self._moments) and any(self._moments[each] for each in self._parents[texts])

    def _places(self) -> dict[int, Place]:
        """Return the places of the lines near the body, by the position of the line in the page."""
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
        end = min(len(self._starts) - 1, last + 1 + LINES_AFTER)
        places.update(dict.fromkeys(range(last + 1, end), "after"))
        return places

    def _read_lines(self, places: Sequence[tuple[int, Place]]) -> list[NearbyLine]:
        """Return the lines at the given positions, except those that `_describes` excludes."""
        starts = self._starts
        ranges = [(place, starts[each], starts[each + 1]) for each, place in places]
        ranges = [each for each in ranges if self._describes(*each)]
        elements = [each for _, start, end in ranges for each in self._parents[start:end]]
        texts = [text for _, start, end in ranges for text in self._clean[start:end]]
        links, moments, lines = self._page.links, self._moments, []
        is_linked = [links[each] >= 0 for each in elements]
        flat = self._page.flat
        columns = flat.numbers[elements], flat.numbers, self._page.sizes
        meanings = core.meanings(self._page.document, *columns)
        all_parts = iter(rows(Part, texts, meanings, is_linked))
        for place, start, end in ranges:
            # Skip texts that consist only of invisible characters.
            parts = tuple(filter(itemgetter(0), islice(all_parts, end - start)))
            text = " ".join(part.text for part in parts)
            meaning = reduce(or_, (part.meaning for part in parts))
            parents = self._parents[start:end][:MAX_DATED_TEXTS]
            dates = filter(None, map(moments.__getitem__, parents if moments else ()))
            line_is_linked = links[parents[0]] >= 0
            lines.append(NearbyLine(place, parts, text, meaning, next(dates, ""), line_is_linked))
        return lines

    def _describes(self, place: Place, start: int, end: int) -> bool:
        """Return whether a line may describe the article; long and shared lines do not."""
        raw, length = self._page.flat.texts[start:end], sum(map(len, self._clean[start:end]))
        is_long = length > MAX_CHARACTERS or sum(map(len, raw)) > 4 * MAX_CHARACTERS
        if length == 0 or (is_long and place not in ("opening", "closing")):
            return False
        is_own = not self._template_lines or place in ("before", "opening")
        return is_own or digest_of("".join(raw)) not in self._template_lines
