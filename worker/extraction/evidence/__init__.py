"""What speaks for and against each line of a page being part of its article.

All of it is counted, none of it decided here: a row of numbers for each line, from the line
itself, its neighbours, the elements around it, the page's declarations of itself, and what is
known of other pages of the template where there are any.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.extraction.evidence.elements import ELEMENTS, MARKUP, NAMED_PARTS, TAGS
from worker.extraction.evidence.layout import (
    BESIDE,
    MAX_AWAY,
    NEIGHBOURS,
    PACKETS,
    POSITION,
    PROSE,
    SIBLINGS,
)
from worker.extraction.evidence.page import DECLARATIONS, TEMPLATE
from worker.extraction.evidence.view import UNKNOWN, View
from worker.extraction.evidence.wording import LINE, WORDING
from worker.extraction.knowledge import TemplateKnowledge
from worker.extraction.lines import Line
from worker.extraction.outline import Outline

__all__ = [
    "COLUMNS",
    "MAX_AWAY",
    "NEIGHBOURS",
    "SOURCES",
    "TAGS",
    "UNKNOWN",
    "Evidence",
    "Rows",
    "gather_evidence",
]

Rows = npt.NDArray[np.float32]

SOURCES = (
    LINE,
    ELEMENTS,
    POSITION,
    BESIDE,
    PACKETS,
    NAMED_PARTS,
    MARKUP,
    SIBLINGS,
    PROSE,
    WORDING,
    DECLARATIONS,
    TEMPLATE,
)
"""Where evidence comes from."""

COLUMNS = tuple(column for source in SOURCES for column in source.columns)
"""What is counted, in the order of the columns of `Evidence.rows`."""


@dataclass(frozen=True)
class Evidence:
    """The lines of a page with what was counted of each.

    Attributes
    ----------
    lines
        The lines.
    rows
        A row a line, a column for each of `COLUMNS`.
    """

    lines: Sequence[Line]
    rows: Rows


def gather_evidence(
    page: Outline, knowledge: TemplateKnowledge | None = None, url: str = ""
) -> Evidence:
    """Count all that is known of the lines of a page.

    Parameters
    ----------
    page
        The page.
    knowledge
        What other pages of its template tell, None where there is none.
    url
        Address of the page.
    """
    view = View(page, knowledge, url)
    rows = np.empty((len(view.lines), len(COLUMNS)), dtype=np.float32)
    if view.lines:
        columns = (column for source in SOURCES for column in source.count(view))
        for place, column in enumerate(columns):
            rows[:, place] = column
    return Evidence(view.lines, rows)
