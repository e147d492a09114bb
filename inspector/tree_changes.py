"""Differences between the element trees of two pages, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from detourage.html import Page, Tree
from detourage.template.distance import edit_mapping
from detourage.text.plural import cut

Sign = Literal["same", "removed", "added", "renamed"]


class TreeLine(NamedTuple):
    """An element, or a run of elements shown as one line.

    The name is empty for an unchanged subtree, and has both names for a renamed element.
    """

    sign: Sign
    depth: int
    name: str
    elements: int


@dataclass(frozen=True)
class TreeChanges:
    """A minimal set of changes between two trees, and lines of both trees in document order."""

    removed: int
    added: int
    renamed: int
    lines: Sequence[TreeLine]

    @property
    def distance(self) -> int:
        """The tree edit distance."""
        return self.removed + self.added + self.renamed


class _Walk:
    """Traversal of a tree in document order, with the mapping of its nodes."""

    def __init__(self, tree: Tree, names: Sequence[str] | None, mapped: Sequence[int]) -> None:
        sizes = tree.sizes.astype(np.int64)
        self.order: list[int] = np.lexsort((-sizes, np.arange(len(tree)) - sizes)).tolist()
        self.sizes: list[int] = sizes.tolist()
        self.mapped = mapped
        self.names = names or [tree.labels[node] for node in self.order]
        self._lost = np.concatenate([[0], np.cumsum(np.array(mapped) < 0)])
        self.depths = _depths(self.order, self.sizes)
        self.at = 0

    @property
    def node(self) -> int:
        return self.order[self.at]

    def is_lost(self, node: int) -> bool:
        """Return whether no node of a subtree is mapped."""
        lost = self._lost[node + 1] - self._lost[node + 1 - self.sizes[node]]
        return bool(lost == self.sizes[node])

    def take(self, sign: Sign) -> TreeLine:
        """Return the line for an unmapped element and move past the element."""
        size = self.sizes[self.node] if self.is_lost(self.node) else 1
        line = TreeLine(sign, self.depths[self.at], self.names[self.at], size)
        self.at += size
        return line

    def is_unmapped(self) -> bool:
        return self.at < len(self.order) and self.mapped[self.node] < 0


def tree_changes(
    a: Tree, b: Tree, names_a: Sequence[str] | None = None, names_b: Sequence[str] | None = None
) -> TreeChanges:
    """Compare two trees by an optimal mapping; raise `TreeTooLargeError` if they are too large.

    The names of the nodes are in document order (see `element_names`), by default their labels.
    """
    pairs = edit_mapping(a, b)
    to_b, to_a = [-1] * len(a), [-1] * len(b)
    for i, j in pairs:
        if i is not None and j is not None:
            to_b[i], to_a[j] = j, i
    one, other = _Walk(a, names_a, to_b), _Walk(b, names_b, to_a)
    is_same = np.array([j >= 0 and a.labels[i] == b.labels[j] for i, j in enumerate(to_b)])
    same = np.concatenate([[0], np.cumsum(is_same)])
    lines: list[TreeLine] = []
    # A mapping preserves the order of both trees, so they can be traversed in parallel.
    while one.at < len(one.order) or other.at < len(other.order):
        if one.is_unmapped():
            _add(lines, one.take("removed"))
        elif other.is_unmapped():
            _add(lines, other.take("added"))
        else:
            node, size = one.node, one.sizes[one.node]
            depth, name = one.depths[one.at], one.names[one.at]
            alike = size == other.sizes[other.node]
            if alike and same[node + 1] - same[node + 1 - size] == size:
                _add(lines, TreeLine("same", depth, "", size))
            else:
                size = 1
                sign: Sign = "same" if is_same[node] else "renamed"
                renamed = name if is_same[node] else f"{name} → {other.names[other.at]}"
                _add(lines, TreeLine(sign, depth, renamed, 1))
            one.at += size
            other.at += size
    removed, added = to_b.count(-1), to_a.count(-1)
    return TreeChanges(removed, added, len(a) - removed - int(is_same.sum()), lines)


def element_names(page: Page) -> list[str]:
    """Return the names of a page's elements (tag, id and first classes) in document order."""
    flat = page.flat
    distinct = [
        "".join([f"#{identity.strip()}" if identity.strip() else "", *map(".{}".format, first)])
        for classes, identity in flat.distinct_names
        for first in [classes.split(maxsplit=2)[:2]]
    ]
    numbers = flat.name_numbers.tolist()
    return [cut(f"{tag}{distinct[n]}", 60) for tag, n in zip(flat.tags, numbers, strict=True)]


def _add(lines: list[TreeLine], line: TreeLine) -> None:
    """Append a line, or merge it into the previous one if they look the same."""
    last = lines[-1] if lines else None
    is_alike = last is not None and (last.sign, last.depth, last.name) == line[:3]
    if last is not None and is_alike and (line.sign != "same" or not line.name):
        lines[-1] = last._replace(elements=last.elements + line.elements)
    else:
        lines.append(line)


def _depths(order: Sequence[int], sizes: Sequence[int]) -> list[int]:
    depths: list[int] = []
    open_until: list[int] = []
    for place, node in enumerate(order):
        while open_until and open_until[-1] <= place:
            open_until.pop()
        depths.append(len(open_until))
        open_until.append(place + sizes[node])
    return depths
