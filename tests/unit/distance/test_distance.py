import numpy as np
import pytest

from worker.distance import (
    IMPLEMENTATION,
    TreeTooLargeError,
    distance_matrix,
    fallback,
    normalised_distance,
    tree_edit_distance,
)
from worker.pages.tree import Tree


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("{a}", "{a}", 0),
        ("{a}", "{b}", 1),
        ("{a}", "{a{b}}", 1),
        ("{a{b}{c}}", "{a{c}{b}}", 2),
        ("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}", 2),
        ("{a{b}{c}{d}}", "{x}", 4),
    ],
)
def test_known_distances(a: str, b: str, distance: int) -> None:
    assert tree_edit_distance(Tree.from_brackets(a), Tree.from_brackets(b)) == distance


def test_the_kernel_is_built_where_the_tests_run() -> None:
    assert IMPLEMENTATION == "native"


def test_a_negative_bound_is_refused() -> None:
    tree = Tree.from_brackets("{a}")
    with pytest.raises(ValueError, match="bound"):
        tree_edit_distance(tree, tree, bound=-1)


def test_matrix_of_no_tree_is_empty() -> None:
    assert distance_matrix([]).shape == (0, 0)


def test_matrix_is_of_32_bit_integers() -> None:
    trees = [Tree.from_brackets("{a{b}}"), Tree.from_brackets("{a}")]
    assert distance_matrix(trees).dtype == np.int32


def test_normalised_distance_of_numbers_and_arrays() -> None:
    assert normalised_distance(0, 3, 3) == 0.0
    assert normalised_distance(6, 3, 3) == 1.0
    distances = np.array([[0, 2], [2, 0]], np.int32)
    sizes = np.array([3, 5])
    ratios = normalised_distance(distances, sizes[:, None], sizes[None, :])
    assert ratios.tolist() == [[0.0, 0.4], [0.4, 0.0]]


def test_without_the_kernel_the_answer_is_the_same() -> None:
    a, b = Tree.from_brackets("{a{b{c}}{d}}"), Tree.from_brackets("{a{c}{d{e}}}")
    assert fallback.tree_edit_distance(a, b) == tree_edit_distance(a, b)


def test_without_the_kernel_it_is_said_once() -> None:
    fallback.warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="apted"):
        fallback.warn_once()
    fallback.warn_once()


def test_without_the_kernel_large_trees_are_refused() -> None:
    chain = Tree.from_preorder([("a", depth) for depth in range(fallback.MAX_NODES + 1)])
    with pytest.raises(TreeTooLargeError):
        fallback.tree_edit_distance(chain, chain)


def test_enormous_trees_are_refused() -> None:
    star = Tree.from_preorder([("a", min(index, 1)) for index in range(200_001)])
    chain = Tree.from_preorder([("a", depth) for depth in range(100_000)])
    with pytest.raises(TreeTooLargeError):
        tree_edit_distance(star, chain)
