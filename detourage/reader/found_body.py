"""The body found on a page: its elements and lines, before division into blocks."""

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

import numpy as np

from detourage.html.flat import Booleans
from detourage.reader.outline import Outline
from detourage.records import record
from detourage.roles import Kind, LineRole


class FoundRole(NamedTuple):
    """The most probable text role of a line."""

    role: LineRole
    probability: float


@record
class FoundBody:
    """The body of a page's article, as found by a method.

    `container` is the outline index of the element that contains the body. Of the elements below
    it, those in `dropped` are omitted, and those in `muted` contribute only images and embeds.
    `lines` are the numbers of the body's lines (`Outline.text_lines`), or None for all lines;
    `roles` is keyed by line number. `confidence` is 0 if the method does not estimate it.
    `menu_probability` is None for a page that does not look like a menu.
    """

    method: str
    container: int
    dropped: frozenset[int] = frozenset()
    muted: frozenset[int] = frozenset()
    lines: frozenset[int] | None = None
    confidence: float = 0.0
    roles: Mapping[int, FoundRole] = field(default_factory=dict)
    kind: Kind | None = None
    menu_probability: float | None = None


def kept_texts(page: Outline, body: FoundBody) -> Booleans:
    """Return, for each text node of a page, whether it belongs to the body."""

    def compute() -> Booleans:
        starts, ends = page.text_starts, page.text_ends
        if body.lines is None:
            kept = np.zeros(len(page.text_lines), dtype=np.bool_)
            kept[starts[body.container] : ends[body.container]] = True
        else:
            kept = page.texts_of_lines(body.lines)
            kept[: starts[body.container]] = kept[ends[body.container] :] = False
        for index in body.dropped | body.muted:
            kept[starts[index] : ends[index]] = False
        return kept

    return page.cached((kept_texts, body.container, body.dropped, body.muted, body.lines), compute)
