from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from detourage.template.comparison_policy import KnownSite, NearestReference, without_far_members
from detourage.template.groups import Grouping
from detourage.template.matrix import Matrix

FAR, NEAR, SAME = 0.9, 0.1, 0.2


class Page(NamedTuple):
    """A page of a site."""

    url: str
    tree_id: int


def pages_of(keys: Sequence[str], trees: Sequence[int]) -> list[Page]:
    """Return pages with the given URLs and trees."""
    return list(map(Page, keys, trees))


def site_of(
    references: Sequence[int], distances: Matrix, nearest: Mapping[int, NearestReference]
) -> KnownSite:
    """Return a large site with the given references."""
    return KnownSite(references, np.ones(len(references), np.int64), distances, nearest)


def group_by_references(
    keys: Sequence[str],
    trees: Sequence[int],
    references: Sequence[int],
    distances: Matrix,
    nearest: Mapping[int, NearestReference],
) -> Grouping:
    """Group pages of a large site."""
    return site_of(references, distances, nearest).group(pages_of(keys, trees))


def test_pages_join_the_group_of_their_nearest_reference() -> None:
    distances = np.array(
        [[0, SAME, FAR, FAR], [SAME, 0, FAR, FAR], [FAR, FAR, 0, SAME], [FAR, FAR, SAME, 0]]
    )
    grouping = group_by_references(
        keys=["c", "a", "b", "e", "d", "f", "g"],
        trees=[10, 11, 12, 13, 20, 21, 22],
        references=[10, 11, 12, 13],
        distances=distances,
        nearest={20: (12, NEAR), 21: (12, NEAR), 22: (10, FAR)},
    )
    assert [group.members for group in grouping.groups] == [(2, 4, 3, 5), (1, 0)]
    assert grouping.outliers == (6,)
    assert all(group.pivot in group.members for group in grouping.groups)
    assert np.isnan(grouping.embedding[6]).all()
    assert not np.isnan(grouping.embedding[:6]).any()


def test_the_only_reference_of_a_template_represents_its_pages() -> None:
    distances = np.array([[0, SAME, FAR], [SAME, 0, FAR], [FAR, FAR, 0]])
    alone = group_by_references("abc", [1, 2, 3], [1, 2, 3], distances, {})
    assert alone.outliers == (2,)
    followed = group_by_references("abcd", [1, 2, 3, 4], [1, 2, 3], distances, {4: (3, NEAR)})
    assert [group.members for group in followed.groups] == [(0, 1), (2, 3)]
    assert followed.groups[1].pivot == 2
    equal = group_by_references("abcd", [1, 2, 3, 3], [1, 2, 3], distances, {})
    assert [group.members for group in equal.groups] == [(0, 1), (2, 3)]


def test_pages_that_cannot_be_compared_are_outliers() -> None:
    distances = np.array([[0, SAME, np.nan], [SAME, 0, np.nan], [np.nan, np.nan, 0]])
    grouping = group_by_references("abcd", [1, 2, 3, 4], [1, 2, 3], distances, {})
    assert [group.members for group in grouping.groups] == [(0, 1)]
    assert grouping.outliers == (2, 3)


def test_members_too_far_from_the_pivot_are_outliers() -> None:
    distances = np.array([[0, 0.3, 0.3], [0.3, 0, 0.4], [0.3, 0.4, 0]])
    keys, trees, references = "abcdef", [1, 2, 3, 4, 5, 6], [1, 2, 3]
    nearest = {4: (2, 0.1), 5: (2, 0.3), 6: (3, 0.5)}
    grouping = group_by_references(keys, trees, references, distances, nearest)
    (group,) = grouping.groups
    assert (group.members, group.pivot) == ((0, 1, 2, 3, 4, 5), 0)
    doubtful = site_of(references, distances, nearest).doubtful(pages_of(keys, trees), grouping)
    assert doubtful == {(5, 1), (6, 1)}
    confirmed = without_far_members(grouping, pages_of(keys, trees), {(5, 1): 0.5, (6, 1): 0.6})
    assert [group.members for group in confirmed.groups] == [(0, 1, 2, 3, 4)]
    assert confirmed.outliers == (5,)
    unknown = without_far_members(grouping, pages_of(keys, trees), {(5, 1): np.nan, (6, 1): 0.5})
    assert unknown.outliers == (4,)
