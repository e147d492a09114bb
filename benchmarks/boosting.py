"""Training of the service's boosted trees, and conversion to its own format."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from worker.inference import BoostedTrees, DecisionTree

LEARNING_RATE = 0.1
SHRINKAGE = 1.0

COLUMNS_AT_A_SPLIT = 0.4
"""Share of the columns, drawn at random, that each split considers, so that trees differ more."""

SEED = 0


def new_classifier(
    *, trees: int, leaves: int, min_rows_in_leaf: int, seed: int = SEED
) -> HistGradientBoostingClassifier:
    """Return an unfitted classifier; equal seeds give equal trees."""
    return HistGradientBoostingClassifier(
        max_iter=trees,
        learning_rate=LEARNING_RATE,
        max_leaf_nodes=leaves,
        min_samples_leaf=min_rows_in_leaf,
        l2_regularization=SHRINKAGE,
        max_features=COLUMNS_AT_A_SPLIT,
        early_stopping=False,
        random_state=seed,
    )


def as_trees(classifier: HistGradientBoostingClassifier, columns: Sequence[str]) -> BoostedTrees:
    """Convert a binary classifier fitted on `columns`, rounding numbers as in model files."""
    [trees] = zip(*classifier._predictors, strict=True)  # noqa: SLF001 - no public access to the trees
    base = float(np.ravel(classifier._baseline_prediction)[0])  # noqa: SLF001 - as above
    return BoostedTrees(
        tuple(columns), round(base, 6), tuple(_as_tree(tree.nodes) for tree in trees)
    )


def _as_tree(nodes: npt.NDArray[Any]) -> DecisionTree:
    leaf = nodes["is_leaf"].astype(bool)
    return DecisionTree(
        column=np.where(leaf, -1, nodes["feature_idx"].astype(np.int64)).tolist(),
        threshold=[float(f"{value:.6g}") for value in np.where(leaf, 0.0, nodes["num_threshold"])],
        left=np.where(leaf, 0, nodes["left"]).tolist(),
        right=np.where(leaf, 0, nodes["right"]).tolist(),
        value=[float(f"{value:.5f}") for value in np.where(leaf, nodes["value"], 0.0)],
    )


def mean_of(models: Sequence[BoostedTrees]) -> BoostedTrees:
    """Average the log odds of classifiers, which must have the same columns."""
    trees = [
        replace(tree, value=[round(value / len(models), 5) for value in tree.value])
        for model in models
        for tree in model.trees
    ]
    base = fmean(model.base for model in models)
    return BoostedTrees(models[0].columns, round(base, 6), tuple(trees))
