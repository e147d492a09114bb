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
        return likelihoods(self.log_odds(features))

    def log_odds(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the log odds of the second class, for each row.

        Raises
        ------
        RuntimeError
            As `probabilities`.
        """
        rows = features.rows_for(self.columns)
        sums = self._packed.sums(np.ascontiguousarray(rows, dtype=np.float32))
        return np.asarray(self.base + LEAF_UNIT * sums, dtype=np.float64)

    @cached_property
    def _packed(self) -> "PackedTrees":
        return PackedTrees.of(self.trees)


def likelihoods(log_odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the probabilities of log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-log_odds)), dtype=np.float64)


_TEST = np.dtype([("threshold", np.float32), ("left", np.uint32), ("tree", np.int32)])

MAX_LEAVES = 32
"""Leaves of a tree up to which native code sums over it; the trees shipped have at most 24."""


@dataclass(frozen=True)
class PackedTrees:
    """All trees together.

    Attributes
    ----------
    trees
        The trees.
    tests
        The inner nodes by their columns, then by their thresholds: which leaves of which tree are
        left to rows above the threshold, the first the lowest bit. None where a tree has more
        than `MAX_LEAVES`.
    columns
        The column of each test, rising.
    values
        What the leaves of each tree add, in units of `LEAF_UNIT`, shape (trees, `MAX_LEAVES`).
    """

    trees: Sequence[DecisionTree]
    tests: npt.NDArray[Any] | None
    columns: Integers
    values: Integers

    @classmethod
    def of(cls, trees: Sequence[DecisionTree]) -> Self:
        """Pack trees."""
        values = np.zeros((len(trees), MAX_LEAVES), dtype=np.int32)
        tests: list[tuple[int, float, int, int]] = []
        for number, tree in enumerate(trees):
            first, below = _leaves(tree)
            if below[0] > MAX_LEAVES:
                return cls(trees, None, np.empty(0, dtype=np.int32), values)
            for node, column in enumerate(tree.column):
                if column < 0:
                    values[number, first[node]] = round(tree.value[node] / LEAF_UNIT)
                    continue
                passed = (1 << below[tree.left[node]]) - 1 << first[node]
                tests.append(
                    (column, float(np.float32(tree.threshold[node])), ~passed & 0xFFFF_FFFF, number)
                )
        tests.sort()
        packed = np.array([test[1:] for test in tests], dtype=_TEST)
        return cls(trees, packed, np.array([test[0] for test in tests], dtype=np.int32), values)

    def sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves that each row comes to, in units of `LEAF_UNIT`."""
        if IMPLEMENTATION == "native" and self.tests is not None:
            ends = np.searchsorted(self.columns, np.arange(rows.shape[1]), side="right")
            answer = _trees.sums(self.tests, ends.astype(np.int32), self.values, rows)
            return np.frombuffer(answer, dtype=np.int64)
        return self.plain_sums(rows)

    def plain_sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the same as `sums`, without native code."""
        sums = np.zeros(len(rows), dtype=np.int64)
        for tree in self.trees:
            column, below = np.array(tree.column), np.array([tree.left, tree.right])
            threshold = np.array(tree.threshold, dtype=np.float32)
            places = np.zeros(len(rows), dtype=np.intp)
            while len(inner := np.flatnonzero(column[places] >= 0)):
                nodes = places[inner]
                goes_right = rows[inner, column[nodes]] > threshold[nodes]
                places[inner] = below[goes_right.astype(np.intp), nodes]
            sums += np.rint(np.array(tree.value) / LEAF_UNIT).astype(np.int64)[places]
        return sums


def _leaves(tree: DecisionTree) -> tuple[list[int], list[int]]:
    """Return for each node the first leaf below it, from the left, and the number of them."""
    below = [1] * len(tree.column)
    for node in range(len(below) - 1, -1, -1):
        if tree.column[node] >= 0:
            below[node] = below[tree.left[node]] + below[tree.right[node]]
    first = [0] * len(below)
    for node, column in enumerate(tree.column):
        if column >= 0:
            first[tree.left[node]] = first[node]
            first[tree.right[node]] = first[node] + below[tree.left[node]]
    return first, below
