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


_NODE = np.dtype(
    [("column", np.int32), ("threshold", np.float32), ("left", np.int32), ("right", np.int32)]
)


@dataclass(frozen=True)
class PackedTrees:
    """The nodes of all trees in one sequence, a leaf's value in place of its left child.

    Attributes
    ----------
    nodes
        The nodes.
    roots
        Place of each tree's root.
    depth
        Steps from a root to the deepest leaf.
    """

    nodes: npt.NDArray[Any]
    roots: Integers
    depth: int

    @classmethod
    def of(cls, trees: Sequence[DecisionTree]) -> Self:
        """Pack trees."""
        nodes = np.zeros(sum(len(tree.column) for tree in trees), dtype=_NODE)
        roots: list[int] = []
        deepest = start = 0
        for tree in trees:
            here = nodes[start : start + len(tree.column)]
            column = np.array(tree.column)
            is_leaf = column < 0
            here["column"] = column
            here["threshold"] = tree.threshold
            leaves = np.rint(np.array(tree.value) / LEAF_UNIT)
            here["left"] = np.where(is_leaf, leaves, np.array(tree.left) + start)
            here["right"] = np.where(is_leaf, 0, np.array(tree.right) + start)
            roots.append(start)
            deepest = max(deepest, _depth(tree))
            start += len(here)
        return cls(nodes, np.array(roots, dtype=np.int32), deepest)

    def sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves that each row comes to, in units of `LEAF_UNIT`."""
        if IMPLEMENTATION == "native":
            answer = _trees.sums(self.nodes, self.roots, rows, rows.shape[1])
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
        column, threshold = self.nodes["column"], self.nodes["threshold"]
        left, right = self.nodes["left"], self.nodes["right"]
        places = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        numbers = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_right = rows[numbers, column[places]] > threshold[places]
            below = np.where(goes_right, right[places], left[places])
            places = np.where(column[places] < 0, places, below)
        sums: npt.NDArray[np.int64] = np.sum(left[places], axis=1, dtype=np.int64)
        return sums


def _depth(tree: DecisionTree) -> int:
    depths = [0] * len(tree.column)
    for node, column in enumerate(tree.column):
        if column >= 0:
            depths[tree.left[node]] = depths[tree.right[node]] = depths[node] + 1
    return max(depths)
