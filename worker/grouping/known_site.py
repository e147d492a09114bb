"""A site with all the distances needed to group its pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from worker.grouping.assignment import representatives
from worker.grouping.groups import Group, Grouping, group_pages
from worker.grouping.likeness import size_tolerant_distances
from worker.grouping.matrix import Indices, Matrix
from worker.grouping.references import doubtful_members, group_by_references

NearestReference: TypeAlias = tuple[int, float]
"""Reference nearest to a tree, and the normalised distance to it."""


class SitePage(Protocol):
    """The properties of a page needed to group a site."""

    @property
    def url(self) -> str:
        """URL of the page, unique within the site."""

    @property
    def tree_id(self) -> int:
        """ID of the page's tree."""


@dataclass(frozen=True, eq=False)
class KnownSite:
    """The distances needed to group the pages of a site.

    `references` are the trees compared with each other (all trees of a small site), in ascending
    order; `distances` between them are normalised, NaN if two could not be compared. On a large
    site, `nearest` has the nearest reference of every other tree, None for a tree too large to
    compare.
    """

    references: Sequence[int]
    sizes: Indices
    distances: Matrix
    nearest: Mapping[int, NearestReference | None] | None

    def group(self, pages: Sequence[SitePage]) -> Grouping:
        """Group pages whose trees belong to the site."""
        urls = [page.url for page in pages]
        tree_ids = [page.tree_id for page in pages]
        if self.nearest is None:
            rows = [self._row(tree_id) for tree_id in tree_ids]
            return group_pages(urls, self.distances[np.ix_(rows, rows)], sizes=self.sizes[rows])
        return group_by_references(
            urls, tree_ids, self.references, self.distances, self._comparable()
        )

    def doubtful(self, pages: Sequence[SitePage], grouping: Grouping) -> set[tuple[int, int]]:
        """Return the pairs of a tree and its group's pivot that may be too far from each other."""
        if self.nearest is None:
            return set()
        tree_ids = [page.tree_id for page in pages]
        return doubtful_members(
            grouping, tree_ids, self.references, self.distances, self._comparable()
        )

    def nearest_member(self, pages: Sequence[SitePage], members: Iterable[int], index: int) -> int:
        """Return the member nearest to another page; in a tie, the first by URL.

        Members whose distance to the page was never computed rank last.
        """
        return min(
            (member for member in members if member != index),
            key=lambda member: (
                self._distance(pages[index].tree_id, pages[member].tree_id),
                pages[member].url,
            ),
        )

    def representative_trees(self, pages: Sequence[SitePage], group: Group) -> list[int]:
        """Return the trees of a group with which to compare new pages, the pivot's first.

        On a large site, these trees are chosen from the references.
        """
        page_of = {pages[member].tree_id: member for member in reversed(group.members)}
        page_of[pages[group.pivot].tree_id] = group.pivot
        tree_ids = sorted(
            set(page_of).intersection(self.references), key=lambda tree: pages[page_of[tree]].url
        )
        rows = [self._row(tree_id) for tree_id in tree_ids]
        distances = size_tolerant_distances(self.distances[np.ix_(rows, rows)], self.sizes[rows])
        pivot = tree_ids.index(pages[group.pivot].tree_id)
        chosen = representatives(distances, Group(tuple(range(len(rows))), pivot))
        return [tree_ids[place] for place in chosen]

    def _comparable(self) -> dict[int, NearestReference]:
        nearest = self.nearest or {}
        return {tree_id: found for tree_id, found in nearest.items() if found is not None}

    def _row(self, tree_id: int) -> int:
        return int(np.searchsorted(self.references, tree_id))

    def _distance(self, tree_id: int, other_id: int) -> float:
        if tree_id == other_id:
            return 0.0
        nearest = self.nearest or {}
        for a, b in (tree_id, other_id), (other_id, tree_id):
            if a in nearest:
                found = nearest[a]
                return found[1] if found is not None and found[0] == b else np.inf
        return float(self.distances[self._row(tree_id), self._row(other_id)])
