"""Pairs of trees whose distances were computed by hand."""

import numpy as np
import pytest

from detourage.template.distance import edit_mapping, normalised_distance, tree_edit_distance
from tests.trees import parse_brackets

CASES = {
    "the order of children counts": [("{a{b}{c}}", "{a{c}{b}}", 2)],
    "who is above whom counts": [("{a{b}{c}}", "{a{b{c}}}", 2)],
    "the example of Zhang and Shasha, figure 1": [("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}", 2)],
    "one label everywhere: only shapes differ": [
        ("{a{a{a}{a}}{a{a}{a}}}", "{a{a{a}{a}{a}}{a{a}}}", 2)
    ],
    "repeated subtrees": [("{t{r{d}{d}}{r{d}{d}}}", "{t{b{r{d}{d}}{r{d}{d}}}}", 1)],
    "labels of any characters, none being like another": [
        ("{div}", "{DIV}", 1),
        ("{a b}", "{a  b}", 1),
        ("{ a}", "{a}", 1),
        ("{}", "{ }", 1),
        ("{{}{}}", "{{}}", 1),
        ("{10{1}{0}}", "{1{0}}", 2),
        ("{été{naïve}}", "{été{naive}}", 1),
        ("{e\u0301}", "{\u00e9}", 1),
        ("{中文{😀}}", "{中文{😁}}", 1),
        (r"{\{{\}}}", r"{\{{\}}}", 0),
        (r"{\{}", r"{\}}", 1),
        (r"{\\{b}}", r"{\\\\{b}}", 1),
        (r"{a\b}", r"{ab}", 1),
        (r"{a\b}", r"{a\\b}", 0),
        ("{a\x00}", "{a}", 1),
        ("{a\nb}", "{a b}", 1),
        ("{" + "x" * 10_000 + "}", "{" + "x" * 9_999 + "y}", 1),
        ('{<p class="x">}', "{<p class='x'>}", 1),
    ],
}


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        pytest.param(*case, id=f"{why} {n}")
        for why, cases in CASES.items()
        for n, case in enumerate(cases)
    ],
)
def test_distance_matches_hand_computed_values(a: str, b: str, distance: int) -> None:
    tree_a, tree_b = parse_brackets(a), parse_brackets(b)
    assert tree_edit_distance(tree_a, tree_b) == distance
    assert tree_edit_distance(tree_b, tree_a) == distance
    mapping = edit_mapping(tree_a, tree_b)
    changes = [i is None or j is None or tree_a.labels[i] != tree_b.labels[j] for i, j in mapping]
    assert changes.count(True) == distance


def test_single_distances_and_arrays_are_divided_by_tree_sizes() -> None:
    assert normalised_distance(0, 3, 3) == 0.0
    assert normalised_distance(6, 3, 3) == 1.0
    sizes = np.array([3, 5])
    ratios = normalised_distance(np.array([[0, 2], [2, 0]]), sizes[:, None], sizes[None, :])
    assert ratios.tolist() == [[0.0, 0.4], [0.4, 0.0]]


def test_the_mapping_has_the_expected_pairs_of_nodes() -> None:
    a, b = parse_brackets("{f{d{a}{c{b}}}{e}}"), parse_brackets("{f{c{d{a}{b}}}{e}}")
    assert edit_mapping(a, b) == [(0, 0), (1, 1), (2, None), (3, 2), (4, 4), (5, 5), (None, 3)]
    leaf = parse_brackets("{c}")
    assert edit_mapping(leaf, a) == [(0, 2), *((None, j) for j in (0, 1, 3, 4, 5))]
    assert edit_mapping(leaf, leaf) == [(0, 0)]
