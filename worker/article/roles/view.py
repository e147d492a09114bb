"""A stretch of a page's lines, with what several measures of their roles need."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from worker.article.classification import JudgedLines
from worker.article.lines import Line
from worker.article.outline import Outline, TextNode

UNKNOWN = -1.0
"""Stands where there is nothing to measure."""

MAX_MATCHED = 300
"""Characters of a line, a name or an address that patterns are looked for in."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class View:
    """A stretch of a page's lines, and arrays over all lines or over those of the stretch.

    Lines between those of the stretch may be left out of it.

    Parameters
    ----------
    page, judged
        The page, and its lines as the first pass sees them.
    url
        Address of the page.
    places
        For each line of the stretch its place among all lines, rising.

    Attributes
    ----------
    all_lines, lines
        All lines of the page, and those of the stretch.
    keep
        For each line of the page the probability that it is the article's.
    """

    def __init__(self, page: Outline, judged: JudgedLines, url: str, places: Integers) -> None:
        self.page = page
        self.url = url
        self.all_lines: Sequence[Line] = judged.evidence.lines
        self.lines = [self.all_lines[place] for place in places.tolist()]
        self.keep: Floats = judged.probabilities
        self.places = places
        known = judged.evidence.features
        self._rows = known.rows
        self._columns = {name: place for place, name in enumerate(known.columns)}

    def known(self, name: str) -> Floats:
        """Return a column of the first pass, for all lines."""
        column: Floats = self._rows[:, self._columns[name]].astype(np.float64)
        return column

    @cached_property
    def counts(self) -> Floats:
        """For each line of the page the number of its words."""
        return self.known("words")

    @cached_property
    def all_blocks(self) -> Integers:
        """For each line of the page the element that it stands in."""
        return np.array([line.block for line in self.all_lines])

    @cached_property
    def blocks(self) -> Integers:
        """For each line the element that it stands in."""
        return self.all_blocks[self.places]

    @cached_property
    def nodes(self) -> list[list[TextNode]]:
        """For each line its text nodes."""
        page = self.page
        numbers = np.array([line.number for line in self.lines])
        firsts = np.searchsorted(page.text_lines, numbers).tolist()
        ends = np.searchsorted(page.text_lines, numbers, side="right").tolist()
        return [page.texts[first:end] for first, end in zip(firsts, ends, strict=True)]

    @cached_property
    def token_sets(self) -> list[frozenset[str]]:
        """For each line its words, each once."""
        return [frozenset(line.tokens) for line in self.lines]

    def cut(self, values: Floats | Integers) -> Floats | Integers:
        """Return what is known of all lines for those of the stretch."""
        return values[self.places]

    def beside(self, values: Floats | Integers, offset: int) -> Floats:
        """Return for each line of the stretch the value of the line so many after it."""
        places = self.places + offset
        inside = (places >= 0) & (places < len(values))
        return np.where(inside, values[np.clip(places, 0, len(values) - 1)], UNKNOWN)
