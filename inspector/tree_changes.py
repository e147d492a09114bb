"""Differences between the element trees of two pages, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from detourage.html import Page, Tree
from detourage.template.distance import edit_mapping
from detourage.text.plural import shorten

Sign = Literal["same", "removed", "added", "renamed"]


class TreeLine(NamedTuple):
    """A line that shows an element, or a run of like elements, and what has changed.

    `name` is empty for an unchanged subtree; for a renamed element, it is ``old → new``. `elements`
    is the number of elements that the line represents.
    """

    sign: Sign
    depth: int
    name: str
    elements: int


@dataclass(frozen=True)
class TreeChanges:
    """Counts of a minimal set of changes between two trees, and the lines that show both trees."""

    removed: int
    added: int
    renamed: int
    lines: Sequence[TreeLine]

    @property
    def distance(self) -> int:
        """The tree edit distance."""
        return self.removed + self.added + self.renamed


class _Traversal:
    """Traversal of a tree in document order.

    `mapped` gives, for each postorder number, the node of the other tree mapped to it, or -1 if
    none. `index` is the current position.
    """

    def __init__(self, tree: Tree, names: Sequence[str] | None, mapped: Sequence[int]) -> None:
        sizes = tree.sizes.astype(np.int64)
        # Document order: by the start of each node's subtree; if equal, the larger subtree first.
        self.order: list[int] = np.lexsort((-sizes, np.arange(len(tree)) - sizes)).tolist()
        self.sizes: list[int] = sizes.tolist()
        self.mapped = mapped
        self.names = names or [tree.labels[node] for node in self.order]
        self._unmapped_counts = np.concatenate([[0], np.cumsum(np.array(mapped) < 0)])
        self.depths = _depths(self.order, self.sizes)
        self.index = 0

    @property
    def node(self) -> int:
        """Postorder number of the current node."""
        return self.order[self.index]

    def has_ended(self) -> bool:
        """Return whether all nodes have been visited."""
        return self.index == len(self.order)

    def is_subtree_unmapped(self, node: int) -> bool:
        """Return whether no node of a subtree is mapped."""
        end, size = node + 1, self.sizes[node]
        return bool(self._unmapped_counts[end] - self._unmapped_counts[end - size] == size)

    def take(self, sign: Sign) -> TreeLine:
        """Return the line for an unmapped element or subtree, and move past it."""
        size = self.sizes[self.node] if self.is_subtree_unmapped(self.node) else 1
        line = TreeLine(sign, self.depths[self.index], self.names[self.index], size)
        self.index += size
        return line

    def is_unmapped(self) -> bool:
        """Return whether the current node is not mapped to the other tree."""
        return not self.has_ended() and self.mapped[self.node] < 0


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
    old, new = _Traversal(a, names_a, to_b), _Traversal(b, names_b, to_a)
    is_same = np.array([j >= 0 and a.labels[i] == b.labels[j] for i, j in enumerate(to_b)])
    same_counts = np.concatenate([[0], np.cumsum(is_same)])
    lines: list[TreeLine] = []
    # A mapping preserves the order of both trees, so they can be traversed in parallel.
    while not (old.has_ended() and new.has_ended()):
        if old.is_unmapped():
            _add(lines, old.take("removed"))
        elif new.is_unmapped():
            _add(lines, new.take("added"))
        else:
            node, size = old.node, old.sizes[old.node]
            depth, name = old.depths[old.index], old.names[old.index]
            same_nodes = same_counts[node + 1] - same_counts[node + 1 - size]
            if size == new.sizes[new.node] == same_nodes:
                _add(lines, TreeLine("same", depth, "", size))
            elif is_same[node]:
                size = 1
                _add(lines, TreeLine("same", depth, name, 1))
            else:
                size = 1
                names = f"{name} → {new.names[new.index]}"
                _add(lines, TreeLine("renamed", depth, names, 1))
            old.index += size
            new.index += size
    removed, added = to_b.count(-1), to_a.count(-1)
    return TreeChanges(removed, added, len(a) - removed - int(is_same.sum()), lines)


def element_names(page: Page) -> list[str]:
    """Return the names of a page's elements in document order, such as ``div#main.text.wide``.

    They consist of the tag, the id and the first two classes.
    """
    flat = page.flat
    suffixes = []
    for classes, identity in flat.distinct_names:
        id_suffix = f"#{identity.strip()}" if identity.strip() else ""
        class_suffixes = (f".{name}" for name in classes.split(maxsplit=2)[:2])
        suffixes.append("".join([id_suffix, *class_suffixes]))
    numbers = flat.name_numbers.tolist()
    return [shorten(f"{tag}{suffixes[n]}", 60) for tag, n in zip(flat.tags, numbers, strict=True)]


def _add(lines: list[TreeLine], line: TreeLine) -> None:
    """Append a line, or merge it into the previous one if they look the same."""
    last = lines[-1] if lines else None
    is_alike = last is not None and (last.sign, last.depth, last.name) == line[:3]
    if last is not None and is_alike and (line.sign != "same" or not line.name):
        lines[-1] = last._replace(elements=last.elements + line.elements)
    else:
        lines.append(line)


def _depths(order: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Return the depth of each node in document order; the root's is 0."""
    depths: list[int] = []
    ancestor_ends: list[int] = []
    for index, node in enumerate(order):
        while ancestor_ends and ancestor_ends[-1] <= index:
            ancestor_ends.pop()
        depths.append(len(ancestor_ends))
        ancestor_ends.append(index + sizes[node])
    return depths
