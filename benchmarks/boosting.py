"""Training of boosted trees with scikit-learn, and their conversion to the service's format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from detourage.inference import BoostedTrees
from detourage.inference.trees import LEAF_UNIT, LEAF_UNITS_PER_ONE, Forest

LEARNING_RATE = 0.1  # factor by which each tree's values are scaled
SHRINKAGE = 1.0  # L2 regularisation of the leaves' values

COLUMNS_AT_A_SPLIT = 0.4
"""Share of the columns, drawn at random, that each split considers, so that trees differ."""

SEED = 0


@dataclass(frozen=True)
class DecisionTree:
    """A decision tree in which every node comes after its parent.

    At each node, a row goes to the `left` child if its value in the node's `column` is at most the
    `threshold`, and to the `right` child otherwise. A leaf has column -1, and threshold and
    children 0; its `value`, a multiple of `LEAF_UNIT`, is added to the log odds. Inner nodes have
    the value 0.
    """

    column: Sequence[int]
    threshold: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    value: Sequence[float]


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


def to_model(classifier: HistGradientBoostingClassifier, columns: Sequence[str]) -> BoostedTrees:
    """Convert a fitted binary classifier to the service's format, rounded as in model files."""
    [trees] = zip(*classifier._predictors, strict=True)  # noqa: SLF001 - no public access to the trees
    base = float(np.ravel(classifier._baseline_prediction)[0])  # noqa: SLF001 - no public access
    forest = to_forest(_to_decision_tree(tree.nodes) for tree in trees)
    return BoostedTrees(tuple(columns), round(base, 6), forest)


def _to_decision_tree(nodes: npt.NDArray[Any]) -> DecisionTree:
    """Convert the nodes of a scikit-learn tree."""
    leaf = nodes["is_leaf"].astype(bool)
    return DecisionTree(
        column=np.where(leaf, -1, nodes["feature_idx"].astype(np.int64)).tolist(),
        threshold=[float(f"{value:.6g}") for value in np.where(leaf, 0.0, nodes["num_threshold"])],
        left=np.where(leaf, 0, nodes["left"]).tolist(),
        right=np.where(leaf, 0, nodes["right"]).tolist(),
        value=[float(f"{value:.5f}") for value in np.where(leaf, nodes["value"], 0.0)],
    )


def to_forest(trees: Iterable[DecisionTree]) -> Forest:
    """Pack the nodes of all trees into arrays, the form that the service stores and evaluates."""
    nodes = [list(_preorder(tree)) for tree in trees]
    columns = zip(*chain.from_iterable(nodes), strict=True) if nodes else ((),) * 4
    column, threshold, right, value = columns
    return Forest(
        np.array([len(each) for each in nodes], dtype=np.uint16),
        np.array(column, dtype=np.int16),
        np.array(threshold, dtype=np.float32),
        np.array(right, dtype=np.int16),
        np.array(value, dtype=np.int32),
    )


def _preorder(tree: DecisionTree) -> Iterator[tuple[int, float, int, int]]:
    """Yield the column, threshold, right child's position and value of each node in preorder."""
    nodes = [0]
    order: list[int] = []
    while nodes:
        node = nodes.pop()
        order.append(node)
        if tree.column[node] >= 0:
            nodes += [tree.right[node], tree.left[node]]
    position = {node: number for number, node in enumerate(order)}
    for node in order:
        is_inner = tree.column[node] >= 0
        yield (
            tree.column[node],
            tree.threshold[node],
            position[tree.right[node]] if is_inner else 0,
            0 if is_inner else round(tree.value[node] / LEAF_UNIT),
        )


def average_models(models: Sequence[BoostedTrees]) -> BoostedTrees:
    """Return a model whose log odds are the mean of those of models with the same columns."""
    forests = [model.trees for model in models]
    values = np.concatenate([each.value for each in forests]).tolist()
    means = [round(value / LEAF_UNITS_PER_ONE / len(models), 5) for value in values]
    forest = Forest(
        np.concatenate([each.sizes for each in forests]),
        np.concatenate([each.column for each in forests]),
        np.concatenate([each.threshold for each in forests]),
        np.concatenate([each.right for each in forests]),
        np.array([round(mean / LEAF_UNIT) for mean in means], dtype=np.int32),
    )
    base = fmean(model.base for model in models)
    return BoostedTrees(models[0].columns, round(base, 6), forest)
