"""Gradient boosted decision trees, read from a file that people can read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

try:
    from worker.learning import _trees
except ImportError:
    IMPLEMENTATION = "python"
else:
    IMPLEMENTATION = "native"

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]

LEAF_UNIT = 1e-5
"""What leaves hold is a multiple of this, so that a sum is the same in whatever order."""

ROWS_AT_ONCE = 4096
"""Rows that go down the trees together without native code, some ten megabytes."""


@dataclass(frozen=True)
class Tree:
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

    columns: tuple[str, ...]
    base: float
    trees: tuple[Tree, ...]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is no such model.
        """
        try:
            values: dict[str, Any] = json.loads(text)
            trees = tuple(Tree(**tree) for tree in values["trees"])
            return cls(tuple(values["columns"]), float(values["base"]), trees)
        except (KeyError, TypeError) as error:
            raise ValueError(f"no model of boosted trees: {error!r}") from error

    def to_json(self) -> str:
        """Write the model down, a tree a line."""
        trees = ",\n".join(json.dumps(vars(tree), separators=(",", ":")) for tree in self.trees)
        columns = json.dumps(self.columns)
        return f'{{"columns": {columns},\n"base": {self.base},\n"trees": [\n{trees}\n]}}\n'

    def probabilities(self, rows: Floats) -> npt.NDArray[np.float64]:
        """Return the probability of the second class, for each row.

        Parameters
        ----------
        rows
            Shape (rows, columns).
        """
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
    def of(cls, trees: Sequence[Tree]) -> Self:
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

    def sums(self, rows: Floats) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves that each row comes to, in units of `LEAF_UNIT`."""
        if IMPLEMENTATION == "native":
            answer = _trees.sums(self.nodes, self.roots, rows, rows.shape[1])
            return np.frombuffer(answer, dtype=np.int64)
        return self.plain_sums(rows)

    def plain_sums(self, rows: Floats) -> npt.NDArray[np.int64]:
        """Return the same as `sums`, without native code."""
        parts = [
            self._plain_sums(rows[start : start + ROWS_AT_ONCE])
            for start in range(0, len(rows), ROWS_AT_ONCE)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])

    def _plain_sums(self, rows: Floats) -> npt.NDArray[np.int64]:
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


def _depth(tree: Tree) -> int:
    depths = [0] * len(tree.column)
    for node, column in enumerate(tree.column):
        if column >= 0:
            depths[tree.left[node]] = depths[tree.right[node]] = depths[node] + 1
    return max(depths)
