import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.distance.trees import edited, random_tree, trees
from worker.distance import (
    distances_between,
    nearest_references,
    normalised_distance,
    reference_trees,
)
from worker.pages.tree import Tree


@given(st.lists(trees(), max_size=8), st.lists(trees(), max_size=8))
def test_the_nearest_reference_is_that_of_a_full_comparison(
    pages: list[Tree], references: list[Tree]
) -> None:
    nearest = nearest_references(pages, references)
    if not references:
        assert nearest.reference.tolist() == [-1] * len(pages)
        assert nearest.distance.tolist() == [1.0] * len(pages)
        return
    distances = normalised_distance(
        distances_between(pages, references),
        np.array([[len(page)] for page in pages]).reshape(-1, 1),
        np.array([[len(reference) for reference in references]]),
    )
    assert nearest.reference.tolist() == distances.argmin(axis=1).tolist()
    assert nearest.distance.tolist() == distances.min(axis=1, initial=1.0).tolist()


@settings(deadline=None)
@given(st.integers(0, 1_000))
def test_references_do_not_depend_on_the_order(seed: int) -> None:
    source = random.Random(seed)
    first = random_tree(source, 30, "page", "abc")
    pages = [first] + [edited(source, first, 3, "abc") for _ in range(20)]
    chosen = [{pages[i] for i in reference_trees(pages, sample=5, faraway=2, far=0.2)}]
    source.shuffle(pages)
    chosen.append({pages[i] for i in reference_trees(pages, sample=5, faraway=2, far=0.2)})
    assert chosen[0] == chosen[1]
    assert 5 <= len(chosen[0]) <= 7


def test_a_template_too_rare_to_be_drawn_has_a_reference() -> None:
    source = random.Random(3)
    common = random_tree(source, 60, "page", "abcd")
    pages = [edited(source, common, 2, "abcd") for _ in range(100)]
    rare = random_tree(source, 60, "page", "wxyz")
    pages += [rare, edited(source, rare, 2, "wxyz")]
    references = reference_trees(pages, sample=2, faraway=1)
    assert len(references) == 3
    assert references[-1] >= 100
    nearest = nearest_references(pages[100:], [pages[i] for i in references])
    assert nearest.reference.tolist() == [2, 2]


def test_every_distinct_tree_of_a_small_site_is_a_reference() -> None:
    source = random.Random(4)
    pages = [random_tree(source, 10, "any", "abc") for _ in range(6)]
    assert reference_trees([*pages, *pages]).tolist() == [0, 1, 2, 3, 4, 5]
    assert reference_trees([]).tolist() == []
