"""Tree edit distance through the `apted` package, where the native kernel was not built."""

import warnings
from dataclasses import dataclass, field
from functools import cache

from apted import APTED, Config

from worker.distance.errors import TreeTooLargeError
from worker.pages.tree import Tree

MAX_NODES = 1_000
"""Largest tree compared without the kernel.

`apted` needs 2.5 s for two pages of 300 nodes and 150 s for two of 1,000; it also
recurses, so that its memory and its stack grow with the page."""


@dataclass
class _Node:
    label: str
    children: list["_Node"] = field(default_factory=list)


class _UnitCosts(Config):  # type: ignore[misc]  # the package has no type hints
    def rename(self, node1: _Node, node2: _Node) -> int:
        return int(node1.label != node2.label)


@cache
def warn_once() -> None:
    """Say, the first time only, that comparisons will be slow."""
    warnings.warn(
        "the native distance kernel was not built (no C compiler?): trees are compared "
        "through the apted package, thousands of times slower",
        RuntimeWarning,
        stacklevel=4,
    )


def tree_edit_distance(a: Tree, b: Tree) -> int:
    """Tree edit distance as the `apted` package computes it.

    Raises
    ------
    TreeTooLargeError
        If a tree has more than `MAX_NODES` nodes, or is too deep for the package.
    """
    if max(len(a), len(b)) > MAX_NODES:
        raise TreeTooLargeError(
            f"too large to compare without the native kernel: trees of {len(a)} and "
            f"{len(b)} nodes, where {MAX_NODES} is the limit"
        )
    try:
        distance = APTED(_nodes(a), _nodes(b), _UnitCosts()).compute_edit_distance()
    except RecursionError as error:
        raise TreeTooLargeError("too deep to compare without the native kernel") from error
    return int(distance)


def _nodes(tree: Tree) -> _Node:
    pending: list[tuple[_Node, int]] = []
    for label, size in zip(tree.labels, tree.sizes.tolist(), strict=True):
        node = _Node(label)
        covered = 1
        while covered < size:
            child, child_size = pending.pop()
            node.children.append(child)
            covered += child_size
        node.children.reverse()
        pending.append((node, size))
    return pending[0][0]
