import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detourage.template.groups import group_pages, group_site
from tests.trees import tree_of
from tests.unit.template.template_sites import made_site

TEMPLATES = [0] * 4 + [1] * 7 + [2] * 4 + [3]
KEYS = [f"https://news.example/{'lmno'[t]}/{i}" for i, t in enumerate(TEMPLATES)]
DISTANCES = made_site(TEMPLATES, spread=0.3)


def test_groups_are_sorted_by_size_then_by_smallest_key() -> None:
    grouping = group_pages(KEYS, DISTANCES)
    assert [[KEYS[i][21] for i in group.members] for group in grouping.groups] == [
        ["m"] * 7,
        ["l"] * 4,
        ["n"] * 4,
    ]
    assert grouping.outliers == (15,)
    assert all(group.pivot in group.members for group in grouping.groups)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(len(KEYS))))
def test_the_order_of_arrival_changes_nothing(order: list[int]) -> None:
    expected = group_pages(KEYS, DISTANCES)
    arrived = group_pages([KEYS[i] for i in order], DISTANCES[np.ix_(order, order)])
    assert [
        ([order[i] for i in group.members], order[group.pivot]) for group in arrived.groups
    ] == [(list(group.members), group.pivot) for group in expected.groups]
    assert [order[i] for i in arrived.outliers] == list(expected.outliers)
    assert np.array_equal(arrived.embedding, expected.embedding[order])
    assert arrived.silhouette == expected.silhouette


def test_duplicate_keys_are_rejected() -> None:
    with pytest.raises(ValueError, match="same key"):
        group_pages(["a", "a"], np.zeros((2, 2)))


def test_pages_are_grouped_by_their_trees() -> None:
    article = tree_of("{html{body{h1}{p}{p}}}")
    menu = tree_of("{html{table{tr{td}{td}}{tr{td}{td}}{tr{td}{td}}}}")
    found = group_site("a.example", list("1234"), [article, menu, article, menu])
    assert [group.members for group in found.grouping.groups] == [(0, 2), (1, 3)]
    assert found.distances[0, 2] == 0
    assert found.distances[0, 1] > 0.5
