"""In-memory store for the comparison policy: the trees and known distances of a site."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.html import Tree, TreeShape
from detourage.template.comparison_policy import (
    KnownSite,
    MissingComparisons,
    MissingNearest,
    MissingPairs,
    MissingToPivot,
    NearestReference,
    NeededComparisons,
    group_or_missing,
    known_or_missing,
)
from detourage.template.distance import (
    KnownNearest,
    Nearest,
    grouping_distances,
    nearest_of_changed,
)
from detourage.template.distance.forest import MEMORY, Forest
from detourage.template.groups import Grouping


class PageOfTree(NamedTuple):
    """A page of a site, with the ID of its tree in `ComparedTrees`."""

    url: str
    tree_id: int


class ComparedTrees:
    """The distinct trees of a site and their known distances; implements `KnownDistances`."""

    def __init__(self) -> None:
        self.shapes: dict[int, TreeShape] = {}
        self._trees: list[Tree] = []
        self._id_of: dict[Tree, int] = {}
        self._distances: dict[tuple[int, int], int] = {}  # by ascending pair of tree IDs
        # The nearest reference of each tree, by the set of references that was searched.
        self._nearest: dict[tuple[int, ...], dict[int, NearestReference]] = {}

    def add(self, trees: Iterable[Tree]) -> list[int]:
        """Add the trees that are not yet stored, and return the ID of each given tree."""
        ids = []
        for tree in trees:
            if tree not in self._id_of:
                self._id_of[tree] = len(self._trees)
                self.shapes[len(self._trees)] = TreeShape(tree.digest, len(tree))
                self._trees.append(tree)
            ids.append(self._id_of[tree])
        return ids

    def tree(self, tree_id: int) -> Tree:
        """Return the tree with the given ID."""
        return self._trees[tree_id]

    def known_site(self, *, whole_matrix_trees: int) -> KnownSite:
        """Run comparisons until the policy requests none."""
        while True:
            result = known_or_missing(self.shapes, self, whole_matrix_trees=whole_matrix_trees)
            if isinstance(result, KnownSite):
                return result
            self.compare(result)

    def group(self, pages: Sequence[PageOfTree], *, whole_matrix_trees: int) -> Grouping:
        """Group pages, computing every distance that the policy requests."""
        site = self.known_site(whole_matrix_trees=whole_matrix_trees)
        while True:
            result = group_or_missing(site, pages, self.shapes, self)
            if isinstance(result, Grouping):
                return result
            self.compare(result)

    def compare(self, missing: NeededComparisons) -> None:
        """Compute the missing distances."""
        for wanted in missing.comparisons:
            self.compare_part(wanted)

    def compare_part(self, comparison: MissingComparisons) -> None:
        """Compute the distances of one of the missing comparisons."""
        match comparison:
            case MissingPairs(tree_ids, is_known):
                self._compare_pairs(
                    [(tree_ids[i], tree_ids[j]) for i, j in np.argwhere(~is_known) if i < j]
                )
            case MissingToPivot(pivot, tree_ids):
                self._compare_pairs([_ascending(pivot, tree_id) for tree_id in tree_ids])
            case MissingNearest(tree_ids, references, _):
                self._find_nearest(tree_ids, references)

    def among(
        self, tree_ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the distances between trees, and a mask of the distances that are known."""
        distances = np.full((len(tree_ids), len(tree_ids)), np.nan)
        np.fill_diagonal(distances, 0)
        for i, row in enumerate(tree_ids):
            for j, column in enumerate(tree_ids[:i]):
                distances[i, j] = distances[j, i] = self._distances.get((column, row), np.nan)
        return distances, ~np.isnan(distances)

    def nearest(
        self, references: Sequence[int], tree_ids: Sequence[int]
    ) -> dict[int, NearestReference | None]:
        """Return the nearest reference of each tree for which it is known."""
        known = self._nearest.get(tuple(references), {})
        return {tree_id: known[tree_id] for tree_id in tree_ids if tree_id in known}

    def to_pivot(self, pivot: int, tree_ids: Sequence[int]) -> dict[int, int | None]:
        """Return the distance to the pivot for each tree whose distance is known."""
        found = {each: self._distances.get(_ascending(pivot, each)) for each in tree_ids}
        return {tree_id: distance for tree_id, distance in found.items() if distance is not None}

    def _compare_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        ids = sorted({each for pair in pairs for each in pair})
        trees = [self._trees[tree_id] for tree_id in ids]
        places = np.searchsorted(ids, np.array(pairs, np.intp).reshape(-1, 2))
        distances = grouping_distances(Forest(trees, memory=MEMORY), places[:, 0], places[:, 1])
        self._distances.update(zip(pairs, distances.tolist(), strict=True))

    def _find_nearest(self, tree_ids: Sequence[int], references: Sequence[int]) -> None:
        """Search for the nearest reference of each tree, starting from earlier results."""
        index_of_reference = {reference: index for index, reference in enumerate(references)}
        found = nearest_of_changed(
            [self._trees[tree_id] for tree_id in tree_ids],
            [self._trees[reference] for reference in references],
            [self._known_nearest(tree_id, index_of_reference) for tree_id in tree_ids],
        )
        self._nearest.setdefault(tuple(references), {}).update(
            (tree_id, (references[reference], float(distance)))
            for tree_id, reference, distance in zip(
                tree_ids, found.reference, found.distance, strict=True
            )
        )

    def _known_nearest(
        self, tree_id: int, index_of_reference: dict[int, int]
    ) -> list[KnownNearest]:
        """Return a tree's nearest references found earlier, among other sets of references."""
        known = []
        for searched, nearest in self._nearest.items():
            reference, distance = nearest.get(tree_id, (None, 0.0))
            if reference in index_of_reference:
                common = {
                    index_of_reference[each] for each in searched if each in index_of_reference
                }
                known.append(
                    KnownNearest(index_of_reference[reference], distance, frozenset(common))
                )
        return known


def nearest_references(trees: Sequence[Tree], references: Sequence[Tree]) -> Nearest:
    """Find the nearest reference of each tree, ignoring the results of earlier searches."""
    return nearest_of_changed(trees, references, [()] * len(trees))


def _ascending(tree_id: int, other_id: int) -> tuple[int, int]:
    return min(tree_id, other_id), max(tree_id, other_id)
