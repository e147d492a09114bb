"""The native code gives each row the same sum of leaf values as walks from the trees' roots."""

import random

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.boosting import DecisionTree, to_forest
from detourage.inference.trees import MAX_LEAVES, PackedTrees

COLUMNS = 3
VALUES = (-1.0, 0.0, 0.5, 1.0, 7.25)


def random_tree(rng: random.Random) -> DecisionTree:
    column, threshold, left, right, value = [-1], [0.0], [0], [0], [rng.choice(VALUES)]
    for _ in range(rng.randrange(MAX_LEAVES)):
        node = rng.choice(
            [node for node, column_of_node in enumerate(column) if column_of_node < 0]
        )
        column[node], threshold[node] = rng.randrange(COLUMNS), rng.choice(VALUES)
        left[node], right[node], value[node] = len(column), len(column) + 1, 0.0
        for _ in range(2):
            column.append(-1)
            threshold.append(0.0)
            left.append(0)
            right.append(0)
            value.append(rng.uniform(-3, 3))
    return DecisionTree(column, threshold, left, right, value)


@given(st.integers(1, 5), st.integers(0, 70), st.randoms(use_true_random=True))
def test_packed_trees_give_the_same_sums_as_single_trees(
    tree_count: int, row_count: int, rng: random.Random
) -> None:
    forest = [random_tree(rng) for _ in range(tree_count)]
    values = rng.choices((-1.0, 0.0, 0.5, 3.0, 9.0), k=row_count * COLUMNS)
    rows = np.array(values, dtype=np.float32).reshape(row_count, COLUMNS)
    packed = PackedTrees.of(to_forest(forest))
    assert packed.sums(rows).tolist() == [sum(_walk(tree, row) for tree in forest) for row in rows]


def _walk(tree: DecisionTree, row: npt.NDArray[np.float32]) -> int:
    node = 0
    while tree.column[node] >= 0:
        goes_left = row[tree.column[node]] <= tree.threshold[node]
        node = tree.left[node] if goes_left else tree.right[node]
    return round(tree.value[node] / 1e-5)
