"""What tells the role of a line, beside what is known of it as evidence for the article.

The second pass over a page: it sees what the first said of the lines around, so that a line is
judged by what stands before and after it.
"""

from dataclasses import dataclass

import numpy as np

from worker.extraction.classification import JudgedLines
from worker.extraction.outline import Outline
from worker.extraction.roles.addresses import of_links
from worker.extraction.roles.declared import of_declarations
from worker.extraction.roles.neighbours import of_first_pass, of_lines_beside
from worker.extraction.roles.places import of_elements, of_names
from worker.extraction.roles.view import Floats, View
from worker.extraction.roles.wording import of_marks, of_words
from worker.learning import Features

SOURCES = (
    of_first_pass,
    of_lines_beside,
    of_elements,
    of_names,
    of_words,
    of_marks,
    of_links,
    of_declarations,
)
"""Where the columns come from, in their order."""

NEAR = 0.1
"""Probability from which a line is near the article."""

LINES_BEFORE = 25
LINES_AFTER = 12
"""Lines before the first such line and after the last whose roles are looked for."""


@dataclass(frozen=True)
class Stretch:
    """The lines of a page near its article, with what tells their roles.

    Attributes
    ----------
    start, end
        Places of the first one among all lines of the page, and after the last.
    features
        A row for each: what the first pass knew, and what is added.
    """

    start: int
    end: int
    features: Features


def near_article(probabilities: Floats) -> tuple[int, int]:
    """Return the places of the first line near the article and after the last; 0, 0 for none.

    Parameters
    ----------
    probabilities
        For each line of the page the probability that it is the article's.
    """
    near = np.flatnonzero(probabilities >= NEAR)
    if not len(near):
        return 0, 0
    first, last = int(near[0]), int(near[-1])
    return max(0, first - LINES_BEFORE), min(len(probabilities), last + 1 + LINES_AFTER)


def gather(page: Outline, judged: JudgedLines, url: str = "", *, whole: bool = False) -> Stretch:
    """Measure what tells the roles of a page's lines.

    Parameters
    ----------
    page, judged
        The page, and its lines as the first pass sees them.
    url
        Address of the page.
    whole
        Whether to measure all lines, and not only those near the article.
    """
    count = len(judged.evidence.lines)
    start, end = (0, count) if whole else near_article(judged.probabilities)
    if start == end:
        return Stretch(start, end, Features((), np.empty((0, 0), dtype=np.float32)))
    known = judged.evidence.features
    view = View(page, judged, url, start, end)
    added = Features.of(column for source in SOURCES for column in source(view))
    rows = np.concatenate([known.rows[start:end], added.rows], axis=1)
    return Stretch(start, end, Features(known.columns + added.columns, rows))
