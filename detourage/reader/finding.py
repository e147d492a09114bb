"""Location of an article's body in a page, before it is divided into blocks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from detourage.html.flat import Booleans
from detourage.reader.outline import Outline
from detourage.roles import Kind, LineRole


class FoundRole(NamedTuple):
    """The most probable text role of a line."""

    role: LineRole
    probability: float


@dataclass(frozen=True)
class Finding:
    """The body of a page's article, as found by a method.

    `container` is the outline index of the element that holds the body. Of the elements below it,
    `dropped` ones contribute nothing, and `muted` ones only images and embeds. `lines` are the
    numbers of the body's lines (see `TextNode.line`), or None for all lines; `roles` is keyed by
    line number. `confidence` is 0 if the method does not estimate it. `menu` is the probability
    that the page is a menu, or None if it does not look like one.
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
    """Return, for each text node of a page, whether it belongs to the body."""
    kept = np.zeros(len(page.texts), dtype=np.bool_)
    kept[page.text_starts[finding.container] : page.text_ends[finding.container]] = True
    for index in finding.dropped | finding.muted:
        kept[page.text_starts[index] : page.text_ends[index]] = False
    if finding.lines is not None:
        kept &= np.isin(page.text_lines, list(finding.lines))
    return kept
