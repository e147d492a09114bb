"""The comparison policy on real trees; requests and comparisons alternate as in the service."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.distance.compared_trees import ComparedTrees, PageOfTree, nearest_references
from detourage.html import Tree
from detourage.template.comparison_policy import (
    SAMPLED_SHARE,
    KnownSite,
    MissingNearest,
    NeededComparisons,
    known_or_missing,
)
from detourage.template.distance import (
    grouping_distances,
    normalised_distance,
    tree_edit_distance,
)
from detourage.template.distance.forest import Forest
from detourage.template.matrix import MAX_SIZE_TOLERANT_PIVOT_DISTANCE, size_tolerant_distance
from tests.property.template.distance.trees import edit_randomly, random_tree

LIMIT = 8


def site_of_templates(seed: int, templates: int = 3, pages: int = 12) -> list[Tree]:
    """Return the trees of a site; trees of the same template resemble each other."""
    rng = random.Random(seed)
    trees: list[Tree] = []
    for labels in ("abc", "lmn", "xyz")[:templates]:
        first = random_tree(rng, 30, "page", labels)
        trees += [edit_randomly(rng, first, rng.randint(1, 14), "abcxyz") for _ in range(pages)]
    rng.shuffle(trees)
    return trees


def without_tree_ids(
    compared: ComparedTrees, site: KnownSite
) -> tuple[list[str], dict[str, tuple[str, float] | None]]:
    """Return references and nearest references in a form that does not depend on tree IDs."""
    digest = {tree_id: shape.digest for tree_id, shape in compared.shapes.items()}
    nearest = {
        digest[tree_id]: None if found is None else (digest[found[0]], found[1])
        for tree_id, found in (site.nearest or {}).items()
    }
    return sorted(digest[tree_id] for tree_id in site.references), nearest


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1_000), st.randoms())
def test_neither_order_nor_batches_change_the_references(seed: int, rng: random.Random) -> None:
    trees = site_of_templates(seed)
    at_once = ComparedTrees()
    at_once.add(trees)
    expected = without_tree_ids(at_once, at_once.known_site(whole_matrix_trees=LIMIT))
    rng.shuffle(trees)
    in_steps = ComparedTrees()
    for start in range(0, len(trees), 10):
        in_steps.add(trees[start : start + 10])
        site = in_steps.known_site(whole_matrix_trees=LIMIT)
    assert without_tree_ids(in_steps, site) == expected


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1_000))
def test_all_references_are_compared_and_every_other_tree_has_its_nearest(seed: int) -> None:
    compared = ComparedTrees()
    compared.add(site_of_templates(seed))
    site = compared.known_site(whole_matrix_trees=LIMIT)
    assert round(LIMIT * SAMPLED_SHARE) <= len(site.references) <= LIMIT
    for i, row in enumerate(site.references):
        for j, column in enumerate(site.references):
            assert site.distances[i, j] == distance(compared, row, column)
    others = sorted(set(compared.shapes).difference(site.references))
    assert site.nearest is not None
    assert sorted(site.nearest) == others
    by_digest = sorted(site.references, key=lambda tree_id: compared.shapes[tree_id].digest)
    found = nearest_references(
        [compared.tree(i) for i in others], [compared.tree(i) for i in by_digest]
    )
    assert [site.nearest[i] for i in others] == [
        (by_digest[reference], how_far)
        for reference, how_far in zip(found.reference, found.distance, strict=True)
    ]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.integers(10, 90), min_size=40, max_size=40, unique=True))
def test_no_page_is_too_far_from_the_pivot_of_its_group(lengths: list[int]) -> None:
    compared = ComparedTrees()
    # The lengths vary so widely that each page is near the next longer one, but the shortest page
    # is near none of the longest.
    trees = [Tree.from_preorder([("body", 0), *[("p", 1)] * length]) for length in lengths]
    ids = enumerate(compared.add(trees))
    pages = [PageOfTree(f"{compared.tree(i).digest}/{place}", i) for place, i in ids]
    grouping = compared.group(pages, whole_matrix_trees=LIMIT)
    members = [member for group in grouping.groups for member in group.members]
    assert sorted([*members, *grouping.outliers]) == list(range(len(pages)))
    assert members
    for group in grouping.groups:
        pivot_id = pages[group.pivot].tree_id
        for member in group.members:
            tree, pivot_tree = compared.tree(pages[member].tree_id), compared.tree(pivot_id)
            edits = tree_edit_distance(tree, pivot_tree)
            tolerant_distance = size_tolerant_distance(edits, len(tree), len(pivot_tree))
            assert tolerant_distance <= MAX_SIZE_TOLERANT_PIVOT_DISTANCE


def distance(compared: ComparedTrees, tree_id: int, other_id: int) -> float:
    tree, other = compared.tree(tree_id), compared.tree(other_id)
    edits = grouping_distances(Forest([tree, other]), [0], [1])
    return normalised_distance(int(edits[0]), len(tree), len(other))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1_000), st.integers(1, 5))
def test_a_new_tree_requires_only_its_own_comparisons(seed: int, new_trees: int) -> None:
    trees = list(dict.fromkeys(site_of_templates(seed)))
    compared = ComparedTrees()
    compared.add(trees[:-new_trees])
    site_before = compared.known_site(whole_matrix_trees=LIMIT)
    arrived_ids = set(compared.add(trees[-new_trees:]))
    rounds = 0
    while isinstance(
        next_step := known_or_missing(compared.shapes, compared, whole_matrix_trees=LIMIT),
        NeededComparisons,
    ):
        rounds += 1
        for comparison in next_step.comparisons:
            if isinstance(comparison, MissingNearest) and set(comparison.references) <= set(
                site_before.references
            ):
                assert set(comparison.tree_ids) <= arrived_ids
        compared.compare(next_step)
    assert 1 <= rounds <= 2


def test_a_template_too_rare_for_the_sample_has_a_reference() -> None:
    rng = random.Random(3)
    common = random_tree(rng, 60, "page", "abcd")
    compared = ComparedTrees()
    compared.add(edit_randomly(rng, common, 2, "abcd") for _ in range(100))
    rare = random_tree(rng, 60, "page", "wxyz")
    rare_tree_ids = compared.add([rare, edit_randomly(rng, rare, 2, "wxyz")])
    site = compared.known_site(whole_matrix_trees=3)
    (reference,) = set(rare_tree_ids).intersection(site.references)
    assert len(site.references) == 3
    assert site.nearest is not None
    nearest = [site.nearest[tree_id] for tree_id in rare_tree_ids if tree_id != reference]
    assert [found[0] for found in nearest if found is not None] == [reference]
