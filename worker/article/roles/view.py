"""A stretch of a page's lines, with arrays shared by several sources of evidence."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from worker.article.classification import JudgedLines
from worker.article.evidence.view import UNKNOWN, Floats, Integers
from worker.article.lines import Line
from worker.article.outline import Outline


class View:
    """A stretch of a page's lines, with arrays that cover all lines or only the stretch.

    `places` are the ascending indices of the stretch's lines among all lines; they need not be
    consecutive. `counts`, `all_blocks` and `keep` are the number of words, the element and the
    first pass's probability of each line of the page.
    """

    def __init__(self, page: Outline, judged: JudgedLines, places: Integers) -> None:
        self.page = page
        self.all_lines: Sequence[Line] = judged.evidence.lines
        self.counts = judged.evidence.view.counts
        self.all_blocks = judged.evidence.view.blocks
        self.keep: Floats = judged.probabilities
        self.places = places
        known = judged.evidence.features
        self._rows = known.rows
        self._columns = {name: place for place, name in enumerate(known.columns)}

    def known(self, name: str) -> Floats:
        """Return a column of the first pass's evidence, for all lines."""
        column: Floats = self._rows[:, self._columns[name]].astype(np.float64)
        return column

    @cached_property
    def blocks(self) -> Integers:
        """Element of each line of the stretch."""
        return self.all_blocks[self.places]

    def cut(self, values: Floats | Integers) -> Floats | Integers:
        """Select the stretch's values from values for all lines of the page."""
        return values[self.places]

    def beside(self, values: Floats | Integers, offset: int) -> Floats:
        """Return for each line of the stretch the value of the line at the given offset from it."""
        places = self.places + offset
        inside = (places >= 0) & (places < len(values))
        return np.where(inside, values[np.clip(places, 0, len(values) - 1)], UNKNOWN)
