"""Pairs of trees whose distances were computed by hand."""

import pytest

from tests.trees import tree_of
from worker.grouping.distance import edit_mapping, tree_edit_distance

CASES = {
    "equal": [
        ("{a}", "{a}", 0),
        ("{a{b}{c{d}}}", "{a{b}{c{d}}}", 0),
        ("{a{a{a}}}", "{a{a{a}}}", 0),
    ],
    "one node relabelled": [
        ("{a}", "{b}", 1),
        ("{a{b}{c}}", "{x{b}{c}}", 1),
        ("{a{b}{c}}", "{a{b}{x}}", 1),
        ("{a{b{c}{d}}{e}}", "{a{x{c}{d}}{e}}", 1),
    ],
    "one node inserted, whose place may be anywhere": [
        ("{a}", "{a{b}}", 1),
        ("{a}", "{b{a}}", 1),
        ("{a{b}{d}}", "{a{b}{c}{d}}", 1),
        ("{a{c}{d}}", "{a{b{c}{d}}}", 1),
        ("{a{b}{c}{d}{e}}", "{a{b}{x{c}{d}}{e}}", 1),
        ("{a{b}}", "{a{x{b}}}", 1),
        ("{a{b}{c}}", "{x{a{b}{c}}}", 1),
    ],
    "every second of a chain": [
        ("{a{b{c{d{e{f}}}}}}", "{a{c{e}}}", 3),
        ("{a{b{c{d{e{f}}}}}}", "{b{d{f}}}", 3),
    ],
    "a single node that is in the other tree, or is not": [
        ("{d}", "{a{b}{c{d}}}", 3),
        ("{x}", "{a{b}{c{d}}}", 4),
        ("{a}", "{a{b}{c}{d}{e}}", 4),
    ],
    "a subtree deep in the other tree": [
        ("{e{f}{g}}", "{a{b}{c{d{e{f}{g}}}}}", 4),
        ("{e{f}{g}}", "{a{e{f}{g}}{e{f}{g}}}", 4),
    ],
    "nothing in common: as many relabelled as the smaller has, if it fits": [
        ("{a{b}{c}}", "{x{y}{z}}", 3),
        ("{a{b}{c}{d}}", "{w{x{y{z}}}}", 6),
        ("{a{b}{c}}", "{w{x}{y}{z}}", 4),
    ],
    "the order of children counts": [
        ("{a{b}{c}}", "{a{c}{b}}", 2),
        ("{a{b{x}{y}}{c}}", "{a{c}{b{x}{y}}}", 2),
        ("{a{b}{c}{d}}", "{a{d}{b}{c}}", 2),
        ("{a{b}{c}{d}}", "{a{d}{c}{b}}", 2),
    ],
    "who is above whom counts": [
        ("{a{b}}", "{b{a}}", 2),
        ("{a{b{c}}}", "{a{c{b}}}", 2),
        ("{a{b}{c}}", "{a{b{c}}}", 2),
        ("{r{a{b}}{c}}", "{r{a{b}{c}}}", 2),
    ],
    "the example of Zhang and Shasha, figure 1": [
        ("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}", 2),
    ],
    "one label everywhere: only shapes differ": [
        ("{a{a}{a}{a}}", "{a{a{a{a}}}}", 4),
        ("{a{a{a}{a}}{a{a}{a}}}", "{a{a{a}{a}{a}}{a{a}}}", 2),
        ("{a{a}}", "{a{a}{a}{a}}", 2),
    ],
    "repeated subtrees": [
        ("{t{r{d}{d}}{r{d}{d}}}", "{t{r{d}{d}}{r{d}{d}}{r{d}{d}}}", 3),
        ("{t{r{d}{d}}{r{d}{d}}}", "{t{r{d}{d}}}", 3),
        ("{t{r{d}{d}}{r{d}{d}}}", "{t{r{d}{d}{d}{d}}}", 3),
        ("{t{r{d}{d}}{r{d}{d}}}", "{t{d}{d}{d}{d}}", 2),
        ("{t{r{d}{d}}{r{d}{d}}}", "{t{b{r{d}{d}}{r{d}{d}}}}", 1),
    ],
    "combs": [
        ("{a{b}{a{b}{a{b}{a}}}}", "{a{a{a{a}{b}}{b}}{b}}", 6),
        ("{a{b}{a{b}{a}}}", "{a{b}{a{b}{a{b}{a}}}}", 2),
    ],
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
    left, right = tree_of(a), tree_of(b)
    assert tree_edit_distance(left, right) == distance
    assert tree_edit_distance(right, left) == distance
    mapping = edit_mapping(left, right)
    changes = [i is None or j is None or left.labels[i] != right.labels[j] for i, j in mapping]
    assert sum(changes) == distance
