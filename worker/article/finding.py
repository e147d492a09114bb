"""Where a method found the body, before anything is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from models.kinds import Kind
from models.roles import LineRole
from worker.article.outline import Outline
from worker.html.flat import Booleans


class FoundRole(NamedTuple):
    """What a line is.

    Attributes
    ----------
    role
        The likeliest of the roles that the text is made of.
    probability
        Its probability, from 0 to 1.
    """

    role: LineRole
    probability: float


@dataclass(frozen=True)
class Finding:
    """The body of a page's article, as a method found it.

    Attributes
    ----------
    method
        Name of the method.
    container
        Index in the outline of the element that holds the body.
    dropped
        Indices of elements below the container that are no part of the body.
    muted
        Indices of elements below the container whose text is no part of the body, but whose
        images and embeds are.
    lines
        Numbers of the lines below the container that are the body, see `TextNode.line`; None
        for all of them.
    confidence
        How good the text is expected to be, from 0 to 1; 0 where the method does not say.
    roles
        What the lines are, by their numbers; empty where the method does not say.
    kind
        Kind of the page, None where it has not been asked for.
    menu
        Probability that a page leads to others and does nothing else, where it looks so; None for
        other pages.
    """

    method: str
    container: int
    dropped: frozenset[int] = frozenset()
    muted: frozenset[int] = frozenset()
    lines: frozenset[int] | None = None
    confidence: float = 0.0
    roles: Mapping[int, FoundRole] = field(default_factory=dict)
    kind: Kind | None = None
    menu: float | None = None


def kept_texts(page: Outline, finding: Finding) -> Booleans:
    """Say of each text node of a page whether it is the body's."""
    kept = np.zeros(len(page.texts), dtype=np.bool_)
    kept[page.text_starts[finding.container] : page.text_ends[finding.container]] = True
    for index in finding.dropped | finding.muted:
        kept[page.text_starts[index] : page.text_ends[index]] = False
    if finding.lines is not None:
        kept &= np.isin(page.text_lines, list(finding.lines))
    return kept
