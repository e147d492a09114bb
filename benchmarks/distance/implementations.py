"""All implementations, as functions that take two trees and return their distance."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import apted

from detourage.html import Tree
from detourage.template.distance import _native, tree_edit_distance
from detourage.template.distance.forest import Forest, Way

Tool = Callable[[Tree, Tree], int]

# These packages have no type hints; only the benchmark needs them.
zss: Any = import_module("zss")
ted: Any = import_module("edist.ted")


def _ours(a: Tree, b: Tree, way: Way) -> int:
    return int(Forest([a, b], way=way).distances([0], [1])[0])


def _way(unit: str, *, shortcuts: bool) -> Way:
    """Return the options of `Forest` for a vector unit, with all shortcuts or with none."""
    return (unit, 0, "", shortcuts, shortcuts, shortcuts)


OURS: dict[str, Tool] = {"ours": tree_edit_distance}  # the public function of this project

OUR_UNITS: dict[str, Tool] = {
    f"ours, {unit}": partial(_ours, way=_way(unit, shortcuts=True)) for unit in _native.UNITS
}
"""The implementation of this project, once for each vector unit."""

WHOLE_TABLES: dict[str, Tool] = {
    unit: partial(_ours, way=_way(unit, shortcuts=False)) for unit in _native.UNITS
}
"""This project's implementation without trimming, bounds and bands: it computes every cell."""


class _Node:
    def __init__(self, label: str) -> None:
        self.label = label
        self.children: list[_Node] = []


def _to_nodes(tree: Tree) -> _Node:
    """Convert a tree from labels and subtree sizes in postorder to linked nodes."""
    pending: list[tuple[_Node, int]] = []
    for label, size in zip(tree.labels, tree.sizes.tolist(), strict=True):
        node = _Node(label)
        covered = 1
        while covered < size:
            child, child_size = pending.pop()
            node.children.insert(0, child)
            covered += child_size
        pending.append((node, size))
    return pending[0][0]


class _AptedCosts(apted.Config):  # type: ignore[misc]  # the package has no type hints
    def rename(self, node1: _Node, node2: _Node) -> int:
        return int(node1.label != node2.label)


def _apted(a: Tree, b: Tree) -> int:
    return int(apted.APTED(_to_nodes(a), _to_nodes(b), _AptedCosts()).compute_edit_distance())


def _zss(a: Tree, b: Tree) -> int:
    return int(
        zss.simple_distance(
            _to_nodes(a),
            _to_nodes(b),
            get_children=lambda node: node.children,
            get_label=lambda node: node.label,
            label_dist=lambda x, y: int(x != y),
        )
    )


def _edist(a: Tree, b: Tree) -> int:
    distance: float = ted.ted(*_to_adjacency_lists(a), *_to_adjacency_lists(b))
    return round(distance)


def _to_adjacency_lists(tree: Tree) -> tuple[list[str], list[list[int]]]:
    """Return the labels in preorder, and the indices of each node's children."""
    labels: list[str] = []
    children: list[list[int]] = []
    waiting = [(_to_nodes(tree), -1)]
    while waiting:
        node, parent = waiting.pop()
        if parent >= 0:
            children[parent].append(len(labels))
        number = len(labels)
        labels.append(node.label)
        children.append([])
        waiting += [(child, number) for child in reversed(node.children)]
    return labels, children


PEERS: dict[str, Tool] = {"edist": _edist, "zss": _zss, "apted": _apted}


def count_cells(a: Tree, b: Tree) -> int:
    """Count the table cells that the cheaper decomposition computes, leaving out leaves."""
    left, right = (
        [_count_keyroot_nodes(tree, mirrored=mirrored) for tree in (a, b)]
        for mirrored in (False, True)
    )
    return min(left[0] * left[1], right[0] * right[1])


def _count_keyroot_nodes(tree: Tree, *, mirrored: bool) -> int:
    """Add up the sizes of the distinct keyroot subtrees (Zhang and Shasha 1989) except leaves."""
    sizes = tree.sizes.tolist()
    subtrees: dict[tuple[object, ...], int] = {}
    subtree_ids: list[int] = []
    keyroots: dict[int, int] = {}
    for i, (label, size) in enumerate(zip(tree.labels, sizes, strict=True)):
        children = []
        child = i - 1
        while child > i - size:
            children.append(child)
            child -= sizes[child]
        subtree = (label, *(subtree_ids[child] for child in children))
        subtree_ids.append(subtrees.setdefault(subtree, len(subtrees)))
        for child in children[1:] if mirrored else children[:-1]:
            keyroots[subtree_ids[child]] = sizes[child]
    keyroots[subtree_ids[-1]] = len(tree)
    return sum(size for size in keyroots.values() if size > 1)


def agree(distances: dict[str, int]) -> bool:
    """Return whether all tools agree on the distance."""
    return len(set(distances.values())) == 1


__all__ = ["OURS", "OUR_UNITS", "PEERS", "WHOLE_TABLES", "Tool", "agree", "count_cells"]
