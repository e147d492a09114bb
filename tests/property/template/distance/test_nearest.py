import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.distance.compared_trees import nearest_references
from detourage.html import Tree
from detourage.template.distance import (
    KnownNearest,
    distance_matrix,
    nearest_of_changed,
    normalised_distance,
)
from tests.property.template.distance.trees import trees


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
    every = normalised_distance(
        distance_matrix([*pages, *references]), sizes[:, None], sizes[None, :]
    )
    distances = every[: len(pages), len(pages) :]
    assert nearest.reference.tolist() == distances.argmin(axis=1).tolist()
    assert nearest.distance.tolist() == distances.min(axis=1, initial=1.0).tolist()


def flat_trees(chance: random.Random, count: int) -> list[Tree]:
    return [
        Tree.from_preorder(
            [("a", 0)] + [(chance.choice("bc"), 1) for _ in range(chance.randrange(1, 9))]
        )
        for _ in range(count)
    ]


@settings(deadline=None)
@given(st.randoms(), st.integers(0, 5), st.integers(1, 6), st.integers(0, 3))
def test_earlier_searches_do_not_change_the_result(
    chance: random.Random, pages: int, count: int, searches: int
) -> None:
    some, references = flat_trees(chance, pages), flat_trees(chance, count)
    expected = nearest_references(some, references)
    known: list[list[KnownNearest]] = [[] for _ in some]
    for _ in range(searches):
        searched = sorted(chance.sample(range(count), chance.randint(1, count)))
        found = nearest_references(some, [references[i] for i in searched])
        for facts, nearest, distance in zip(known, found.reference, found.distance, strict=True):
            facts.append(KnownNearest(searched[nearest], float(distance), frozenset(searched)))
    result = nearest_of_changed(some, references, known)
    assert result.reference.tolist() == expected.reference.tolist()
    assert result.distance.tolist() == expected.distance.tolist()


@settings(deadline=None)
@given(st.randoms(), st.integers(1, 5), st.integers(1, 6))
def test_a_resumed_search_finds_what_an_uninterrupted_one_finds(
    chance: random.Random, pages: int, count: int
) -> None:
    some, references = flat_trees(chance, pages), flat_trees(chance, count)
    expected = nearest_references(some, references)
    found: list[tuple[int, float]] = []
    distances: dict[tuple[int, int], int | None] = {}
    while len(found) < pages:
        first = len(found)
        part = nearest_of_changed(
            some[first:],
            references,
            [()] * (pages - first),
            distances={(row - first, i): each for (row, i), each in distances.items()},
            work=0,
        )
        distances |= {(first + row, i): each for (row, i), each in part.begun.items()}
        assert part.begun or len(part.reference)
        found += zip(part.reference.tolist(), part.distance.tolist(), strict=True)
    assert found == list(zip(expected.reference.tolist(), expected.distance.tolist(), strict=True))
