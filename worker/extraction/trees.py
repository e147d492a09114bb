"""Gradient boosted decision trees, read from a file that people can read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]

ROWS_AT_ONCE = 4096
"""Rows that go down the trees together, some ten megabytes."""


@dataclass(frozen=True)
class Tree:
    """A decision tree, its nodes in any order but the root first.

    Attributes
    ----------
    column
        For each node the column that it looks at, -1 for a leaf.
    threshold
        Rows with at most this value there go left; 0 for a leaf.
    left, right
        Numbers of the nodes below; 0 for a leaf.
    value
        What a leaf adds to the log odds; 0 for an inner node.
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
        parts = [
            self._probabilities(rows[start : start + ROWS_AT_ONCE])
            for start in range(0, len(rows), ROWS_AT_ONCE)
        ]
        return np.concatenate([np.empty(0), *parts])

    def _probabilities(self, rows: Floats) -> npt.NDArray[np.float64]:
        nodes = self._nodes
        places = np.broadcast_to(nodes.roots, (len(rows), len(nodes.roots)))
        numbers = np.arange(len(rows))[:, None]
        for _ in range(nodes.depth):
            goes_right = rows[numbers, nodes.column[places]] > nodes.threshold[places]
            places = nodes.below[places, goes_right.astype(np.int8)]
        odds = self.base + np.sum(nodes.value[places], axis=1)
        return np.asarray(1.0 / (1.0 + np.exp(-odds)), dtype=np.float64)

    @cached_property
    def _nodes(self) -> "_Nodes":
        return _Nodes.of(self.trees)


@dataclass(frozen=True)
class _Nodes:
    """The nodes of all trees in one sequence; a leaf is its own child."""

    roots: Integers
    column: Integers
    threshold: Floats
    below: Integers
    value: npt.NDArray[np.float64]
    depth: int

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Self:
        sizes = [len(tree.column) for tree in trees]
        roots = np.cumsum([0, *sizes])[:-1].astype(np.int32)
        column: list[int] = []
        below: list[tuple[int, int]] = []
        depth = 0
        for root, tree in zip(roots.tolist(), trees, strict=True):
            for node, of_node in enumerate(tree.column):
                leaf = of_node < 0
                column.append(max(of_node, 0))
                own = root + node
                below.append(
                    (own, own) if leaf else (root + tree.left[node], root + tree.right[node])
                )
            depth = max(depth, _depth(tree))
        return cls(
            roots,
            np.array(column, dtype=np.int32),
            np.array([t for tree in trees for t in tree.threshold], dtype=np.float32),
            np.array(below, dtype=np.int32),
            np.array([v for tree in trees for v in tree.value]),
            depth,
        )


def _depth(tree: Tree) -> int:
    deepest = 0
    open_nodes = [(0, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        deepest = max(deepest, depth)
        if tree.column[node] >= 0:
            open_nodes += [(tree.left[node], depth + 1), (tree.right[node], depth + 1)]
    return deepest
