"""The elements that a line stands in, and what those near it are named for."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from worker.article.outline import Outline
from worker.article.roles.view import MAX_MATCHED, UNKNOWN, View
from worker.article.roles.vocabulary import NAMED
from worker.html.elements import HEADINGS
from worker.html.names import split_words
from worker.inference import NamedColumn

INNER_TAGS = ("a", "time", "span", "strong", "b", "em", "i", "small", "cite", "address", "code")
"""Elements that a line's first text may stand in; the number of one is its place here."""

AROUND = {
    "figcaption": ("figcaption", "caption"),
    "quote": ("blockquote", "q"),
    "code": ("pre", "code"),
    "table": ("table",),
    "items": ("li", "dd", "dt"),
    "heading": HEADINGS,
    "time": ("time",),
    "aside": ("aside",),
    "header": ("header",),
    "footer": ("footer", "address"),
    "nav": ("nav",),
    "form": ("form", "label", "fieldset"),
    "details": ("details", "summary", "dl"),
    "article": ("article",),
    "main": ("main",),
}
"""Elements that a line may stand in, by what they are for."""

MAX_UP = 4
"""Elements around a text whose names are looked at."""

MAX_NAMED = 400
"""Tokens of an element beyond which its name says nothing of a line in it."""

ATTRIBUTES = ("itemprop", "rel", "role", "data-testid", "data-component", "data-type")
"""Attributes that name what an element holds, beside its class and id."""

_BITS_OF_TAG = {
    tag: sum(1 << place for place, tags in enumerate(AROUND.values()) if tag in tags)
    for tag in {tag for tags in AROUND.values() for tag in tags}
}


def of_elements(view: View) -> Iterator[NamedColumn]:
    """Say which elements the line stands in."""
    page = view.page
    inner = [nodes[0].parent for nodes in view.nodes]
    around: dict[int, int] = {-1: 0}
    bits = np.array([_bits_around(page, index, around) for index in inner])
    for place, name in enumerate(AROUND):
        yield f"within_{name}", bits >> place & 1
    numbers = {tag: number for number, tag in enumerate(INNER_TAGS)}
    yield "inner_tag", [numbers.get(page.tags[index], UNKNOWN) for index in inner]
    yield "text_nodes", [len(nodes) for nodes in view.nodes]
    parents = np.maximum(page.flat.parents[view.blocks], 0)
    yield "block_words", page.sizes[view.blocks]
    yield "parent_words", page.sizes[parents]
    starts = np.array(page.token_starts)
    yield "starts_parent", starts[view.blocks] == starts[parents]


def _bits_around(page: Outline, index: int, known: dict[int, int]) -> int:
    """Return which of `AROUND` an element is or stands in, a bit for each."""
    passed = []
    while index not in known:
        passed.append(index)
        index = page.parents[index]
    bits = known[index]
    for each in reversed(passed):
        bits |= _BITS_OF_TAG.get(page.tags[each], 0)
        known[each] = bits
    return bits


def of_names(view: View) -> Iterator[NamedColumn]:
    """Say what the elements near the line are named for: 2 for its own, 1 for those around."""
    page = view.page
    near = np.zeros(len(view.lines), dtype=np.int64)
    far = np.zeros(len(view.lines), dtype=np.int64)
    said, own = _said_of_elements(page), dict[int, int]()
    for row, nodes in enumerate(view.nodes):
        index, nearest, others = nodes[0].parent, 0, 0
        for step in range(MAX_UP):
            if index < 0 or page.size(index) > MAX_NAMED:
                break
            bits = own.get(index)
            if bits is None:
                names = page.names[index]
                if index in said:
                    names = f"{names} {said[index][:MAX_MATCHED]}"
                bits = own[index] = _groups_named(names)
            others |= bits
            if step < 2:
                nearest = others
            index = page.parents[index]
        near[row], far[row] = nearest, others
    for place, name in enumerate(NAMED):
        yield f"names_{name}", (near >> place & 1) + (far >> place & 1)


def _said_of_elements(page: Outline) -> dict[int, str]:
    """Return what the `ATTRIBUTES` of elements say, by the elements that have any."""
    said: dict[int, str] = {}
    for name in ATTRIBUTES:
        for index, value in page.flat.values(name).items():
            if value:
                said[index] = f"{said[index]} {value}" if index in said else value
    return said


@lru_cache(maxsize=4096)
def _groups_named(names: str) -> int:
    """Return the groups of `NAMED` that names belong to, a bit for each."""
    found = split_words(names)
    return sum(1 << place for place, group in enumerate(NAMED.values()) if found & group)
