"""Gradient boosted decision trees: learnt elsewhere, evaluated here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from worker.learning.features import Features, Rows

try:
    from worker.learning import _trees
except ImportError:
    IMPLEMENTATION = "python"
else:
    IMPLEMENTATION = "native"

Integers = npt.NDArray[np.int32]

LEAF_UNIT = 1e-5
"""What leaves hold is a multiple of this, so that a sum is the same in whatever order."""

ROWS_AT_ONCE = 4096
"""Rows that go down the trees together without native code, some ten megabytes."""


@dataclass(frozen=True)
class DecisionTree:
    """A decision tree, every node after the one above it.

    Attributes
    ----------
    column
        For each node the column that it looks at, -1 for a leaf.
    threshold
        Rows with at most this value there go left; 0 for a leaf.
    left, right
        Numbers of the nodes below; 0 for a leaf.
    value
        What a leaf adds to the log odds, to the nearest `LEAF_UNIT`; 0 for an inner node.
    """

    column: Sequence[int]
    threshold: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    value: Sequence[float]


@dataclass(frozen=True)
class BoostedTrees:
    """A classifier of rows into two classes, by a sum over trees (Friedman 2001).

    Attributes
    ----------
    columns
        Names of the columns, in their order.
    base
        Log odds before any tree.
    trees
        The trees.
    """

    KIND: ClassVar[str] = "boosted trees"

    columns: tuple[str, ...]
    base: float
    trees: tuple[DecisionTree, ...]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the classifier with the parameters that `to_parameters` gave."""
        trees = tuple(DecisionTree(**tree) for tree in parameters["trees"])
        return cls(tuple(parameters["columns"]), float(parameters["base"]), trees)

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        trees = [vars(tree) for tree in self.trees]
        return {"columns": list(self.columns), "base": self.base, "trees": trees}

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the probability of the second class, for each row.

        Raises
        ------
        RuntimeError
            If these are not the columns that it was trained on.
        """
        rows = features.rows_for(self.columns)
        sums = self._packed.sums(np.ascontiguousarray(rows, dtype=np.float32))
        odds = self.base + LEAF_UNIT * sums
        return np.asarray(1.0 / (1.0 + np.exp(-odds)), dtype=np.float64)

    @cached_property
    def _packed(self) -> "PackedTrees":
        return PackedTrees.of(self.trees)


_NODE = np.dtype([("column", np.int32), ("threshold", np.float32), ("below", np.int32, 2)])


@dataclass(frozen=True)
class PackedTrees:
    """The nodes of all trees in one sequence.

    Attributes
    ----------
    nodes
        The nodes; below a leaf is the leaf itself.
    values
        What each adds, in units of `LEAF_UNIT`.
    trees
        The place of each tree's root, and the steps from it to the deepest leaf, shape (trees, 2).
    """

    nodes: npt.NDArray[Any]
    values: Integers
    trees: Integers

    @classmethod
    def of(cls, trees: Sequence[DecisionTree]) -> Self:
        """Pack trees."""
        count = sum(len(tree.column) for tree in trees)
        nodes, values = np.zeros(count, dtype=_NODE), np.zeros(count, dtype=np.int32)
        packed: list[tuple[int, int]] = []
        start = 0
        for tree in trees:
            end = start + len(tree.column)
            is_leaf = np.array(tree.column) < 0
            below = np.array([tree.left, tree.right]) + start
            here = nodes[start:end]
            here["column"] = np.where(is_leaf, 0, tree.column)
            here["threshold"] = tree.threshold
            here["below"] = np.where(is_leaf, np.arange(start, end), below).T
            values[start:end] = np.rint(np.array(tree.value) / LEAF_UNIT)
            packed.append((start, _depth(tree)))
            start = end
        return cls(nodes, values, np.array(packed, dtype=np.int32).reshape(-1, 2))

    def sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves that each row comes to, in units of `LEAF_UNIT`."""
        if IMPLEMENTATION == "native":
            answer = _trees.sums(self.nodes, self.values, self.trees, rows, rows.shape[1])
            return np.frombuffer(answer, dtype=np.int64)
        return self.plain_sums(rows)

    def plain_sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the same as `sums`, without native code."""
        parts = [
            self._plain_sums(rows[start : start + ROWS_AT_ONCE])
            for start in range(0, len(rows), ROWS_AT_ONCE)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])

    def _plain_sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        column, threshold, below = (self.nodes[name] for name in ("column", "threshold", "below"))
        places = np.broadcast_to(self.trees[:, 0], (len(rows), len(self.trees)))
        numbers = np.arange(len(rows))[:, None]
        for _ in range(self.trees[:, 1].max(initial=0)):
            goes_right = rows[numbers, column[places]] > threshold[places]
            places = below[places, goes_right.astype(np.intp)]
        sums: npt.NDArray[np.int64] = np.sum(self.values[places], axis=1, dtype=np.int64)
        return sums


def _depth(tree: DecisionTree) -> int:
    depths = [0] * len(tree.column)
    for node, column in enumerate(tree.column):
        if column >= 0:
            depths[tree.left[node]] = depths[tree.right[node]] = depths[node] + 1
    return max(depths)
