import subprocess
import sys

import numpy as np
import pytest

from detourage.template.distance import (
    IMPLEMENTATION,
    distance_matrix,
    edit_mapping,
    normalised_distance,
    tree_edit_distance,
)
from tests.trees import tree_of


def test_the_kernel_is_built_for_the_tests() -> None:
    assert IMPLEMENTATION == "native"


def test_a_negative_bound_is_rejected() -> None:
    tree = tree_of("{a}")
    with pytest.raises(ValueError, match="bound"):
        tree_edit_distance(tree, tree, bound=-1)


def test_the_matrix_of_no_trees_is_empty() -> None:
    assert distance_matrix([]).shape == (0, 0)


def test_the_matrix_has_32_bit_integers() -> None:
    trees = [tree_of("{a{b}}"), tree_of("{a}")]
    assert distance_matrix(trees).dtype == np.int32


def test_normalised_distance_of_numbers_and_arrays() -> None:
    assert normalised_distance(0, 3, 3) == 0.0
    assert normalised_distance(6, 3, 3) == 1.0
    distances = np.array([[0, 2], [2, 0]], np.int32)
    sizes = np.array([3, 5])
    ratios = normalised_distance(distances, sizes[:, None], sizes[None, :])
    assert ratios.tolist() == [[0.0, 0.4], [0.4, 0.0]]


WITHOUT_KERNEL = """
import sys, warnings
sys.modules["detourage.template.distance._native"] = None
from detourage.template.distance import *
from detourage.template.distance.fallback import MAX_NODES
from detourage.template.distance.forest import forest_of
from detourage.html.tree import Tree

assert IMPLEMENTATION == "apted"
a = Tree.from_preorder([("a", 0), ("b", 1), ("c", 2), ("d", 1)])
b = Tree.from_preorder([("a", 0), ("c", 1), ("d", 1), ("e", 2)])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(tree_edit_distance(a, b), tree_edit_distance(a, b, bound=0), tree_edit_distance(a, a))
    print(distance_matrix([a, b, a]).tolist())
    [lower] = forest_of([a, b]).lower_bounds([0], [1])
    print(lower <= tree_edit_distance(a, b), edit_mapping(a, a))
    print(len(caught), "apted" in str(caught[0].message))
for large in [("a", depth) for depth in range(1000)], [("a", i > 0) for i in range(MAX_NODES + 1)]:
    try:
        tree_edit_distance(Tree.from_preorder(large), a)
    except TreeTooLargeError as error:
        print(error.trees)
"""


def test_without_the_kernel_the_package_works_and_warns_once() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_KERNEL], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        "2 1 0",
        "[[0, 2, 0], [2, 0, 2], [0, 2, 0]]",
        "True [(0, 0), (1, 1), (2, 2), (3, 3)]",
        "1 True",
        "(0,)",
        "(0,)",
    ]


def test_the_mapping_of_known_trees() -> None:
    a, b = tree_of("{f{d{a}{c{b}}}{e}}"), tree_of("{f{c{d{a}{b}}}{e}}")
    assert edit_mapping(a, b) == [(0, 0), (1, 1), (2, None), (3, 2), (4, 4), (5, 5), (None, 3)]
    leaf = tree_of("{c}")
    assert edit_mapping(leaf, a) == [(0, 2), *((None, j) for j in (0, 1, 3, 4, 5))]
    assert edit_mapping(leaf, leaf) == [(0, 0)]
