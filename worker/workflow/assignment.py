"""Assignment of new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from detourage.template.assignment import (
    MIN_NEW_GROUP_PAGES,
    NOT_COMPARED,
    Assignment,
    agreeing_outliers,
    assign_tree,
    worth_comparing,
)
from detourage.template.distance import normalised_distance
from detourage.template.groups import reference_order
from worker import logs, tracing
from worker.messaging import task_names
from worker.store import clusterings, groups, outbox, pages, trees
from worker.store.groups import NewGroup, NewMembership, Outlier
from worker.workflow.comment_patterns import pattern_of_group
from worker.workflow.comparison import compare_at_once
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.generation import group_memberships
from worker.workflow.process import ProcessState
from worker.workflow.shared_lines import shared_lines_of_group

Matrix: TypeAlias = npt.NDArray[np.float64]
Sizes: TypeAlias = npt.NDArray[np.int64]

logger = logging.getLogger(__name__)

OUTLIERS_COMPARED = 20
"""Number of a site's newest outliers that are compared with each other to find a new group: at most
190 pairs, and 19 for each further outlier."""


def request_each_alone(session: Session, wanted: Mapping[int, int]) -> None:
    """Request the assignment of pages, given with their site versions, with one task per page."""
    site_of = pages.sites_of(session, list(wanted))
    outbox.add_tasks_of_sites(
        session,
        task_names.ASSIGN,
        [
            (site_of[page_id], {"page_id": page_id, "site_version": version, task_names.OTHERS: []})
            for page_id, version in wanted.items()
            if page_id in site_of
        ],
    )


def assign_page(
    session: Session, state: ProcessState, page_id: int, site_version: int, *, compares: bool
) -> int:
    """Assign a page to a group, and return the units of work used by the comparisons."""
    page = pages.load_page(session, page_id, lock=True)
    if page is None or page.tree_id is None:
        return 0
    site_id = page.site_id
    logs.bind(site_id=site_id, page=page.url)
    newest = groups.newest_generation(session, site_id)
    # There is none if the database was restored from a backup older than this task; the first
    # clustering then places the page.
    if newest is None or newest.site_version >= site_version:
        return 0
    with tracing.span("assign page", page.trace):
        generation = newest.number
        found, pivot_id = NOT_COMPARED, None
        if compares:
            nearest = _nearest_group(session, state, site_id, generation, page.tree_id)
            if nearest is None:
                return 0
            found, pivot_id = nearest
        # A changed pivot that stays in its group is still compared with the same page.
        if pivot_id != page.id:
            role = "outlier" if found.group is None else "member"
            place = NewMembership(page.id, found.group, role, pivot_id, found.confidence)
            groups.place_page(session, site_id, generation, place)
        changed, work = {page.id}, found.work
        if found.group is None and compares:
            promoted, more = _promote_outliers(session, state, site_id, generation)
            changed |= promoted
            work += more
        request_extractions(session, changed, generation)
        logger.info(
            "page %d of site %d: group %s, confidence %.2f, distance %.2f",
            page.id,
            site_id,
            found.group,
            found.confidence,
            found.distance,
        )
        return work


def _nearest_group(
    session: Session, state: ProcessState, site_id: int, generation: int, tree_id: int
) -> tuple[Assignment, int | None] | None:
    """Return the assignment of a tree, and the pivot of its group; None if the tree is damaged."""
    representatives = groups.representatives(session, site_id, generation)
    shapes = trees.tree_shapes(session, {tree_id, *(each.tree_id for each in representatives)})
    sizes = [shapes[each.tree_id].size for each in representatives]
    representatives = [
        representatives[place] for place in worth_comparing(shapes[tree_id].size, sizes)
    ]
    loaded = state.trees.load(session, [tree_id, *(each.tree_id for each in representatives)])
    if tree_id not in loaded:
        return None
    representatives = [each for each in representatives if each.tree_id in loaded]
    found = assign_tree(
        loaded[tree_id],
        [loaded[each.tree_id] for each in representatives],
        [each.group_number for each in representatives],
    )
    pivots = {each.group_number: each.pivot_id for each in representatives}
    return found, None if found.group is None else pivots[found.group]


def _promote_outliers(
    session: Session, state: ProcessState, site_id: int, generation: int
) -> tuple[set[int], int]:
    """Group similar outliers; return the pages that joined a group and the units of work used."""
    # A running clustering also regroups the outliers. If the site is quarantined, comparing the
    # outliers may be the very step that fails.
    if not groups.try_lock_clustering(session, site_id) or clusterings.quarantine(session, site_id):
        return set(), 0
    outliers = groups.newest_outliers(session, site_id, generation, OUTLIERS_COMPARED)
    if len(outliers) < MIN_NEW_GROUP_PAGES:
        return set(), 0
    distances, sizes, work = _distances(session, state, outliers)
    promoted: set[int] = set()
    if distances is None:
        # The next outlier, or a clustering, continues the comparisons.
        return promoted, work
    for group in agreeing_outliers(distances, sizes=sizes):
        number = groups.last_group(session, site_id) + 1
        known = [(each.url, each.fetched_at) for each in outliers]
        ordered = [outliers[member] for member in reference_order(group.members, known)]
        members = [each.page_id for each in ordered]
        pattern = pattern_of_group(groups.comment_patterns(session, members))
        shared = shared_lines_of_group(session, {each.page_id: each.url for each in ordered})
        trees_of = [outliers[group.pivot].tree_id]
        new = NewGroup(number, 0, members[0], trees_of, pattern, shared)
        groups.save_groups(session, site_id, generation, [new])
        for place in group_memberships(number, members):
            groups.place_page(session, site_id, generation, place)
            promoted.add(place.page_id)
        logger.info(
            "site %d: %d outliers form the new group %d",
            site_id,
            len(group.members),
            number,
        )
    return promoted, work


def _distances(
    session: Session, state: ProcessState, outliers: Sequence[Outlier]
) -> tuple[Matrix | None, Sizes, int]:
    """Return the distances (None if some are missing) and sizes, and the units of work used."""
    tree_ids = sorted({outlier.tree_id for outlier in outliers})
    raw, is_stored = trees.distance_matrix(session, tree_ids)
    work = 0
    if not is_stored.all():
        missing = [(tree_ids[i], tree_ids[j]) for i, j in np.argwhere(~is_stored).tolist() if i < j]
        work = compare_at_once(session, state, missing)
        raw, is_stored = trees.distance_matrix(session, tree_ids)
    if not is_stored.all():
        return None, np.empty(0, np.int64), work
    shapes = trees.tree_shapes(session, tree_ids)
    rows = np.searchsorted(tree_ids, [outlier.tree_id for outlier in outliers])
    sizes = np.array([shapes[outlier.tree_id].size for outlier in outliers], np.int64)
    return normalised_distance(raw[np.ix_(rows, rows)], sizes[:, None], sizes[None, :]), sizes, work
