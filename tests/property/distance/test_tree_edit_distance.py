from hypothesis import given
from hypothesis import strategies as st
from plain_zhang_shasha import plain_distance
from trees import trees

from worker.distance import distance_matrix, normalised_distance, tree_edit_distance
from worker.distance.fallback import tree_edit_distance as apted_distance
from worker.pages.tree import Tree


@given(trees(), trees())
def test_agrees_with_the_definition(a: Tree, b: Tree) -> None:
    assert tree_edit_distance(a, b) == plain_distance(a, b)


@given(trees(max_nodes=30), trees(max_nodes=30))
def test_agrees_with_apted(a: Tree, b: Tree) -> None:
    assert tree_edit_distance(a, b) == apted_distance(a, b)


@given(trees(), trees(), st.integers(0, 30))
def test_bounded_distance_is_exact_up_to_the_bound(a: Tree, b: Tree, bound: int) -> None:
    exact = tree_edit_distance(a, b)
    assert tree_edit_distance(a, b, bound=bound) == min(exact, bound + 1)


@given(trees(max_nodes=25), trees(max_nodes=25), trees(max_nodes=25))
def test_is_a_metric_also_when_normalised(a: Tree, b: Tree, c: Tree) -> None:
    def normalised(x: Tree, y: Tree) -> float:
        return normalised_distance(tree_edit_distance(x, y), len(x), len(y))

    for distance in (tree_edit_distance, normalised):
        assert distance(a, b) == distance(b, a)
        assert (distance(a, b) == 0) == (a == b)
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
    assert 0 <= normalised(a, b) <= 1


@given(st.lists(trees(max_nodes=20), max_size=6), st.integers(1, 2))
def test_matrix_holds_the_distance_of_every_pair(forest: list[Tree], threads: int) -> None:
    matrix = distance_matrix(forest, threads=threads)
    assert matrix.tolist() == [[tree_edit_distance(a, b) for b in forest] for a in forest]
