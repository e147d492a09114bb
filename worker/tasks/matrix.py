"""What of a site's distances is known, and which blocks of comparisons are missing.

Of a site of few trees every pair is compared. Beyond, work, rows and memory would grow
with the square of the trees, and the policy of `worker.distance.references` takes over
in three rounds of blocks, each of a size proportional to the site:

1. the nearest of a sample is sought for every tree;
2. trees far from all of the sample join it as references: those are compared with each
   other, and the nearest of the new ones is sought too;
3. once the references are grouped, pages are compared with the pivot of their group where
   the triangle inequality leaves open whether they are too far from it.

Sample and references are functions of the set of trees, so neither the order of the
pages nor the number of workers changes the groups. When pages arrive, only theirs is
missing, and where a reference has changed what depended on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from worker.distance import blocks_of_missing, normalised_distance
from worker.distance.blocks import BLOCK_SIDE, parts
from worker.distance.references import FAR
from worker.store import references, trees
from worker.store.comparisons import NewBlock
from worker.store.references import Nearest
from worker.store.templates import ComparablePage
from worker.store.trees import TreeShape
from worker.templates import Group, Grouping, group_pages
from worker.templates.assignment import representatives
from worker.templates.likeness import size_tolerant_distances
from worker.templates.references import (
    doubtful_members,
    group_by_references,
    without_far_members,
)

SAMPLED_SHARE = 0.75
"""Share of the references of a large site that are drawn, the others being far from these.

References are at most as many as the trees of the largest site that is compared as a
whole, so that no site costs more for being just above the limit.
"""

ASSIGNED_TOGETHER = 128
"""Trees whose nearest references one task seeks: with 300 references some 40,000 bounds
and 500 exact distances, which take 0.5 to 5 s for pages of 300 to 800 nodes."""

ASSIGNED_SHARE = 8
"""How many times the nodes of a block's side they may have: they are compared by bounds mostly."""


@dataclass(frozen=True)
class ComparedSite:
    """A site whose trees are compared, for one clustering.

    Parameters
    ----------
    id, version
        Of the site, when the comparison began.
    generation
        Number of its last clustering.
    trees
        Its distinct trees by id.
    has_begun
        Whether blocks were asked for already.
    """

    id: int
    version: int
    generation: int
    trees: dict[int, TreeShape]
    has_begun: bool


@dataclass(frozen=True)
class Missing:
    """Blocks of comparisons that are still to be done."""

    blocks: list[NewBlock]


