"""Selection of the comparisons needed to group a site.

On a small site, all pairs of trees are compared. A larger site is represented by reference trees,
and comparisons are made in three rounds, each linear in the number of trees:

1. find the nearest tree of a sample for every tree;
2. use the sample, and the trees far from all of it (whose templates are too rare to be sampled), as
   references, compare these with each other, and find the nearest reference of every other tree;
3. group the references like the pages of a small site, and every other page with its nearest
   reference; then compare a page with its group's pivot if the triangle inequality leaves open
   whether the two are too far apart.

The sample and the references depend only on the set of trees, so neither the order of the pages nor
the number of workers changes the groups. When pages are added, only the new trees are compared with
all references, and the other trees with the references that have changed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from detourage.html import TreeShape
from detourage.template.assignment import representatives
from detourage.template.clusterer import MAX_PIVOT_DISTANCE
from detourage.template.distance import normalised_distance
from detourage.template.groups import Group, Grouping, group_pages
from detourage.template.matrix import (
    MAX_SIZE_TOLERANT_PIVOT_DISTANCE,
    Indices,
    Matrix,
    size_tolerant_distance,
    size_tolerant_distances,
)

SAMPLED_SHARE: Final = 0.75
"""Maximum share of sampled trees among a large site's references; the others are rare trees."""

MAX_REFERENCE_NODES: Final = 2_000_000
"""Maximum total number of nodes of the references; every comparison task unpacks all of them."""

NearestReference: TypeAlias = tuple[int, float]
"""Reference nearest to a tree, and the normalised distance to it."""


class SitePage(Protocol):
    """A page of a site, with the properties needed to group it."""

    @property
    def url(self) -> str:
        """URL of the page, unique within the site."""

    @property
    def tree_id(self) -> int:
        """ID of the page's tree."""


class KnownSite(NamedTuple):
    """The distances needed to group the pages of a site.

    `references` are the IDs of the trees compared with each other (all trees of a small site), in
    ascending order; `distances` has their normalised distances, NaN if two could not be compared.
    On a large site, `nearest` has the nearest reference of every other tree, or None for a tree too
    large to compare.
    """

    references: Sequence[int]
    sizes: Indices
    distances: Matrix
    nearest: Mapping[int, NearestReference | None] | None

    def group(self, pages: Sequence[SitePage]) -> Grouping:
        """Group pages whose trees belong to the site.

        On a large site, the references are grouped like the pages of a small one. Every other page
        joins the group of its nearest reference and gets the same embedding, unless the distance is
        `MAX_PIVOT_DISTANCE` or more. A reference nearest to several pages counts as two pages, so
        that the only reference of a rare template is not an outlier.
        """
        urls = [page.url for page in pages]
        if self.nearest is None:
            rows = [self._row(page.tree_id) for page in pages]
            return group_pages(urls, self.distances[np.ix_(rows, rows)], sizes=self.sizes[rows])
        row_of = {reference: row for row, reference in enumerate(self.references)}
        pages_near = defaultdict[int, list[int]](list)  # by the row of their nearest reference
        pages_equal = defaultdict[int, list[int]](list)  # pages whose tree is the reference itself
        for page in sorted(range(len(urls)), key=urls.__getitem__):
            tree_id = pages[page].tree_id
            reference, distance = self.nearest.get(tree_id) or (tree_id, 0.0)
            if reference in row_of and distance < MAX_PIVOT_DISTANCE:
                pages_near[row_of[reference]].append(page)
                if tree_id == reference:
                    pages_equal[row_of[reference]].append(page)

        rows_by_url = sorted(pages_equal, key=lambda row: urls[pages_equal[row][0]])
        rows = [row for row in rows_by_url for _ in range(min(len(pages_near[row]), 2))]
        keys = [f"{number:09}" for number in range(len(rows))]  # sort in the order of the rows
        grouping = group_pages(keys, self.distances[np.ix_(rows, rows)], sizes=self.sizes[rows])
        embedding = np.full((len(urls), 2), np.nan)
        for number, row in enumerate(rows):
            embedding[pages_near[row]] = grouping.embedding[number]
        groups = []
        for group in grouping.groups:
            members = {page for number in group.members for page in pages_near[rows[number]]}
            pivot = pages_equal[rows[group.pivot]][0]
            groups.append(Group(tuple(sorted(members, key=urls.__getitem__)), pivot))
        return Grouping.of(urls, groups, embedding, grouping.silhouette)

    def doubtful(
        self, pages: Sequence[SitePage], trees: Mapping[int, TreeShape], grouping: Grouping
    ) -> set[tuple[int, int]]:
        """Return the pairs of a tree and its group's pivot that may be too far from each other.

        By the triangle inequality, the tree edit distance to the pivot is at most the distance to
        the nearest reference plus the distance of that reference to the pivot. A pair is doubtful
        if this sum exceeds the limit.
        """
        nearest = self.nearest or {}
        doubtful = set()
        for group in grouping.groups:
            pivot = pages[group.pivot].tree_id
            for tree_id in {pages[page].tree_id for page in group.members}:
                found = nearest.get(tree_id)
                if found is not None:
                    reference, distance = found
                    to_pivot = float(self.distances[self._row(reference), self._row(pivot)])
                    a, via, b = (trees[each].size for each in (tree_id, reference, pivot))
                    bound = _edits(distance, a, via) + _edits(to_pivot, via, b)
                    if size_tolerant_distance(bound, a, b) > MAX_SIZE_TOLERANT_PIVOT_DISTANCE:
                        doubtful.add((tree_id, pivot))
        return doubtful

    def representative_trees(self, pages: Sequence[SitePage], group: Group) -> list[int]:
        """Return the IDs of the group's trees to compare with new pages; the pivot's is first."""
        page_of = {pages[member].tree_id: member for member in reversed(group.members)}
        page_of[pages[group.pivot].tree_id] = group.pivot
        tree_ids = sorted(
            set(page_of).intersection(self.references), key=lambda tree: pages[page_of[tree]].url
        )
        rows = [self._row(tree_id) for tree_id in tree_ids]
        distances = size_tolerant_distances(self.distances[np.ix_(rows, rows)], self.sizes[rows])
        pivot = tree_ids.index(pages[group.pivot].tree_id)
        chosen = representatives(distances, Group(tuple(range(len(rows))), pivot))
        return [tree_ids[row] for row in chosen]

    def _row(self, tree_id: int) -> int:
        return int(np.searchsorted(self.references, tree_id))


