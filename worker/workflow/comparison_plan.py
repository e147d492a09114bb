"""Plan a site's missing comparisons, which are requested in blocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from detourage.html import TreeShape
from detourage.limits import WHOLE_MATRIX_TREES
from detourage.template.comparison_policy import (
    KnownSite,
    MissingNearest,
    MissingPairs,
    MissingToPivot,
    NeededComparisons,
    SitePage,
    group_or_missing,
    known_or_missing,
)
from detourage.template.distance import PairBlock, blocks_of_missing
from detourage.template.distance.pair_blocks import BLOCK_NODES, MAX_BLOCK_SIDE, parts
from detourage.template.groups import Grouping
from worker.messaging import task_names
from worker.store import comparisons, outbox, trees
from worker.store.comparisons import Nearest, NewBlock, load_nearest, save_set
from worker.store.groups import SiteState
from worker.store.trees import Distances
from worker.workflow.clustering_requests import request_stored_blocks
from worker.workflow.comparison import compare_at_once
from worker.workflow.process_state import ProcessState
from worker.workflow.retry_policy import LATE_AFTER_SECONDS

NEAREST_ROWS = 128  # maximum number of trees per task that searches for nearest references

NEAREST_SIDES = 8
"""Maximum number of tree nodes per task that searches for nearest references, as a multiple of
`BLOCK_NODES`. Thanks to lower bounds, such a task computes few of the distances."""

PAIRS_AT_ONCE = 256
"""Maximum number of missing pairs that the clustering task compares itself: a quarter of a block. A
block would take longer, since it needs messages and a second clustering task."""


class StoredDistances:
    """Distances of a site's trees in the database; implements the protocol `KnownDistances`."""

    def __init__(self, session: Session, site_id: int) -> None:
        self._session = session
        self._site_id = site_id
        self._sets: dict[tuple[int, ...], int] = {}  # IDs of reference sets, by their trees
        self._known: dict[tuple[int, ...], Distances] = {}  # distances read, by sequence of trees
        self.computed: Distances = {}  # distances yet to be stored

    def among(
        self, tree_ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the matrix of distances among trees, and a mask of those that are stored."""
        key = tuple(tree_ids)
        if key not in self._known:
            self._known[key] = trees.distances_among(self._session, tree_ids)
        return trees.matrix_of(tree_ids, self._known[key])

    def add(self, distances: Distances) -> None:
        """Add newly computed distances, which `computed` keeps until they are stored."""
        for known in (*self._known.values(), self.computed):
            known |= distances

    def nearest(self, references: Sequence[int], tree_ids: Sequence[int]) -> Nearest:
        """Return the stored nearest references of trees."""
        return load_nearest(self._session, self.reference_set(references), tree_ids)

    def to_pivot(self, pivot: int, tree_ids: Sequence[int]) -> Mapping[int, int | None]:
        """Return the stored distances of trees to a pivot, by tree ID."""
        stored = trees.known_distances(self._session, [pivot], tree_ids)
        return {
            higher if lower == pivot else lower: distance
            for (lower, higher), distance in stored.items()
        }

    def reference_set(self, references: Sequence[int]) -> int:
        """Return the ID of a reference set, which is stored if it is new."""
        key = tuple(references)
        if key not in self._sets:
            self._sets[key] = save_set(self._session, self._site_id, references)
        return self._sets[key]

    def reference_sets(self) -> list[int]:
        """Return the IDs of all reference sets that have been looked up."""
        return list(self._sets.values())


class ComparedSite(NamedTuple):
    """A site during one clustering, with its distinct trees by ID."""

    id: int
    state: SiteState
    version: int
    trees: Mapping[int, TreeShape]


def known_site(
    session: Session, state: ProcessState, site: ComparedSite, stored: StoredDistances
) -> KnownSite | None:
    """Return a site with its distances; if many are missing, request them and return None."""
    found = known_or_missing(site.trees, stored, whole_matrix_trees=WHOLE_MATRIX_TREES)
    if isinstance(found, NeededComparisons):
        pairs = _few_pairs(site, list(divide_into_blocks(found, site.trees, stored)))
        if pairs is not None:
            stored.add(compare_at_once(session, state, pairs))
            found = known_or_missing(site.trees, stored, whole_matrix_trees=WHOLE_MATRIX_TREES)
    if isinstance(found, NeededComparisons):
        _enqueue_missing(session, site, stored, found)
        return None
    return found


def known_grouping(
    session: Session,
    site: ComparedSite,
    stored: StoredDistances,
    known: KnownSite,
    pages: Sequence[SitePage],
) -> Grouping | None:
    """Return the groups of a site's pages, or request missing distances and return None."""
    found = group_or_missing(known, pages, site.trees, stored)
    if isinstance(found, NeededComparisons):
        _enqueue_missing(session, site, stored, found)
        return None
    return found


def enqueue_late_blocks(session: Session, site_id: int) -> None:
    """Enqueue a site's blocks of comparisons again if their results are overdue."""
    params = {"task": task_names.COMPARE, "site_id": site_id, "patience": LATE_AFTER_SECONDS}
    if not session.scalar(outbox.SQL.is_waiting, params):
        late = session.scalars(comparisons.SQL.renew_late_blocks, params).all()
        request_stored_blocks(session, site_id, late)


def divide_into_blocks(
    missing: NeededComparisons, trees: Mapping[int, TreeShape], stored: StoredDistances
) -> Iterator[NewBlock]:
    """Divide missing comparisons into blocks of bounded size."""
    sizes = {tree_id: shape.size for tree_id, shape in trees.items()}
    for comparison in missing.comparisons:
        match comparison:
            case MissingPairs(tree_ids, is_known):
                for block in blocks_of_missing(tree_ids, is_known, sizes=sizes):
                    yield NewBlock(block.rows, block.columns, sum(1 for _ in block.pairs()))
            case MissingNearest(tree_ids, references, new):
                set_id = stored.reference_set(references)
                for part in parts(tree_ids, NEAREST_ROWS, sizes, NEAREST_SIDES):
                    yield NewBlock(part, references, len(part) * new, set_id)
            case MissingToPivot(pivot, tree_ids):
                for part in parts(tree_ids, MAX_BLOCK_SIDE**2, sizes, MAX_BLOCK_SIDE):
                    yield NewBlock((pivot,), part, len(part))


def _few_pairs(site: ComparedSite, blocks: Sequence[NewBlock]) -> list[tuple[int, int]] | None:
    """Return the pairs of trees in blocks, or None if there are too many for a clustering task."""
    if (
        sum(shape.size for shape in site.trees.values()) > BLOCK_NODES
        or sum(block.pairs for block in blocks) > PAIRS_AT_ONCE
        or any(block.reference_set_id is not None for block in blocks)
    ):
        return None
    pair_blocks = (PairBlock(tuple(block.rows), tuple(block.columns)) for block in blocks)
    return [pair for block in pair_blocks for pair in block.pairs()]


def _enqueue_missing(
    session: Session, site: ComparedSite, stored: StoredDistances, missing: NeededComparisons
) -> None:
    """Store and enqueue the blocks of the missing comparisons."""
    if site.state.compared_version is None:
        begun = {"site_id": site.id, "version": site.version, "tree_ids": sorted(site.trees)}
        session.execute(comparisons.SQL.begin, begun)
    trees.save_distances(session, stored.computed)
    blocks = list(divide_into_blocks(missing, site.trees, stored))
    request_stored_blocks(session, site.id, comparisons.add_blocks(session, site.id, blocks))