@dataclass(frozen=True, eq=False)
class KnownSite:
    """All that the clustering of a site needs.

    Parameters
    ----------
    references
        Ids of the trees that were compared with each other, ascending; all of a
        small site.
    sizes
        Numbers of their nodes.
    distances
        Normalised distances among them, NaN where two could not be compared.
    nearest
        Of a large site, the nearest reference of every other tree.
    reference_sets
        Ids of the sets of references that the next clustering begins with.
    """

    references: list[int]
    sizes: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float64]
    nearest: Mapping[int, Nearest] | None
    reference_sets: Sequence[int]

    def group(self, pages: Sequence[ComparablePage]) -> Grouping:
        """Group pages, each of a tree of the site."""
        urls = [page.url for page in pages]
        tree_ids = [page.tree_id for page in pages]
        if self.nearest is None:
            rows = [self._row(tree_id) for tree_id in tree_ids]
            return group_pages(urls, self.distances[np.ix_(rows, rows)], sizes=self.sizes[rows])
        return group_by_references(
            urls, tree_ids, self.references, self.distances, self._comparable()
        )

    def doubtful(self, pages: Sequence[ComparablePage], grouping: Grouping) -> set[tuple[int, int]]:
        """Return the trees that may be too far from their group's pivot, each with the pivot's."""
        if self.nearest is None:
            return set()
        tree_ids = [page.tree_id for page in pages]
        return doubtful_members(
            grouping, tree_ids, self.references, self.distances, self._comparable()
        )

    def nearest_member(
        self, pages: Sequence[ComparablePage], members: Iterable[int], index: int
    ) -> int:
        """Return which of some members is nearest to another, by URL the first of equals.

        Of a large site, a page whose distance to this one was never computed comes last.
        """
        return min(
            (member for member in members if member != index),
            key=lambda member: (
                self._distance(pages[index].tree_id, pages[member].tree_id),
                pages[member].url,
            ),
        )

    def representative_trees(self, pages: Sequence[ComparablePage], group: Group) -> list[int]:
        """Return the trees that new pages are to be compared with, that of the pivot first.

        Of a large site they are chosen among the references.
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

    def _comparable(self) -> dict[int, tuple[int, float]]:
        return {
            tree_id: (each.reference_id, each.distance)
            for tree_id, each in (self.nearest or {}).items()
            if each.reference_id is not None and each.distance is not None
        }

    def _row(self, tree_id: int) -> int:
        return int(np.searchsorted(self.references, tree_id))

    def _distance(self, tree_id: int, other_id: int) -> float:
        if tree_id == other_id:
            return 0.0
        if self.nearest is not None:
            for a, b in (tree_id, other_id), (other_id, tree_id):
                nearest = self.nearest.get(a)
                if nearest is not None:
                    known = nearest.distance if nearest.reference_id == b else None
                    return np.inf if known is None else known
        return float(self.distances[self._row(tree_id), self._row(other_id)])


def known_or_missing(
    session: Session, site: ComparedSite, *, whole_matrix_trees: int
) -> KnownSite | Missing:
    """Return all distances that the clustering of a site needs, or what is missing of them."""
    if len(site.trees) <= whole_matrix_trees:
        return _matrix(session, site, sorted(site.trees))
    # The digests are as good as chance, but the same on every machine.
    ranked = sorted(site.trees, key=lambda tree_id: site.trees[tree_id].digest)
    size = round(whole_matrix_trees * SAMPLED_SHARE)
    sample = ranked[:size]
    sample_set, nearest = _nearest(session, site, sample, sample)
    if isinstance(nearest, Missing):
        return nearest
    far = [
        tree_id
        for tree_id in ranked[size:]
        if (distance := nearest[tree_id].distance) is not None and distance >= FAR
    ]
    rare = far[: whole_matrix_trees - size]
    chosen = sorted(sample + rare, key=lambda tree_id: site.trees[tree_id].digest)
    chosen_set, nearest = _nearest(session, site, chosen, rare)
    sets = [sample_set, chosen_set]
    if isinstance(nearest, Missing):
        matrix = _matrix(session, site, sorted(chosen), {}, sets)
        also = matrix.blocks if isinstance(matrix, Missing) else []
        return Missing(nearest.blocks + also)
    return _matrix(session, site, sorted(chosen), nearest, sets)


def group_or_missing(
    session: Session, site: ComparedSite, known: KnownSite, pages: Sequence[ComparablePage]
) -> Grouping | Missing:
    """Group pages, or return what is missing to tell which are too far from their pivot."""
    grouping = known.group(pages)
    doubtful = known.doubtful(pages, grouping)
    missing: list[NewBlock] = []
    distances: dict[tuple[int, int], float] = {}
    sizes = {tree_id: shape.size for tree_id, shape in site.trees.items()}
    for pivot in sorted({pivot for _, pivot in doubtful}):
        members = sorted(tree_id for tree_id, other in doubtful if other == pivot)
        stored = trees.known_distances(session, [pivot], members)
        unknown = []
        for tree_id in members:
            pair = (min(tree_id, pivot), max(tree_id, pivot))
            if pair not in stored:
                unknown.append(tree_id)
                continue
            raw = stored[pair]
            distances[tree_id, pivot] = (
                np.nan if raw is None else normalised_distance(raw, sizes[tree_id], sizes[pivot])
            )
        missing += [
            NewBlock((pivot,), part, len(part))
            for part in parts(unknown, BLOCK_SIDE**2, sizes, BLOCK_SIDE)
        ]
    if missing:
        return Missing(missing)
    urls, tree_ids = [page.url for page in pages], [page.tree_id for page in pages]
    return without_far_members(grouping, urls, tree_ids, distances) if doubtful else grouping


def _nearest(
    session: Session, site: ComparedSite, chosen: Sequence[int], new: Sequence[int]
) -> tuple[int, dict[int, Nearest] | Missing]:
    set_id = references.save_set(session, site.id, chosen)
    others = sorted(set(site.trees).difference(chosen))
    nearest = references.load_nearest(session, set_id, others)
    missing = [tree_id for tree_id in others if tree_id not in nearest]
    if not missing:
        return set_id, nearest
    sizes = {tree_id: site.trees[tree_id].size for tree_id in missing}
    blocks = [
        NewBlock(part, chosen, len(part) * len(new), set_id)
        for part in parts(missing, ASSIGNED_TOGETHER, sizes, ASSIGNED_SHARE)
    ]
    return set_id, Missing(blocks)


def _matrix(
    session: Session,
    site: ComparedSite,
    tree_ids: list[int],
    nearest: Mapping[int, Nearest] | None = None,
    reference_sets: Sequence[int] = (),
) -> KnownSite | Missing:
    raw, is_known = trees.distance_matrix(session, tree_ids)
    sizes = {tree_id: site.trees[tree_id].size for tree_id in tree_ids}
    if not is_known.all():
        return Missing(
            [
                NewBlock(block.rows, block.columns, sum(1 for _ in block.pairs()))
                for block in blocks_of_missing(tree_ids, is_known, sizes=sizes)
            ]
        )
    size = np.array([sizes[tree_id] for tree_id in tree_ids], dtype=np.int64)
    distances = normalised_distance(raw, size[:, None], size[None, :])
    return KnownSite(tree_ids, size, np.asarray(distances), nearest, reference_sets)
