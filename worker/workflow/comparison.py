"""Compare trees: blocks of pairs, and the nearest references of a set of trees."""

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from detourage.html import Tree, site_name
from detourage.template.distance import (
    NOT_COMPUTED,
    TOO_LARGE,
    KnownNearest,
    PairBlock,
    grouping_distances,
    nearest_of_changed,
)
from detourage.template.distance.forest import TASK_WORK, Forest
from detourage.text.plural import pluralise
from worker.messaging import task_names
from worker.outcomes import AbandonedReason
from worker.store import comparisons, outbox, pages, trees
from worker.store.comparisons import Block, Nearest
from worker.store.trees import Distances
from worker.workflow.clustering_requests import continue_clustering, request_stored_blocks
from worker.workflow.process_state import ProcessState
from worker.workflow.quarantine_entries import quarantine_task
from worker.workflow.retry_policy import COMPARISON_ATTEMPTS

logger = logging.getLogger(__name__)

CACHE_BYTES = 64 * 2**20
"""Size of a process's cache of subtree distances while it compares a block. With 8 MiB, comparisons
take up to 11 % longer; without a cache, up to 20 %."""

CACHED_NODES = 2_000_000  # maximum number of nodes in the cache, at 12 bytes each


class TreeCache:
    """An LRU cache of trees by ID, bounded by their number of nodes; stored trees never change."""

    def __init__(self) -> None:
        self._free_nodes = CACHED_NODES
        self._trees: OrderedDict[int, Tree] = OrderedDict()

    def load(
        self, session: Session, tree_ids: Sequence[int], stored: Mapping[int, bytes] = {}
    ) -> dict[int, Tree]:
        """Return the given trees by ID; remove damaged ones, and have their pages parsed again."""
        missing = [tree_id for tree_id in tree_ids if tree_id not in self._trees]
        found, damaged = trees.load_trees(session, missing, stored) if missing else ({}, {})
        if damaged:
            treeless = trees.remove_trees(session, damaged)
            for tree_id, error in damaged.items():
                logger.error("removed the damaged tree %d: %s", tree_id, error)
            logger.error("%s without a tree will be parsed again", pluralise(len(treeless), "page"))
            wanted = [(site_id, {"page_id": page_id}) for site_id, page_id in treeless]
            outbox.add_tasks_of_sites(session, task_names.PARSE, wanted)
        cached = {tree_id: self._trees[tree_id] for tree_id in tree_ids if tree_id in self._trees}
        for tree_id, tree in {**cached, **found}.items():
            if tree_id not in self._trees:
                self._free_nodes -= len(tree)
            self._trees[tree_id] = tree
            self._trees.move_to_end(tree_id)
        while self._free_nodes < 0 and self._trees:
            self._free_nodes += len(self._trees.popitem(last=False)[1])
        return cached | found


class BlockResult(NamedTuple):
    """Results of one task for a block; `is_complete` means that no result is missing."""

    distances: Distances
    nearest: Nearest
    is_complete: bool


class ComparisonJob(NamedTuple):
    """A block of comparisons with everything needed to compute it."""

    block: Block
    trees: dict[int, Tree]
    known: Distances
    finished_rows: set[int]  # rows whose nearest references are stored
    other_sets: list[tuple[list[int], Nearest]]  # other reference sets: members, nearest

    @property
    def is_abandoned(self) -> bool:
        """Whether the block ran out of attempts."""
        return self.block.attempts > COMPARISON_ATTEMPTS


def compare_block(state: ProcessState, block_id: int) -> None:
    """Compute and store the missing results of a block of comparisons."""
    # Committed first, so that the attempt counts even if reading the trees kills the process.
    taken = state.database.execute(comparisons.SQL.take_block, id=block_id)
    if not taken:
        return
    job = state.database.run(_load, state.trees, Block(**taken[0]._asdict()))
    if job.is_abandoned:
        logger.error("block %d abandoned; its trees count as not comparable", block_id)
    quarantine = state.topology.quarantines["compare"]
    compare = _distances_of_block if job.block.reference_set_id is None else _nearest_of_block
    state.database.run(_save, job, quarantine, compare(job, CACHE_BYTES))


def _load(session: Session, cache: TreeCache, block: Block) -> ComparisonJob:
    set_id = block.reference_set_id
    finished_rows: set[int] = set()
    other_sets: list[tuple[list[int], Nearest]] = []
    if set_id is not None:
        finished_rows = set(comparisons.load_nearest(session, set_id, block.rows))
        sets = session.execute(comparisons.SQL.sets_of_site, {"site_id": block.site_id}).all()
        other_sets = [
            (members, comparisons.load_nearest(session, other_id, block.rows))
            for other_id, members in sets
            if other_id != set_id
        ]
    loaded = cache.load(session, sorted({*block.rows, *block.columns}))
    known = trees.known_distances(session, block.rows, block.columns)
    return ComparisonJob(block, loaded, known, finished_rows, other_sets)


