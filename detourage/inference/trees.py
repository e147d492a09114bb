"""Trained gradient-boosted decision trees."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.inference import _trees
from detourage.inference.features import Features, Rows
from detourage.inference.model_files import decode_array, encode_array
from detourage.records import record

Integers = npt.NDArray[np.int32]
LEAF_UNITS_PER_ONE = 100_000
LEAF_UNIT = 1 / LEAF_UNITS_PER_ONE
"""Unit of the leaves' values, which are integers so that the order of additions does not matter."""


@record
class Forest:
    """Decision trees in arrays, with the nodes of each tree in preorder.

    `sizes` is the number of nodes of each tree. At an inner node, a row whose value in `column` is
    at most the `threshold` continues with the left child, which directly follows the node. Any
    other row continues with the right child, whose position in the tree is `right`. A leaf has -1
    as its column and 0 as its threshold and `right`. `value` is the amount that a leaf adds to the
    log odds, in units of `LEAF_UNIT`, or 0 for an inner node.
    """

    sizes: npt.NDArray[np.uint16]
    column: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    right: npt.NDArray[np.int16]
    value: Integers

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a forest from the parameters returned by `to_parameters`."""
        return cls(*(decode_array(parameters[name], dtype) for name, dtype in _NODES.items()))

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters, ready for JSON."""
        return {name: encode_array(getattr(self, name), dtype) for name, dtype in _NODES.items()}

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Position of the first node of each tree."""
        return np.cumsum(self.sizes, dtype=np.int64) - self.sizes


_NODES = {"sizes": "u2", "column": "i2", "threshold": "f4", "right": "i2", "value": "i4"}
"""Names of a forest's arrays, with their data types in files."""


@record
class BoostedTrees:
    """A classifier whose log odds are `base` plus the sum of its trees' values (Friedman 2001)."""

    KIND: ClassVar[str] = "boosted trees"

    columns: tuple[str, ...]
    base: float
    trees: Forest

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a classifier from the parameters returned by `to_parameters`."""
        trees = Forest.from_parameters(parameters["trees"])
        return cls(tuple(parameters["columns"]), float(parameters["base"]), trees)

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters, ready for JSON."""
        trees = self.trees.to_parameters()
        return {"columns": list(self.columns), "base": self.base, "trees": trees}

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the probability of the second class per row; raise as `Features.rows_for` does."""
        rows = features.rows_for(self.columns)
        sums = self._packed.sums(np.ascontiguousarray(rows, dtype=np.float32))
        log_odds = np.asarray(self.base + LEAF_UNIT * sums, dtype=np.float64)
        return np.asarray(1.0 / (1.0 + np.exp(-log_odds)), dtype=np.float64)

    @cached_property
    def _packed(self) -> "PackedTrees":
        return PackedTrees.of(self.trees)


_TEST = np.dtype([("threshold", np.float32), ("remaining", np.uint32), ("tree", np.int32)])
MAX_LEAVES = 32  # leaves per tree; the shipped trees have at most 24


class PackedTrees(NamedTuple):
    """Trees packed so that all trees are evaluated together, which is fast.

    `tests` are the inner nodes, ordered by column and threshold. The bit mask ``remaining`` has a
    bit for each leaf of the tree that a row above the threshold can still reach; the lowest bit is
    the first leaf. `columns` are the columns of the tests in ascending order. `values` are the
    amounts that the leaves add, in units of `LEAF_UNIT`, shape (trees, `MAX_LEAVES`).
    """

    tests: npt.NDArray[Any]
    columns: Integers
    values: Integers

    @classmethod
    def of(cls, forest: Forest) -> Self:
        """Pack trees; raise ValueError if one has more than `MAX_LEAVES` leaves."""
        starts, is_leaf = forest.starts, forest.column < 0
        # The leaves before a node in preorder are those to the left of its subtree.
        leaves_before: npt.NDArray[np.int64] = np.cumsum(is_leaf) - is_leaf
        tree = np.repeat(np.arange(len(forest.sizes), dtype=np.int32), forest.sizes)
        first_leaf = leaves_before - leaves_before[starts][tree]
        values = np.zeros((len(forest.sizes), MAX_LEAVES), dtype=np.int32)
        if len(first_leaf) and first_leaf[is_leaf].max() >= MAX_LEAVES:
            raise ValueError(f"a tree has more than {MAX_LEAVES} leaves")
        values[tree[is_leaf], first_leaf[is_leaf]] = forest.value[is_leaf]
        inner = np.flatnonzero(~is_leaf)
        inner = inner[np.lexsort((forest.threshold[inner], forest.column[inner]))]
        # A row above the threshold cannot reach the leaves from the first on the left side up to
        # the first on the right side.
        left, right = first_leaf[inner], first_leaf[forest.right[inner] + starts[tree[inner]]]
        tests = np.empty(len(inner), dtype=_TEST)
        tests["threshold"] = forest.threshold[inner]
        tests["remaining"] = ~((1 << right) - (1 << left)) & 0xFFFF_FFFF
        tests["tree"] = tree[inner]
        return cls(tests, forest.column[inner].astype(np.int32), values)

    def sums(self, rows: Rows) -> npt.NDArray[np.int64]:
        """Return the sum of each row's leaves, in units of `LEAF_UNIT`."""
        ends = np.searchsorted(self.columns, np.arange(rows.shape[1]), side="right")
        answer = _trees.sums(self.tests, ends.astype(np.int32), self.values, rows)
        return np.frombuffer(answer, dtype=np.int64)
