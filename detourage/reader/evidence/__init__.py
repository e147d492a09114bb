"""Evidence for the role of each line of a page: one row of features per line.

The features are derived from the line, its neighbours, the elements around it, the page's
declarations and, if available, other pages of the template.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from detourage.inference import Features, NamedColumn
from detourage.reader.evidence.layout import (
    of_distances,
    of_elements,
    of_lines_beside,
    of_packets,
    of_parts,
    of_position,
    of_repetition,
    of_siblings,
    of_surroundings,
)
from detourage.reader.evidence.page import of_declarations, of_template, of_whole_page
from detourage.reader.evidence.view import UNKNOWN, View
from detourage.reader.evidence.wording import of_line, of_marks, of_role_words, of_wording
from detourage.reader.hashed_words import HashedWords, hash_words
from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.lines import Line
from detourage.reader.outline import Outline

__all__ = ["UNKNOWN", "Evidence", "gather_evidence"]

_SOURCES: tuple[Callable[[View], Iterator[NamedColumn]], ...] = (
    of_line,
    of_elements,
    of_position,
    of_lines_beside,
    of_packets,
    of_parts,
    of_siblings,
    of_distances,
    of_wording,
    of_declarations,
    of_template,
    of_whole_page,
    of_repetition,
    of_surroundings,
    of_role_words,
    of_marks,
)
"""Sources of columns, in order; each source always yields the same columns."""


@dataclass(frozen=True)
class Evidence:
    """The lines of a page and their features, one row per line.

    A page without lines has no columns. `words` also covers the names of the elements around the
    lines.
    """

    lines: Sequence[Line]
    features: Features
    words: HashedWords


def gather_evidence(
    page: Outline, knowledge: TemplateKnowledge | None = None, url: str = ""
) -> Evidence:
    """Compute the features of a page's lines."""
    view = View(page, knowledge, url)
    sources = _SOURCES if view.lines else ()
    features = Features.of(column for source in sources for column in source(view))
    words = hash_words(page, [line.block for line in view.lines])
    return Evidence(view.lines, features, words)
