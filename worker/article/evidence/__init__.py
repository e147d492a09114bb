"""Evidence for and against each line of a page being part of its article.

No decision is made here. Each line gets a row of features, derived from the line itself, its
neighbours, the elements around it, the page's declarations and, if available, other pages of the
template.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from worker.article.evidence.declarations import DECLARED
from worker.article.evidence.elements import (
    ELEMENTS,
    MARKUP,
    NAMED_PARTS,
    ROLE_NAMES,
    SURROUNDINGS,
    TAGS,
)
from worker.article.evidence.layout import (
    BESIDE,
    MAX_AWAY,
    OFFSETS,
    PACKETS,
    POSITION,
    PROSE,
    SIBLINGS,
)
from worker.article.evidence.links import IMAGES, LINKS
from worker.article.evidence.page import DECLARATIONS, TEMPLATE, WHOLE_PAGE
from worker.article.evidence.view import UNKNOWN, View
from worker.article.evidence.wording import LINE, MARKS, ROLE_WORDS, WORDING
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
"""Sources of evidence that a line belongs to the article, in the order of their columns."""

ROLE_SOURCES = (SURROUNDINGS, ROLE_NAMES, ROLE_WORDS, MARKS, LINKS, DECLARED, IMAGES)
"""Sources of evidence of a line's role, in the order of their columns."""


@dataclass(frozen=True)
class Evidence:
    """The lines of a page and their features.

    Attributes
    ----------
    lines
        The lines.
    features
        One row per line; there are no columns for a page without lines.
    words
        Words of the lines and of the elements around them.
    view
        The page, with arrays that all sources of evidence share.
    """

    lines: Sequence[Line]
    features: Features
    words: HashedWords
    view: View

    @cached_property
    def of_roles(self) -> Features:
        """Further features of the lines, which indicate their roles; computed on first access."""
        return Features.of(column for source in ROLE_SOURCES for column in source.count(self.view))


def gather_evidence(
    page: Outline, knowledge: TemplateKnowledge | None = None, url: str = ""
) -> Evidence:
    """Compute the features of a page's lines.

    Parameters
    ----------
    page
        The page.
    knowledge
        Knowledge from other pages of the template, if any.
    url
        URL of the page.
    """
    view = View(page, knowledge, url)
    sources = SOURCES if view.lines else ()
    features = Features.of(column for source in sources for column in source.count(view))
    words = hash_words(page, [line.block for line in view.lines])
    return Evidence(view.lines, features, words, view)
