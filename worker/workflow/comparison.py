"""Comparisons of trees: a block of pairs, or the nearest references of some trees."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from worker.grouping.distance import KnownNearest, PairBlock, TreeTooLargeError, nearest_of_changed
from worker.grouping.distance.forest import Forest, forest_of
from worker.html import Tree, site_name
from worker.messaging import task_names
from worker.outcomes import GivenUpReason
from worker.store import comparisons, pages, trees
from worker.store.comparisons import StoredNearest
from worker.workflow.attempts import COMPARISON_ATTEMPTS
from worker.workflow.clustering_requests import continue_clustering
from worker.workflow.process import ProcessState
from worker.workflow.quarantined_tasks import offer_task
from worker.workflow.stored_trees import TreeCache

logger = logging.getLogger(__name__)

Distances: TypeAlias = dict[tuple[int, int], int | None]
Places: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ComparisonJob:
    """A block with all that doing it needs.

    Parameters
    ----------
    block_id, site_id, rows, columns, reference_set_id
        As in `ComparisonBlock`.
    gives_up
        Whether it was tried too often.
    trees
        The trees of the block by id.
    known
        Pairs that are compared already.
    earlier
        References of other sets of the site, with what is nearest to the rows.
    """

    block_id: int
    site_id: int
    rows: list[int]
    columns: list[int]
    reference_set_id: int | None
    gives_up: bool
    trees: dict[int, Tree]
    known: set[tuple[int, int]]
    earlier: list[tuple[list[int], dict[int, StoredNearest]]]


def compare_block(state: ProcessState, block_id: int) -> None:
    """Compute and store what a block asks for, except what is already stored."""
    job = state.database.run(lambda session: _load(session, state.trees, block_id))
    if job is None:
        return
    if job.gives_up:
        logger.error("block %d is given up, its trees count as not comparable", block_id)
    memory = _memory(state)
    quarantine = state.topology.quarantines["compare"]
    if job.reference_set_id is not None:
        nearest = _nearest(job, memory)
        state.database.run(lambda session: _save(session, job, quarantine, nearest=nearest))
    else:
        distances = _distances(job, memory)
        state.database.run(lambda session: _save(session, job, quarantine, distances=distances))


def _load(session: Session, cache: TreeCache, block_id: int) -> ComparisonJob | None:
    block = comparisons.take_block(session, block_id)
    if block is None:
        return None
    set_id = block.reference_set_id
    known: set[tuple[int, int]] = set()
    earlier: list[tuple[list[int], dict[int, StoredNearest]]] = []
    if set_id is None:
        known = set(trees.known_distances(session, block.rows, block.columns))
    else:
        earlier = [
            (members, comparisons.load_nearest(session, other, block.rows))
            for other, members in comparisons.sets_of_site(session, block.site_id).items()
            if other != set_id
        ]
    return ComparisonJob(
        block_id=block_id,
        site_id=block.site_id,
        rows=block.rows,
        columns=block.columns,
        reference_set_id=set_id,
        gives_up=block.attempts > COMPARISON_ATTEMPTS,
        trees=cache.load(session, sorted({*block.rows, *block.columns})),
        known=known,
        earlier=earlier,
    )


def _save(
    session: Session,
    job: ComparisonJob,
    quarantine: str,
    *,
    distances: Distances | None = None,
    nearest: Mapping[int, StoredNearest] | None = None,
) -> None:
    comparisons.lock_for_result(session, job.site_id)
    finished = comparisons.finish_block(session, job.block_id)
    if finished is None:
        return
    if distances:
        trees.save_distances(session, distances)
    if nearest and job.reference_set_id is not None:
        comparisons.save_nearest(session, job.reference_set_id, nearest)
    if job.gives_up:
        _offer_to_compare_again(session, job, quarantine)
    if finished.is_last:
        continue_clustering(session, job.site_id)


def _offer_to_compare_again(session: Session, job: ComparisonJob, quarantine: str) -> None:
    site = site_name(pages.key_of_site(session, job.site_id))
    offer_task(
        session,
        task_names.REPROCESS,
        {"site": site, "stage": "compare"},
        quarantine=quarantine,
        reason=GivenUpReason.COMPARISON_FAILED,
        detail=f"{site}: comparing {len(job.trees)} trees took its process with it, or too long,"
        f" {COMPARISON_ATTEMPTS} times; they count as not comparable",
    )


def _distances(job: ComparisonJob, memory: int) -> Distances:
    pairs = [
        pair
        for pair in PairBlock(tuple(job.rows), tuple(job.columns)).pairs()
        if pair not in job.known and pair[0] in job.trees and pair[1] in job.trees
    ]
    if job.gives_up:
        return dict.fromkeys(pairs)
    return distances_of_pairs(pairs, job.trees, memory=memory)


def compare_at_once(
    session: Session, state: ProcessState, pairs: Sequence[tuple[int, int]]
) -> None:
    """Compute and store the distances of a few pairs of trees."""
    loaded = state.trees.load(session, sorted({each for pair in pairs for each in pair}))
    trees.save_distances(session, distances_of_pairs(pairs, loaded, memory=_memory(state)))


def distances_of_pairs(
    pairs: Sequence[tuple[int, int]], loaded: Mapping[int, Tree], *, memory: int
) -> Distances:
    """Compare pairs of trees, given by their ids, in so many bytes of memory."""
    ids = sorted({each for pair in pairs for each in pair})
    place = {tree_id: i for i, tree_id in enumerate(ids)}
    forest = forest_of([loaded[tree_id] for tree_id in ids], memory=memory)
    a = np.array([place[lower] for lower, _ in pairs], np.int32)
    b = np.array([place[higher] for _, higher in pairs], np.int32)
    return dict(zip(pairs, distances_or_none(forest, a, b), strict=True))


def distances_or_none(forest: Forest, a: Places, b: Places) -> list[int | None]:
    """Compare pairs of trees; None for those that are too large.

    What is too large is told of a pair alone, so it does not depend on the block.
    """
    try:
        return list(map(int, forest.distances(a, b)))
    except TreeTooLargeError as error:
        is_suspect = np.isin(a, error.trees) | np.isin(b, error.trees)
    results: list[int | None] = [None] * len(a)
    others = np.flatnonzero(~is_suspect)
    for i, distance in zip(others, forest.distances(a[others], b[others]), strict=True):
        results[i] = int(distance)
    for i in np.flatnonzero(is_suspect):
        try:
            results[i] = int(forest.distances(a[i : i + 1], b[i : i + 1])[0])
        except TreeTooLargeError:
            continue
    return results


def _nearest(job: ComparisonJob, memory: int) -> dict[int, StoredNearest]:
    rows = [tree_id for tree_id in job.rows if tree_id in job.trees]
    if job.gives_up:
        return dict.fromkeys(rows, StoredNearest(None, None))
    columns = [job.trees[tree_id] for tree_id in job.columns]
    place = {tree_id: i for i, tree_id in enumerate(job.columns)}
    known = {tree_id: _known(tree_id, job.earlier, place) for tree_id in rows}

    def search(tree_ids: list[int], *, afresh: bool = False) -> dict[int, StoredNearest]:
        found = nearest_of_changed(
            [job.trees[tree_id] for tree_id in tree_ids],
            columns,
            [[] if afresh else known[tree_id] for tree_id in tree_ids],
            memory=memory,
        )
        return {
            tree_id: StoredNearest(job.columns[reference], float(distance))
            for tree_id, reference, distance in zip(
                tree_ids, found.reference, found.distance, strict=True
            )
        }

    try:
        return search(rows)
    except TreeTooLargeError:
        pass
    results = {}
    for tree_id in rows:
        try:
            results.update(search([tree_id], afresh=True))
        except TreeTooLargeError:
            results[tree_id] = StoredNearest(None, None)
    return results


def _known(
    tree_id: int, earlier: list[tuple[list[int], dict[int, StoredNearest]]], place: dict[int, int]
) -> list[KnownNearest]:
    facts = []
    for members, nearest_of in earlier:
        nearest = nearest_of.get(tree_id)
        if nearest is None or nearest.distance is None or nearest.reference_id not in place:
            continue
        searched = frozenset(place[member] for member in members if member in place)
        facts.append(KnownNearest(place[nearest.reference_id], nearest.distance, searched))
    return facts


def _memory(state: ProcessState) -> int:
    return state.settings.comparison_memory_mib * 2**20