def _save(session: Session, job: ComparisonJob, quarantine: str, compared: BlockResult) -> None:
    """Store results, and enqueue the rest of the block or, after the last block, the clustering."""
    # The lock ensures that only one of several concurrent tasks finds that its block is the last.
    session.execute(comparisons.SQL.lock_site, {"id": job.block.site_id})
    if not compared.is_complete:
        if session.scalar(comparisons.SQL.leave_rest, {"id": job.block.id}) is not None:
            _save_compared(session, job, compared)
            request_stored_blocks(session, job.block.site_id, [job.block.id])
        return
    is_last = session.scalar(comparisons.SQL.finish_block, {"id": job.block.id})
    if is_last is None:
        return
    _save_compared(session, job, compared)
    if job.is_abandoned:
        site = site_name(pages.key_of_site(session, job.block.site_id))
        quarantine_task(
            session,
            task_names.REPROCESS,
            {"site": site, "stage": "compare"},
            queue=quarantine,
            reason=AbandonedReason.COMPARISON_FAILED,
            detail=f"{site}: comparing {len(job.trees)} trees crashed the process or timed out"
            f" {COMPARISON_ATTEMPTS} times; these trees count as not comparable",
        )
    if is_last:
        continue_clustering(session, job.block.site_id)


def _save_compared(session: Session, job: ComparisonJob, compared: BlockResult) -> None:
    trees.save_distances(session, compared.distances)
    if compared.nearest and job.block.reference_set_id is not None:
        comparisons.save_nearest(session, job.block.reference_set_id, compared.nearest)


def _distances_of_block(job: ComparisonJob, memory: int) -> BlockResult:
    pairs = [
        pair
        for pair in PairBlock(tuple(job.block.rows), tuple(job.block.columns)).pairs()
        if pair not in job.known and pair[0] in job.trees and pair[1] in job.trees
    ]
    if job.is_abandoned:
        return BlockResult(dict.fromkeys(pairs), {}, is_complete=True)
    distances = distances_of_pairs(pairs, job.trees, memory=memory)
    return BlockResult(distances, {}, is_complete=len(distances) == len(pairs))


def compare_at_once(
    session: Session, state: ProcessState, pairs: Sequence[tuple[int, int]]
) -> Distances:
    """Compute the distances of a few pairs within `TASK_WORK`."""
    loaded = state.trees.load(session, sorted({each for pair in pairs for each in pair}))
    comparable = [pair for pair in pairs if loaded.keys() >= set(pair)]
    return distances_of_pairs(comparable, loaded, memory=CACHE_BYTES)


def distances_of_pairs(
    pairs: Sequence[tuple[int, int]], loaded: Mapping[int, Tree], *, memory: int
) -> Distances:
    """Compute the distances of pairs (None if too large) within `TASK_WORK`."""
    ids = sorted({each for pair in pairs for each in pair})
    index_of = {tree_id: i for i, tree_id in enumerate(ids)}
    computed = grouping_distances(
        Forest([loaded[tree_id] for tree_id in ids], memory=memory, work=TASK_WORK),
        [index_of[lower] for lower, _ in pairs],
        [index_of[higher] for _, higher in pairs],
    )
    return {
        pair: None if distance == TOO_LARGE else distance
        for pair, distance in zip(pairs, computed.tolist(), strict=True)
        if distance != NOT_COMPUTED
    }


def _nearest_of_block(job: ComparisonJob, memory: int) -> BlockResult:
    rows = [row for row in job.block.rows if row in job.trees and row not in job.finished_rows]
    columns = [column for column in job.block.columns if column in job.trees]
    if job.is_abandoned or not columns:
        return BlockResult({}, dict.fromkeys(rows), is_complete=True)
    column_index = {tree_id: i for i, tree_id in enumerate(columns)}
    # Pairs of tree IDs, lower ID first, by row and column of the matrix of distances.
    pairs = {
        (i, column_index[column]): (min(row, column), max(row, column))
        for i, row in enumerate(rows)
        for column in columns
    }
    found = nearest_of_changed(
        [job.trees[tree_id] for tree_id in rows],
        [job.trees[tree_id] for tree_id in columns],
        [_known_nearest(tree_id, job.other_sets, column_index) for tree_id in rows],
        distances={cell: job.known[pair] for cell, pair in pairs.items() if pair in job.known},
        memory=memory,
        work=TASK_WORK,
    )
    nearest = {
        tree_id: None if reference < 0 else (columns[reference], float(distance))
        for tree_id, reference, distance in zip(rows, found.reference, found.distance)  # noqa: B905
    }
    distances = {pairs[cell]: distance for cell, distance in found.begun.items()}
    return BlockResult(distances, nearest, is_complete=len(nearest) == len(rows))


def _known_nearest(
    tree_id: int, other_sets: list[tuple[list[int], Nearest]], column_index: dict[int, int]
) -> list[KnownNearest]:
    """Return a tree's nearest references in other sets that are also columns of the block."""
    known = []
    for members, nearest_by_tree in other_sets:
        reference, distance = nearest_by_tree.get(tree_id) or (None, 0.0)
        if reference in column_index:
            searched = frozenset(column_index[id_] for id_ in members if id_ in column_index)
            known.append(KnownNearest(column_index[reference], distance, searched))
    return known
