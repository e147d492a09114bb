import numpy as np

from detourage.template.distance import (
    edit_mapping,
    normalised_distance,
)
from tests.trees import tree_of


def test_normalised_distance_of_numbers_and_arrays() -> None:
    assert normalised_distance(0, 3, 3) == 0.0
    assert normalised_distance(6, 3, 3) == 1.0
    distances = np.array([[0, 2], [2, 0]], np.int32)
    sizes = np.array([3, 5])
    ratios = normalised_distance(distances, sizes[:, None], sizes[None, :])
    assert ratios.tolist() == [[0.0, 0.4], [0.4, 0.0]]


def test_the_mapping_of_known_trees() -> None:
    a, b = tree_of("{f{d{a}{c{b}}}{e}}"), tree_of("{f{c{d{a}{b}}}{e}}")
    assert edit_mapping(a, b) == [(0, 0), (1, 1), (2, None), (3, 2), (4, 4), (5, 5), (None, 3)]
    leaf = tree_of("{c}")
    assert edit_mapping(leaf, a) == [(0, 2), *((None, j) for j in (0, 1, 3, 4, 5))]
    assert edit_mapping(leaf, leaf) == [(0, 0)]
