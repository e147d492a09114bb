"""Trained gradient-boosted decision trees."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from detourage.inference.features import Features
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

    def sums(self, row: npt.NDArray[np.float32]) -> int:
        """Descend all trees at once; return the sum of a row's leaves, in units of `LEAF_UNIT`."""
        nodes, column = self.starts, self.column[self.starts]
        while (column >= 0).any():
            right = np.where(column < 0, nodes, self.starts + self.right[nodes])
            goes_left = (column >= 0) & (row[column] <= self.threshold[nodes])
            nodes = np.where(goes_left, nodes + 1, right)
            column = self.column[nodes]
        return int(self.value[nodes].sum(dtype=np.int64))


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
        rows, sums = features.rows_for(self.columns), self.trees.sums
        log_odds = np.array([self.base + LEAF_UNIT * sums(row) for row in rows], dtype=np.float64)
        return np.asarray(1.0 / (1.0 + np.exp(-log_odds)), dtype=np.float64)
