from hypothesis import given
from hypothesis import strategies as st

from detourage.html.tree import Tree
from detourage.template.distance import (
    distance_matrix,
    edit_mapping,
    normalised_distance,
    tree_edit_distance,
)
from detourage.template.distance.forest import Forest
from tests.property.template.distance.trees import trees


@given(trees(max_nodes=25), trees(max_nodes=25), trees(max_nodes=25))
def test_is_a_metric_even_when_normalised(a: Tree, b: Tree, c: Tree) -> None:
    def normalised(x: Tree, y: Tree) -> float:
        return normalised_distance(tree_edit_distance(x, y), len(x), len(y))

    for distance in (tree_edit_distance, normalised):
        assert distance(a, b) == distance(b, a)
        assert (distance(a, b) == 0) == (a == b)
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
    assert 0 <= normalised(a, b) <= 1
    assert Forest([a, b]).lower_bounds([0], [1])[0] <= tree_edit_distance(a, b)


@given(trees(max_nodes=25), trees(max_nodes=25))
def test_the_mapping_is_optimal(a: Tree, b: Tree) -> None:
    mapping = edit_mapping(a, b)
    assert sorted(i for i, _ in mapping if i is not None) == list(range(len(a)))
    assert sorted(j for _, j in mapping if j is not None) == list(range(len(b)))
    cost = sum(i is None or j is None or a.labels[i] != b.labels[j] for i, j in mapping)
    assert cost == tree_edit_distance(a, b)
    pairs = [(i, j) for i, j in mapping if i is not None and j is not None]
    for i, j in pairs:
        for k, m in pairs:
            assert (i < k) == (j < m)
            assert _is_below(a, i, k) == _is_below(b, j, m)


def _is_below(tree: Tree, node: int, ancestor: int) -> bool:
    return bool(ancestor - tree.sizes[ancestor] < node < ancestor)


@given(st.lists(trees(max_nodes=20), max_size=6), st.sampled_from([1, 2]), st.integers(0, 4000))
def test_the_matrix_contains_the_distance_of_every_pair(
    forest: list[Tree], threads: int, memory: int
) -> None:
    matrix = distance_matrix(forest, threads=threads, memory=memory)
    assert matrix.tolist() == [[tree_edit_distance(a, b) for b in forest] for a in forest]
