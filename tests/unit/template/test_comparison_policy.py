"""Requests of the comparison policy in each round, and how it uses the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from benchmarks.distance.compared_trees import PageOfTree
from detourage.html import TreeShape
from detourage.template.comparison_policy import (
    KnownSite,
    MissingToPivot,
    NeededComparisons,
    group_or_missing,
    known_or_missing,
)
from detourage.template.groups import Grouping

NODES = 100
LIMIT = 4
"""Maximum number of references: the three trees with the smallest digests, and one more."""

TREES = {tree_id: TreeShape(f"{tree_id:03}", NODES) for tree_id in range(8)}
SAMPLE = (0, 1, 2)
OTHERS = [3, 4, 5, 6, 7]
NEAR, DOUBTFUL, FAR = 0.1, 0.5, 0.6


def nearest_of_others(
    usual: tuple[int, float], rest: dict[int, tuple[int, float] | None]
) -> dict[int, tuple[int, float] | None]:
    return dict.fromkeys(OTHERS, usual) | rest


def raw(normalised: float) -> int:
    """Return the tree edit distance that corresponds to a normalised distance."""
    return round(2 * NODES * normalised / (2 - normalised))


@dataclass
class Told:
    """Distances given by a test; `apart` is the distance between any two references."""

    apart: float | None = None
    nearest_of: Mapping[tuple[int, ...], Mapping[int, tuple[int, float] | None]] = field(
        default_factory=dict
    )
    to_pivots: dict[int, int | None] = field(default_factory=dict)

    def among(
        self, tree_ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        diagonal = np.eye(len(tree_ids), dtype=np.bool_)
        if self.apart is None:
            return np.where(diagonal, 0, np.nan), diagonal
        return np.where(diagonal, 0.0, raw(self.apart)), np.ones_like(diagonal)

    def nearest(
        self, references: Sequence[int], tree_ids: Sequence[int]
    ) -> dict[int, tuple[int, float] | None]:
        known = self.nearest_of.get(tuple(references), {})
        return {tree_id: known[tree_id] for tree_id in tree_ids if tree_id in known}

    def to_pivot(self, _pivot: int, tree_ids: Sequence[int]) -> dict[int, int | None]:
        return {each: self.to_pivots[each] for each in tree_ids if each in self.to_pivots}


def ask(told: Told) -> KnownSite | NeededComparisons:
    return known_or_missing(TREES, told, whole_matrix_trees=LIMIT)


def group(told: Told) -> Grouping | NeededComparisons:
    site = ask(told)
    assert isinstance(site, KnownSite)
    pages = [PageOfTree(f"page {tree_id}", tree_id) for tree_id in TREES]
    return group_or_missing(site, pages, TREES, told)


def test_a_tree_that_cannot_be_compared_is_an_outlier_and_not_a_reference() -> None:
    of_sample = nearest_of_others((0, NEAR), {3: None})
    told = Told(apart=NEAR, nearest_of={SAMPLE: of_sample})
    site = ask(told)
    assert isinstance(site, KnownSite)
    assert site.references == list(SAMPLE)
    grouping = group(told)
    assert isinstance(grouping, Grouping)
    assert grouping.outliers == (3,)


def test_distances_of_doubtful_pages_to_their_pivot_are_requested_last() -> None:
    # Pages whose nearest reference is the pivot, such as tree 3, are known to be close enough.
    of_sample = nearest_of_others((1, NEAR), {3: (1, DOUBTFUL), 4: (2, DOUBTFUL), 6: (2, DOUBTFUL)})
    told = Told(apart=NEAR, nearest_of={SAMPLE: of_sample})
    assert group(told) == NeededComparisons([MissingToPivot(1, [4, 6])])
    told.to_pivots = {4: raw(NEAR)}
    assert group(told) == NeededComparisons([MissingToPivot(1, [6])])
    for too_far in raw(FAR), None:
        told.to_pivots[6] = too_far
        grouping = group(told)
        assert isinstance(grouping, Grouping)
        assert grouping.outliers == (6,)
