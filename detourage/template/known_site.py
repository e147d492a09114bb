"""A site with all the distances needed to group its pages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from detourage.template.assignment import representatives
from detourage.template.clusterer import NOT_COMPARABLE
from detourage.template.groups import Group, Grouping, group_pages
from detourage.template.likeness import size_tolerant_distances
from detourage.template.matrix import Indices, Matrix

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
        """Group pages whose trees belong to the site.

        On a large site, the references are grouped like the pages of a small one. Every other page
        joins the group of its nearest reference and gets the same embedding, unless the distance is
        `NOT_COMPARABLE` or more. A reference shared by several pages counts as two, so that the
        only reference of a rare template is not an outlier.
        """
        urls = [page.url for page in pages]
        if self.nearest is None:
            rows = [self._row(page.tree_id) for page in pages]
            return group_pages(urls, self.distances[np.ix_(rows, rows)], sizes=self.sizes[rows])
        place = {reference: i for i, reference in enumerate(self.references)}
        pages_of = defaultdict[int, list[int]](list)
        equal_pages = defaultdict[int, list[int]](list)
        for page in sorted(range(len(urls)), key=urls.__getitem__):
            tree_id = pages[page].tree_id
            reference, distance = self.nearest.get(tree_id) or (tree_id, 0.0)
            if reference in place and distance < NOT_COMPARABLE:
                pages_of[place[reference]].append(page)
                if tree_id == reference:
                    equal_pages[place[reference]].append(page)

        standing = sorted(equal_pages, key=lambda i: urls[equal_pages[i][0]])
        rows = [i for i in standing for _ in range(min(len(pages_of[i]), 2))]
        keys = [f"{row:09}" for row in range(len(rows))]
        grouping = group_pages(keys, self.distances[np.ix_(rows, rows)])
        embedding = np.full((len(urls), 2), np.nan)
        for row, i in enumerate(rows):
            embedding[pages_of[i]] = grouping.embedding[row]
        groups = []
        for group in grouping.groups:
            members = {page for row in group.members for page in pages_of[rows[row]]}
            pivot = equal_pages[rows[group.pivot]][0]
            groups.append(Group(tuple(sorted(members, key=urls.__getitem__)), pivot))
        return Grouping.of(urls, groups, embedding, grouping.silhouette)

    def doubtful(self, pages: Sequence[SitePage], grouping: Grouping) -> set[tuple[int, int]]:
        """Return the pairs of a tree and its group's pivot that may be too far from each other.

        The normalised distance is a metric, so a page is no farther from the pivot than the sum of
        the distances via its nearest reference. Pairs are doubtful if this bound exceeds the limit.
        """
        nearest = self.nearest or {}
        doubtful = set()
        for group in grouping.groups:
            pivot = pages[group.pivot].tree_id
            for tree_id in {pages[page].tree_id for page in group.members}:
                found = nearest.get(tree_id)
                if found is not None:
                    reference, distance = found
                    rest = self.distances[self._row(reference), self._row(pivot)]
                    if distance + rest > NOT_COMPARABLE:
                        doubtful.add((tree_id, pivot))
        return doubtful

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


def without_far_members(
    grouping: Grouping, pages: Sequence[SitePage], distances: Mapping[tuple[int, int], float]
) -> Grouping:
    """Turn pages that are too far from the pivot of their group into outliers.

    `distances` has the distance of each doubtful member by its tree and the pivot's tree; NaN if
    the two cannot be compared.
    """
    groups = []
    for group in grouping.groups:
        pivot = pages[group.pivot].tree_id
        # The comparison is false for NaN, so such pages become outliers.
        members = tuple(
            page
            for page in group.members
            if distances.get((pages[page].tree_id, pivot), 0.0) <= NOT_COMPARABLE
        )
        if len(members) > 1:
            groups.append(Group(members, group.pivot))
    urls = [page.url for page in pages]
    return Grouping.of(urls, groups, grouping.embedding, grouping.silhouette)
