"""Gradient-boosted decision trees for several classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from worker.inference.features import Features
from worker.inference.trees import LEAF_UNIT, DecisionTree, Forest, PackedTrees


@dataclass(frozen=True)
class ClassTrees:
    """A classifier of rows into several classes, with a sum over trees per class (Friedman 2001).

    `bases` are the logits of the classes before adding any tree, and `trees` the trees of each
    class.
    """

    KIND: ClassVar[str] = "boosted trees for each class"

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    bases: tuple[float, ...]
    trees: tuple[Sequence[DecisionTree], ...]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a classifier from the parameters returned by `to_parameters`."""
        by_class: Sequence[Mapping[str, Any]] = parameters["classes"]
        return cls(
            tuple(parameters["columns"]),
            tuple(str(each["name"]) for each in by_class),
            tuple(float(each["base"]) for each in by_class),
            tuple(Forest.from_parameters(each["trees"]) for each in by_class),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters in a form that can be serialised as JSON."""
        by_class = [
            {"name": name, "base": base, "trees": Forest.of(trees).to_parameters()}
            for name, base, trees in zip(self.classes, self.bases, self.trees, strict=True)
        ]
        return {"columns": list(self.columns), "classes": by_class}

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return the probabilities of the classes, shape (rows, classes); each row sums to 1.

        Raises RuntimeError if the columns differ from those used in training.
        """
        rows = np.ascontiguousarray(features.rows_for(self.columns), dtype=np.float32)
        logits = np.empty((len(rows), len(self.classes)))
        for place, (base, packed) in enumerate(zip(self.bases, self._packed, strict=True)):
            logits[:, place] = base + LEAF_UNIT * packed.sums(rows)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def _packed(self) -> tuple[PackedTrees, ...]:
        return tuple(map(PackedTrees.of, self.trees))
