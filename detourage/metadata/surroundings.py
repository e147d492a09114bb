"""The lines around a body, where a page displays its lead, authors and date."""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Literal, NamedTuple

import numpy as np

from detourage import core
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline, list_of, rows
from detourage.text.dates import may_have_date, without_dates
from detourage.text.token_counts import Count, digests_of

# Place of a line: above the headline, before, at the start or end of, or after the body.
Place = Literal["above", "before", "opening", "closing", "after"]
MAX_CHARACTERS = 200  # length, in characters, of a line outside the body that describes the article
LINES_ABOVE = 12  # lines examined above the headline (or the body if none is displayed)
LINES_BEFORE = 40  # lines examined between headline and body
LINES_WITHIN = 4  # lines examined at either end of the body
LINES_OPENING = 12  # first lines of the body; lines left out between them may also have a byline
LINES_AFTER = 8  # lines examined after the body; later ones belong to comments or other articles
LINES_FARTHER = 300  # lines on either side of the body searched for a date if none is nearby
MAX_DATED_TEXTS = 8  # first texts of a line whose elements are searched for a date
MAX_TOKENS_AROUND = 60  # tokens in an element whose attributes apply to the lines in it
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:|1\d{9}(?:\d{3})?$")  # start of an exact date
_DATED = ("title", "datetime", "data-timestamp", "data-datetime")  # attributes that may have one


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
    is the date in the markup, or empty; `may_be_dated` is false only if `text` has no date. If some
    parts are marked as an update, `update` is the date in their markup.
    """

    place: Place
    parts: Sequence[Part]
    text: str
    meaning: int
    moment: str
    is_linked: bool
    may_be_dated: bool
    update: str = ""

    @property
    def undated(self) -> str:
        """The text without dates."""
        return without_dates(self.text) if self.may_be_dated else self.text


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
        self._template_lines = template_lines
        self._starts = [*list_of(page.line_starts), len(page.text_lines)]
        self._parents = list_of(page.text_parents)
        texts = page.tokenised
        self._clean, self._raw = texts.clean, page.flat.texts
        self._has_digit = texts.counts[texts.line_texts, Count.DECIMALS] > 0
        numbers: Collection[int] | None = finding.lines
        if numbers is None:
            start, end = page.text_starts[finding.container], page.text_ends[finding.container]
            numbers = {*page.text_lines[start:end].tolist()}
        self._body = list_of(np.flatnonzero(page.texts_of_lines(numbers)[page.line_starts]))
        self._headline: int | None = None
        if heading is not None and page.text_starts[heading] < page.text_ends[heading]:
            self._headline = bisect_right(self._starts, page.text_starts[heading]) - 1
        if self._headline in self._body:
            self._body.remove(self._headline)

    @cached_property
    def _moments(self) -> Mapping[int, str]:
        """The dates in the attributes of small elements around some texts, by text."""
        page = self._page
        values = [page.flat.values(name) for name in _DATED]
        moments = {at: text for each in values for at, text in each.items() if _INSTANT.match(text)}
        for index in np.flatnonzero(page.flat.having(("time",))).tolist():
            moments[index] = values[1].get(index, "")
        has_moment = np.zeros(len(page.sizes), np.bool_)
        has_moment[[*moments]] = True
        has_moment &= page.sizes <= MAX_TOKENS_AROUND
        # Of a text's element and the three around it, the innermost one with a date counts.
        near = page.text_parents
        for _ in range(3):
            near = np.where(has_moment[near], near, np.maximum(0, page.flat.parents[near]))
        dated = np.flatnonzero(has_moment[near])
        pairs = zip(dated.tolist(), near[dated].tolist(), strict=True)
        return {text: moments[element] for text, element in pairs if moments[element]}

    def _moment_of(self, start: int, end: int) -> str:
        """Return the first date in the attributes of elements around some texts, or ""."""
        moments = self._moments
        return next((moments[each] for each in range(start, end) if each in moments), "")

    @cached_property
    def lines(self) -> Sequence[NearbyLine]:
        """The short lines before the body, at its ends and after it, in page order."""
        return self._read_lines(sorted(self._places().items()))

    @property
    def farther_lines(self) -> Sequence[NearbyLine]:
        """Further short lines that may have a date: first upwards from the body, then downwards."""
        if not self._body:
            return ()
        first, last = self._body[0], self._body[-1]
        may_be_dated = np.flatnonzero(self._has_digit | bool(self._moments)).tolist()
        candidates = {*may_be_dated} - {*self._places(), *self._body}
        above = range(first - 1, max(-1, first - 1 - LINES_FARTHER), -1)
        below = range(first + 1, min(len(self._starts) - 1, last + 1 + LINES_FARTHER))
        places: list[tuple[int, Place]] = [(each, "above") for each in above if each in candidates]
        places += [(each, "after") for each in below if each in candidates]
        return self._read_lines([each for each in places if self._is_dated(each[0])])

    def _is_dated(self, position: int) -> bool:
        """Return whether a short line may have a date in its text, or has one in its markup."""
        start, end = self._starts[position : position + 2]
        texts = self._clean[start:end]
        if sum(map(len, texts)) > MAX_CHARACTERS:
            return False
        has_date = self._has_digit[position] and may_have_date(" ".join(texts))
        return has_date or self._moment_of(start, end) != ""

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
        starts, clean = self._starts, self._clean
        ranges = [(place, each, starts[each], starts[each + 1]) for each, place in places]
        ranges = [each for each in ranges if self._describes(*each)]
        elements = [each for _, _, start, end in ranges for each in self._parents[start:end]]
        texts = [text for _, _, start, end in ranges for text in clean[start:end]]
        is_linked = (self._page.link_numbers[elements] >= 0).tolist()
        flat = self._page.flat
        columns = flat.numbers[elements], flat.numbers, self._page.sizes
        digits = self._has_digit[[position for _, position, *_ in ranges]].tolist()
        meanings = core.meanings(self._page.document, *columns)
        all_parts, lines, next_part = rows(Part, texts, meanings, is_linked), [], 0
        for (place, _, start, end), has_digit in zip(ranges, digits, strict=True):
            parts = all_parts[next_part : next_part + end - start]
            next_part += end - start
            text, meaning, line_is_linked = parts[0]
            moment, update = "", ""
            if len(parts) > 1:
                moments = self._moments_by_kind(parts, start) if self._moments else {}
                moment, update = moments.get(False, ""), moments.get(True, "")
                # Skip texts that consist only of invisible characters.
                parts = [part for part in parts if part.text]
                text = " ".join([part.text for part in parts])
                meaning = reduce(or_, [part.meaning for part in parts])
            if not (moment and update):
                moment, update = self._moment_of(start, min(end, start + MAX_DATED_TEXTS)), ""
            # Chinese digits such as 二 are not decimal digits in Unicode.
            may_be_dated = has_digit or not text.isascii()
            lines.append(
                NearbyLine(
                    place, parts, text, meaning, moment, line_is_linked, may_be_dated, update
                )
            )
        return lines

    def _moments_by_kind(self, parts: Sequence[Part], start: int) -> dict[bool, str]:
        """Return the first dates in the markup of updates (True) and of other parts (False)."""
        moments: dict[bool, str] = {}
        for number, part in enumerate(parts[:MAX_DATED_TEXTS], start):
            if moment := self._moment_of(number, number + 1):
                moments.setdefault(part.meaning & Meaning.UPDATE != 0, moment)
        return moments

    def _describes(self, place: Place, _: int, start: int, end: int) -> bool:
        """Return whether a line may describe the article; long and shared lines do not."""
        length, raw = sum(map(len, self._clean[start:end])), self._raw[start:end]
        is_long = length > MAX_CHARACTERS or sum(map(len, raw)) > 4 * MAX_CHARACTERS
        if length == 0 or (is_long and place not in ("opening", "closing")):
            return False
        is_own = not self._template_lines or place in ("before", "opening")
        return is_own or digests_of(["".join(raw)])[0] not in self._template_lines
