import random
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.distance.compared_trees import nearest_references
from detourage.html import Tree
from detourage.template.distance import (
    KnownNearest,
    edit_mapping,
    grouping_distances,
    nearest_of_changed,
    normalised_distance,
    tree_edit_distance,
)
from detourage.template.distance.forest import Forest
from tests.property.template.distance.trees import trees


@given(trees(max_nodes=25), trees(max_nodes=25), trees(max_nodes=25))
def test_the_distance_is_a_metric_even_when_normalised(a: Tree, b: Tree, c: Tree) -> None:
    def normalised(x: Tree, y: Tree) -> float:
        return normalised_distance(tree_edit_distance(x, y), len(x), len(y))

    for distance in (tree_edit_distance, normalised):
        assert distance(a, b) == distance(b, a)
        assert (distance(a, b) == 0) == (a == b)
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
    assert 0 <= normalised(a, b) <= 1
    assert Forest([a, b]).lower_bounds([0], [1])[0] <= tree_edit_distance(a, b)
    assert Forest([a, b]).label_bounds(0, np.array([1], np.int32))[0] <= tree_edit_distance(a, b)


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
def test_threads_and_memory_do_not_matter(forest: list[Tree], threads: int, memory: int) -> None:
    i, j = np.triu_indices(len(forest), 1)
    distances = Forest(forest, memory=memory).distances(i, j, threads=threads)
    assert distances.tolist() == [tree_edit_distance(*pair) for pair in combinations(forest, 2)]


@given(st.lists(trees(), max_size=8), st.lists(trees(), max_size=8))
def test_the_nearest_reference_equals_that_of_a_full_comparison(
    pages: list[Tree], references: list[Tree]
) -> None:
    nearest = nearest_references(pages, references)
    if not references:
        assert nearest.reference.tolist() == [-1] * len(pages)
        assert nearest.distance.tolist() == [1.0] * len(pages)
        return
    sizes = np.array([len(tree) for tree in (*pages, *references)])
    i, j = np.divmod(np.arange(len(pages) * len(references)), len(references))
    j += len(pages)
    edits = grouping_distances(Forest([*pages, *references]), i, j)
    distances = normalised_distance(edits, sizes[i], sizes[j]).reshape(-1, len(references))
    assert nearest.reference.tolist() == distances.argmin(axis=1).tolist()
    assert nearest.distance.tolist() == distances.min(axis=1, initial=1.0).tolist()


def flat_trees(rng: random.Random, count: int) -> list[Tree]:
    return [
        Tree.from_preorder([("a", 0)] + [(rng.choice("bc"), 1) for _ in range(rng.randrange(1, 9))])
        for _ in range(count)
    ]


@settings(deadline=None)
@given(st.randoms(), st.integers(0, 5), st.integers(1, 6), st.integers(0, 3))
def test_earlier_searches_do_not_change_the_result(
    rng: random.Random, page_count: int, reference_count: int, search_count: int
) -> None:
    page_trees, references = flat_trees(rng, page_count), flat_trees(rng, reference_count)
    expected = nearest_references(page_trees, references)
    known_nearest: list[list[KnownNearest]] = [[] for _ in page_trees]
    for _ in range(search_count):
        searched = sorted(rng.sample(range(reference_count), rng.randint(1, reference_count)))
        search_result = nearest_references(page_trees, [references[i] for i in searched])
        for facts, nearest, distance in zip(
            known_nearest, search_result.reference, search_result.distance, strict=True
        ):
            facts.append(KnownNearest(searched[nearest], float(distance), frozenset(searched)))
    result = nearest_of_changed(page_trees, references, known_nearest)
    assert result.reference.tolist() == expected.reference.tolist()
    assert result.distance.tolist() == expected.distance.tolist()


@settings(deadline=None)
@given(st.randoms(), st.integers(1, 5), st.integers(1, 6))
def test_a_resumed_search_finds_what_an_uninterrupted_one_finds(
    rng: random.Random, page_count: int, reference_count: int
) -> None:
    page_trees, references = flat_trees(rng, page_count), flat_trees(rng, reference_count)
    expected = nearest_references(page_trees, references)
    found: list[tuple[int, float]] = []
    distances: dict[tuple[int, int], int | None] = {}
    while len(found) < page_count:
        first = len(found)
        partial_result = nearest_of_changed(
            page_trees[first:],
            references,
            [()] * (page_count - first),
            distances={(row - first, i): each for (row, i), each in distances.items()},
            work=0,
        )
        distances |= {(first + row, i): each for (row, i), each in partial_result.begun.items()}
        assert partial_result.begun or len(partial_result.reference)
        found += zip(
            partial_result.reference.tolist(), partial_result.distance.tolist(), strict=True
        )
    assert found == list(zip(expected.reference.tolist(), expected.distance.tolist(), strict=True))
