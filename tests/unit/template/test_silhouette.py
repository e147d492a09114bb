import numpy as np
import pytest

from detourage.template.clusterer import silhouette_coefficients

LINE = np.abs(np.subtract.outer([0.0, 0.1, 0.5, 0.7], [0.0, 0.1, 0.5, 0.7]))


def test_coefficients_match_each_case_of_the_definition() -> None:
    closer = silhouette_coefficients(LINE, [0, 0, 1, 1])
    assert closer == pytest.approx([1 - 0.1 / 0.5, 1 - 0.1 / 0.4, 1 - 0.2 / 0.4, 1 - 0.2 / 0.6])

    farther = silhouette_coefficients(LINE, [0, 1, 0, 1])
    assert farther[1] == pytest.approx(0.1 / 0.6 - 1)

    equal = np.array([[0, 2, 2], [2, 0, 2], [2, 2, 0]]) / 10
    assert silhouette_coefficients(equal, [0, 0, 1]) == pytest.approx([0, 0, 0])


def test_a_single_item_is_neutral() -> None:
    assert silhouette_coefficients(LINE, [0, 0, 0, 1])[3] == 0


def test_equal_items_in_one_cluster_are_perfect_and_in_two_neutral() -> None:
    distances = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], dtype=float)
    assert silhouette_coefficients(distances, [0, 0, 1])[:2] == pytest.approx([1, 1])
    assert silhouette_coefficients(np.zeros((4, 4)), [0, 0, 1, 1]) == pytest.approx(np.zeros(4))


def test_one_cluster_has_no_structure() -> None:
    assert silhouette_coefficients(LINE, [7, 7, 7, 7]) == pytest.approx(np.zeros(4))
    assert silhouette_coefficients(np.zeros((0, 0)), []).shape == (0,)