class KnownDistances(Protocol):
    """Lookup of the known distances of a site's trees."""

    def among(self, tree_ids: Sequence[int]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the edit distances (NaN if not comparable) between trees, and which are known."""

    def nearest(
        self, references: Sequence[int], tree_ids: Sequence[int]
    ) -> Mapping[int, NearestReference | None]:
        """Return the known nearest references by tree, or None for a tree too large to compare."""

    def to_pivot(self, pivot: int, tree_ids: Sequence[int]) -> Mapping[int, int | None]:
        """Return the known edit distances to a pivot by tree (None for trees too large)."""


class MissingPairs(NamedTuple):
    """Trees to compare with each other, in ascending order, with the pairs already compared."""

    tree_ids: Sequence[int]
    is_known: npt.NDArray[np.bool_]


class MissingNearest(NamedTuple):
    """Trees whose nearest reference is not known yet, in ascending order.

    `references` are ordered by digest; `new_references` is the number of references that were not
    part of an earlier round of comparisons.
    """

    tree_ids: Sequence[int]
    references: Sequence[int]
    new_references: int


class MissingToPivot(NamedTuple):
    """Trees to compare with the pivot of their group."""

    pivot: int
    tree_ids: Sequence[int]


MissingComparisons: TypeAlias = MissingPairs | MissingNearest | MissingToPivot


class NeededComparisons(NamedTuple):
    """Comparisons needed before the policy can continue."""

    comparisons: Sequence[MissingComparisons]


def known_or_missing(
    trees: Mapping[int, TreeShape], known: KnownDistances, *, whole_matrix_trees: int
) -> KnownSite | NeededComparisons:
    """Return the distances needed to group a site's distinct trees, or the missing comparisons."""
    if len(trees) <= whole_matrix_trees:
        return _site_or_missing(trees, known, sorted(trees))
    # The order of digests is random, but the same on every machine.
    ranked = sorted(trees, key=lambda tree_id: trees[tree_id].digest)
    max_sampled = round(whole_matrix_trees * SAMPLED_SHARE)
    size = _count_within(ranked[:max_sampled], trees, MAX_REFERENCE_NODES * SAMPLED_SHARE)
    sample, others = ranked[:size], ranked[size:]
    nearest = known.nearest(sample, sorted(others))
    unknown = sorted(tree_id for tree_id in others if tree_id not in nearest)
    if unknown:
        return NeededComparisons([MissingNearest(unknown, sample, len(sample))])
    rare = [  # trees that are far from the whole sample
        tree_id
        for tree_id in others
        if (found := nearest[tree_id]) is not None and found[1] >= MAX_PIVOT_DISTANCE
    ][: whole_matrix_trees - max_sampled]
    rare = rare[: _count_within(rare, trees, MAX_REFERENCE_NODES * (1 - SAMPLED_SHARE))]
    references = sorted(sample + rare, key=lambda tree_id: trees[tree_id].digest)
    others = sorted(set(trees).difference(references))
    nearest = known.nearest(references, others)
    unknown = sorted(tree_id for tree_id in others if tree_id not in nearest)
    site = _site_or_missing(trees, known, sorted(references), nearest)
    if not unknown:
        return site
    missing = site.comparisons if isinstance(site, NeededComparisons) else ()
    return NeededComparisons([MissingNearest(unknown, references, len(rare)), *missing])


def _edits(ratio: float, size_a: int, size_b: int) -> int:
    """Return the tree edit distance with the given `normalised_distance`."""
    return round(ratio * (size_a + size_b) / (2 - ratio))


def group_or_missing(
    site: KnownSite,
    pages: Sequence[SitePage],
    trees: Mapping[int, TreeShape],
    known: KnownDistances,
) -> Grouping | NeededComparisons:
    """Group pages, or return the missing comparisons of pages that may be far from their pivot."""
    grouping = site.group(pages)
    doubtful = site.doubtful(pages, trees, grouping)
    if not doubtful:
        return grouping
    missing: list[MissingComparisons] = []
    distances: dict[tuple[int, int], float] = {}
    for pivot in sorted({pivot for _, pivot in doubtful}):
        members = sorted(tree_id for tree_id, other in doubtful if other == pivot)
        found = known.to_pivot(pivot, members)
        for tree_id, edits in found.items():
            sizes = trees[tree_id].size, trees[pivot].size
            distance = np.nan if edits is None else size_tolerant_distance(edits, *sizes)
            distances[tree_id, pivot] = distance
        unknown = [tree_id for tree_id in members if tree_id not in found]
        if unknown:
            missing.append(MissingToPivot(pivot, unknown))
    if missing:
        return NeededComparisons(missing)
    return without_far_members(grouping, pages, distances)


def _site_or_missing(
    trees: Mapping[int, TreeShape],
    known: KnownDistances,
    tree_ids: Sequence[int],
    nearest: Mapping[int, NearestReference | None] | None = None,
) -> KnownSite | NeededComparisons:
    """Return the site with the distances between its references, or the missing comparisons."""
    edits, is_known = known.among(tree_ids)
    if not is_known.all():
        return NeededComparisons([MissingPairs(tree_ids, is_known)])
    sizes = np.array([trees[tree_id].size for tree_id in tree_ids], dtype=np.int64)
    distances = normalised_distance(edits, sizes[:, None], sizes[None, :])
    return KnownSite(tree_ids, sizes, np.asarray(distances), nearest)


def _count_within(tree_ids: Sequence[int], trees: Mapping[int, TreeShape], nodes: float) -> int:
    """Return how many of the first trees have at most `nodes` nodes in total, but at least 1."""
    sums = np.cumsum([trees[tree_id].size for tree_id in tree_ids])
    return max(1, int(np.searchsorted(sums, nodes, "right")))


def without_far_members(
    grouping: Grouping, pages: Sequence[SitePage], distances: Mapping[tuple[int, int], float]
) -> Grouping:
    """Return the grouping after making outliers of pages too far from their group's pivot.

    `distances` has the size-tolerant distance of each doubtful member, by the IDs of its tree and
    the pivot's tree, or NaN if the two cannot be compared.
    """
    groups = []
    for group in grouping.groups:
        pivot = pages[group.pivot].tree_id
        # The comparison is false for NaN, so such pages become outliers.
        members = tuple(
            page
            for page in group.members
            if distances.get((pages[page].tree_id, pivot), 0.0) <= MAX_SIZE_TOLERANT_PIVOT_DISTANCE
        )
        if len(members) > 1:
            groups.append(Group(members, group.pivot))
    urls = [page.url for page in pages]
    return Grouping.of(urls, groups, grouping.embedding, grouping.silhouette)
