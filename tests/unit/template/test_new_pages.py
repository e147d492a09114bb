import numpy as np
import pytest

from detourage.template import assignment
from detourage.template.assignment import (
    assign,
    assign_tree,
    representatives,
    worth_comparing,
)
from detourage.template.groups import group_site
from detourage.template.matrix import size_tolerant_distances
from tests.unit.template.template_sites import Pages


@pytest.mark.parametrize(
    ("distances", "groups", "group", "confidence"),
    [
        ([0.4, 0.1, 0.3], [7, 8, 8], 8, 1 - 0.1 / 0.4),
        ([0.51, 0.7], [7, 8], None, 0),
        ([0.0, 0.4], [1, 2], 1, 1),
        ([0.2, 0.4], [1, 2], 1, 0.5),
        ([0.4, 0.4], [1, 2], 1, 0),
        ([0.0, 0.0], [2, 1], 1, 1),
        ([np.nan, 0.3, 0.4], [1, 2, 3], 2, 0.25),
        ([np.nan, np.nan], [1, 2], None, 0),
        ([], [], None, 0),
    ],
)
def test_a_page_joins_the_group_of_the_nearest_representative(
    distances: list[float], groups: list[int], group: int | None, confidence: float
) -> None:
    found = assign(distances, groups)
    assert found.group == group
    assert found.confidence == pytest.approx(confidence)


@pytest.fixture(scope="module")
def site() -> Pages:
    return Pages("harbour-post.example", seed=5, size=8, noise=0.4)


def test_comparing_few_representatives_gives_the_same_result_as_all(
    site: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignment, "MAX_MEMBER_DISTANCE", 0.2)
    urls, trees = site.urls, site.trees
    found = group_site("harbour-post.example", urls, trees)
    distances = size_tolerant_distances(found.distances, [len(tree) for tree in trees])
    numbered_groups = enumerate(found.grouping.groups)
    representative_pages = [
        (place, n) for n, group in numbered_groups for place in representatives(distances, group)
    ]
    places, groups = (
        [place for place, _ in representative_pages],
        [number for _, number in representative_pages],
    )
    for page, tree in enumerate(trees):
        with_all = assign(distances[page, places], groups)
        with_few = assign_tree(tree, [trees[place] for place in places], groups)
        assert with_few.group == with_all.group
        if with_all.group is not None:
            assert with_few.distance == pytest.approx(with_all.distance)
            assert with_few.confidence == pytest.approx(with_all.confidence)


def test_withheld_pages_join_the_group_of_their_template(site: Pages) -> None:
    urls, trees, classes = site.urls, site.trees, site.classes
    grouped_pages = [place for place in range(len(urls)) if place % 3]
    found = group_site("a", [urls[i] for i in grouped_pages], [trees[i] for i in grouped_pages])
    class_of = [classes[grouped_pages[group.pivot]] for group in found.grouping.groups]
    assert len(set(class_of)) == 6
    pivots = [trees[grouped_pages[group.pivot]] for group in found.grouping.groups]
    for place in range(0, len(urls), 3):
        assigned = assign_tree(trees[place], pivots, range(len(pivots)))
        expected = classes[place] if classes[place] in class_of else None
        assert (None if assigned.group is None else class_of[assigned.group]) == expected


def test_a_page_is_compared_with_the_likeliest_groups_within_its_budget(site: Pages) -> None:
    page, *others = site.trees
    unlimited = assign_tree(page, others, range(len(others)))
    limited = assign_tree(page, others, range(len(others)), work=1)
    assert 0 < limited.work < unlimited.work
    assert limited.distance <= unlimited.distance * 1.5


def test_no_more_nodes_are_loaded_than_a_task_may_compare() -> None:
    assert worth_comparing(100, [90, 10, 900, 100]) == [0, 3]
    assert worth_comparing(400_000, [300_000, 400_000, 390_000]) == [1]
    assert worth_comparing(900_000, [800_000]) == [0]
