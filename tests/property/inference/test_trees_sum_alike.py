"""All trees are descended at once, with the same sums of leaf values as one by one."""

import random

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.boosting import DecisionTree, to_forest

COLUMNS = 3
VALUES = (-1.0, 0.0, 0.5, 1.0, 7.25)


def random_tree(rng: random.Random) -> DecisionTree:
    column, threshold, left, right, value = [-1], [0.0], [0], [0], [rng.choice(VALUES)]
    for _ in range(rng.randrange(32)):
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


@given(st.integers(1, 5), st.randoms(use_true_random=True))
def test_trees_descended_at_once_have_the_sums_of_single_trees(
    tree_count: int, rng: random.Random
) -> None:
    trees = [random_tree(rng) for _ in range(tree_count)]
    row = np.array(rng.choices((-1.0, 0.0, 0.5, 3.0, 9.0), k=COLUMNS), dtype=np.float32)
    assert to_forest(trees).sums(row) == sum(_walk(tree, row) for tree in trees)


def _walk(tree: DecisionTree, row: npt.NDArray[np.float32]) -> int:
    node = 0
    while tree.column[node] >= 0:
        goes_left = row[tree.column[node]] <= tree.threshold[node]
        node = tree.left[node] if goes_left else tree.right[node]
    return round(tree.value[node] / 1e-5)
