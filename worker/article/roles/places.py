"""Evidence from the elements around a line and their names."""

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
"""Inline tags around a line's first text that are encoded individually, by index in this tuple."""

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
"""Elements that may contain a line, by purpose."""

MAX_UP = 4
"""Maximum number of elements around a text whose names are examined."""

MAX_NAMED = 400
"""Maximum number of tokens in an element whose name is informative about its lines."""

ATTRIBUTES = ("itemprop", "rel", "role", "data-testid", "data-component", "data-type")
"""Attributes besides class and ID that name an element's content."""

_BITS_OF_TAG = {
    tag: sum(1 << place for place, tags in enumerate(AROUND.values()) if tag in tags)
    for tag in {tag for tags in AROUND.values() for tag in tags}
}


def of_elements(view: View) -> Iterator[NamedColumn]:
    """Describe the elements around the line."""
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
    """Return the groups of `AROUND` to which an element or its ancestors belong, as bits."""
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
    """Match the names of elements around the line to `NAMED`.

    The value is 2 if one of the two nearest elements matches, and 1 if only one farther out does.
    """
    page = view.page
    near = np.zeros(len(view.lines), dtype=np.int64)
    far = np.zeros(len(view.lines), dtype=np.int64)
    values, own = _attribute_values(page), dict[int, int]()
    for row, nodes in enumerate(view.nodes):
        index, nearest, others = nodes[0].parent, 0, 0
        for step in range(MAX_UP):
            if index < 0 or page.size(index) > MAX_NAMED:
                break
            bits = own.get(index)
            if bits is None:
                names = page.names[index]
                if index in values:
                    names = f"{names} {values[index][:MAX_MATCHED]}"
                bits = own[index] = _groups_named(names)
            others |= bits
            if step < 2:
                nearest = others
            index = page.parents[index]
        near[row], far[row] = nearest, others
    for place, name in enumerate(NAMED):
        yield f"names_{name}", (near >> place & 1) + (far >> place & 1)


def _attribute_values(page: Outline) -> dict[int, str]:
    """Return the values of the `ATTRIBUTES` of elements that have any."""
    values: dict[int, str] = {}
    for name in ATTRIBUTES:
        for index, value in page.flat.values(name).items():
            if value:
                values[index] = f"{values[index]} {value}" if index in values else value
    return values


@lru_cache(maxsize=4096)
def _groups_named(names: str) -> int:
    """Return the groups of `NAMED` to which names belong, as bits."""
    found = split_words(names)
    return sum(1 << place for place, group in enumerate(NAMED.values()) if found & group)
