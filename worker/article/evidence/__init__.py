"""What speaks for and against each line of a page being part of its article.

All of it is counted, none of it decided here: a row of numbers for each line, from the line
itself, the lines beside it, the elements around it, the page's declarations of itself, and what
is known of other pages of the template where there are any.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.article.evidence.elements import ELEMENTS, MARKUP, NAMED_PARTS, TAGS
from worker.article.evidence.layout import (
    BESIDE,
    MAX_AWAY,
    OFFSETS,
    PACKETS,
    POSITION,
    PROSE,
    SIBLINGS,
)
from worker.article.evidence.page import DECLARATIONS, TEMPLATE, WHOLE_PAGE
from worker.article.evidence.view import UNKNOWN, View
from worker.article.evidence.wording import LINE, WORDING
from worker.article.hashed_words import HashedWords, hash_words
from worker.article.knowledge import TemplateKnowledge
from worker.article.lines import Line
from worker.article.outline import Outline
from worker.inference import Features

__all__ = [
    "MAX_AWAY",
    "OFFSETS",
    "SOURCES",
    "TAGS",
    "UNKNOWN",
    "Evidence",
    "gather_evidence",
]

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
    WHOLE_PAGE,
)
"""Where evidence comes from, in the order of the columns that it yields."""


@dataclass(frozen=True)
class Evidence:
    """The lines of a page with what was counted of each.

    Attributes
    ----------
    lines
        The lines.
    features
        A row a line; without columns for a page without lines.
    words
        Words of the lines and of the elements around them.
    """

    lines: Sequence[Line]
    features: Features
    words: HashedWords


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
    sources = SOURCES if view.lines else ()
    features = Features.of(column for source in sources for column in source.count(view))
    return Evidence(view.lines, features, hash_words(page, [line.block for line in view.lines]))
