"""Comparison of trees with the `apted` package, used if the native kernel was not built."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt
from apted import APTED, Config

from detourage.html.tree import Tree
from detourage.template.distance.errors import LEFT, TOO_LARGE, TreeTooLargeError

MAX_NODES = 1_000
"""Maximum number of nodes of a tree compared without the kernel: `apted` takes 150 s for two trees
of this size, and is recursive."""


PAIR_WORK = 120_000
"""Units of work (of 0.25 ns) per pair of nodes."""


@dataclass
class _Node:
    label: str
    number: int
    children: list["_Node"] = field(default_factory=list)


class _UnitCosts(Config):  # type: ignore[misc]  # the package has no type hints
    def rename(self, node1: _Node, node2: _Node) -> int:
        return int(node1.label != node2.label)


@cache
def warn_once() -> None:
    """Log a warning, once per process, that comparisons will be slow."""
    warnings.warn(
        "the native distance kernel was not built (no C compiler?): trees are compared "
        "through the apted package, thousands of times slower",
        RuntimeWarning,
        stacklevel=3,
    )


class AptedForest:
    """Trees compared pair by pair (see `forest_of`); `memory` has no effect."""

    def __init__(
        self,
        trees: Sequence[Tree],
        *,
        memory: int = 0,  # noqa: ARG002
        work: int = np.iinfo(np.int64).max,
    ) -> None:
        self.work = 0
        self._most_work = work
        self._trees = trees
        self._sizes = np.fromiter(map(len, trees), np.int32, len(trees))

    def distances(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        bound: int | None = None,
        threads: int = 1,  # noqa: ARG002
    ) -> npt.NDArray[np.int32]:
        """Return the distances of the trees a[i] and b[i] (see `NativeForest`)."""
        pairs = zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True)
        distances = np.array([self._distance(i, j) for i, j in pairs], np.int32)
        return distances if bound is None else np.minimum(distances, bound + 1)

    def try_distances(self, a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the distances of the trees a[i] and b[i], or sentinels (see `NativeForest`)."""
        pairs = zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True)
        return np.array([self._try_distance(i, j) for i, j in pairs], np.int32)

    def _try_distance(self, a: int, b: int) -> int:
        if self.work >= self._most_work:
            return LEFT
        self.work += PAIR_WORK * int(self._sizes[a]) * int(self._sizes[b])
        try:
            return self._distance(a, b)
        except TreeTooLargeError:
            return TOO_LARGE

    def mapping(self, a: int, b: int) -> npt.NDArray[np.int32]:
        """Return an optimal mapping of tree `a` to tree `b` (see `NativeForest`)."""
        mapped = np.full(len(self._trees[a]), -1, np.int32)
        try:
            pairs = self._comparison(a, b).compute_edit_mapping()
        except RecursionError as error:
            raise self._too_large(a, b) from error
        for node_a, node_b in pairs:
            if node_a is not None and node_b is not None:
                mapped[node_a.number] = node_b.number
        return mapped

    def lower_bounds(self, a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return lower bounds of the distances, based only on the sizes of the trees."""
        differences = self._sizes[np.asarray(a, np.intp)] - self._sizes[np.asarray(b, np.intp)]
        lower: npt.NDArray[np.int32] = np.abs(differences)
        return lower

    def _distance(self, a: int, b: int) -> int:
        if self._trees[a] == self._trees[b]:
            return 0
        try:
            return int(self._comparison(a, b).compute_edit_distance())
        except RecursionError as error:
            raise self._too_large(a, b) from error

    def _comparison(self, a: int, b: int) -> APTED:
        if max(len(self._trees[a]), len(self._trees[b])) > MAX_NODES:
            raise self._too_large(a, b)
        return APTED(_nodes(self._trees[a]), _nodes(self._trees[b]), _UnitCosts())

    def _too_large(self, a: int, b: int) -> TreeTooLargeError:
        n, m = len(self._trees[a]), len(self._trees[b])
        return TreeTooLargeError(
            f"too large to compare without the native kernel: trees of {n} and {m} nodes",
            [a if n >= m else b],
        )


def _nodes(tree: Tree) -> _Node:
    pending: list[tuple[_Node, int]] = []
    for number, (label, size) in enumerate(zip(tree.labels, tree.sizes.tolist(), strict=True)):
        node = _Node(label, number)
        covered = 1
        while covered < size:
            child, child_size = pending.pop()
            node.children.append(child)
            covered += child_size
        node.children.reverse()
        pending.append((node, size))
    return pending[0][0]
