"""Assignment of new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy import Row
from sqlalchemy.orm import Session

from detourage.template.assignment import (
    MIN_NEW_GROUP_PAGES,
    NOT_COMPARED,
    agreeing_outliers,
    assign_tree,
    worth_comparing,
)
from detourage.template.distance import normalised_distance
from detourage.template.distance.forest import TASK_WORK
from worker import logs, tracing
from worker.messaging import task_names
from worker.store import clusterings, groups, outbox, pages, trees
from worker.store.database import AdvisoryLock
from worker.store.groups import ComparablePage, LatestGroups, NewMembership
from worker.workflow.comparison import compare_at_once
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.generation import new_group
from worker.workflow.process import ProcessState

Matrix: TypeAlias = npt.NDArray[np.float64]
Sizes: TypeAlias = npt.NDArray[np.int64]

logger = logging.getLogger(__name__)

OUTLIERS_COMPARED = 20
"""Number of a site's newest outliers that are compared with each other: 190 pairs."""


def request_each_alone(session: Session, wanted: Mapping[int, int]) -> None:
    """Request the assignment of pages, given with their site versions, with one task per page."""
    rows = session.execute(pages.SQL.sites_of, {"ids": list(wanted)})
    site_of: dict[int, int] = dict(rows.all())
    outbox.add_tasks_of_sites(
        session,
        task_names.ASSIGN,
        [
            (site_of[page_id], {"page_id": page_id, "site_version": version, task_names.OTHERS: []})
            for page_id, version in wanted.items()
            if page_id in site_of
        ],
    )


def assign_pages(
    session: Session, state: ProcessState, wanted: Mapping[int, int], *, compares: bool
) -> dict[int, int]:
    """Assign pages, given with their site versions; return those left after `TASK_WORK` is used."""
    remaining: dict[int, int] = {}
    work = 0
    locked = session.execute(groups.SQL.lock_pages, {"ids": list(wanted)}).all()
    if compares and len(locked) > 1:
        state.trees.load(session, [page.tree_id for page in locked])
    # Read after locking, since a clustering may have had the locks.
    latest = groups.latest_groups(session, {page.site_id for page in locked})
    of_site = attrgetter("site_id")
    for site_id, pages_of_site in groupby(sorted(locked, key=of_site), of_site):
        newest = latest.get(site_id)
        places: list[NewMembership] = []
        for page in pages_of_site:
            # There is no generation if the database was restored from a backup older than this
            # task; the first clustering then places the page.
            if newest is None or newest.site_version >= wanted[page.id]:
                continue
            if work > TASK_WORK:
                remaining[page.id] = wanted[page.id]
                continue
            logs.bind(site_id=site_id, page=page.url)
            with tracing.span("assign page", page.trace):
                place, used = _place(session, state, page, newest, compares=compares)
            work += used
            places += place
        if newest is not None and places:
            generation = newest.generation
            work += _save_places(session, state, site_id, generation, places, compares=compares)
    return remaining


def _save_places(
    session: Session,
    state: ProcessState,
    site_id: int,
    generation: int,
    places: Sequence[NewMembership],
    *,
    compares: bool,
) -> int:
    """Store memberships of pages, and request their extraction; return the units of work used."""
    # A changed representative that stays in its group is still compared with the same page.
    moved = [each for each in places if each.template_page_id != each.page_id]
    if moved:
        place = {"site_id": site_id, "number": generation}
        session.execute(groups.SQL.save_memberships, place | groups.membership_params(moved))
    changed, work = {each.page_id for each in places}, 0
    if compares and any(each.group_number is None for each in places):
        promoted, work = _promote_outliers(session, state, site_id, generation)
        changed |= promoted
    request_extractions(session, changed, generation)
    return work


def _place(
    session: Session, state: ProcessState, page: Row[Any], newest: LatestGroups, *, compares: bool
) -> tuple[list[NewMembership], int]:
    """Return the place of a page (none if its tree is damaged), and the units of work used."""
    found, template_page_id = NOT_COMPARED, None
    if compares:
        sizes = [each.size for each in newest.representatives]
        near = [newest.representatives[place] for place in worth_comparing(page.size, sizes)]
        loaded = state.trees.load(session, [page.tree_id, *(each.tree_id for each in near)])
        if page.tree_id not in loaded:
            return [], 0
        near = [each for each in near if each.tree_id in loaded]
        found = assign_tree(
            loaded[page.tree_id],
            [loaded[each.tree_id] for each in near],
            [each.group_number for each in near],
        )
        template_page_id = {each.group_number: each.template_page_id for each in near}.get(
            found.group or 0
        )
    numbers = page.id, page.site_id, found.group, found.confidence, found.distance
    logger.info("page %d of site %d: group %s, confidence %.2f, distance %.2f", *numbers)
    role = "outlier" if found.group is None else "member"
    return [
        NewMembership(page.id, found.group, role, template_page_id, found.confidence)
    ], found.work


def _promote_outliers(
    session: Session, state: ProcessState, site_id: int, generation: int
) -> tuple[set[int], int]:
    """Group similar outliers; return the pages that joined a group and the units of work used."""
    # A running clustering also regroups the outliers. If the site is quarantined, comparing the
    # outliers may be the very step that fails.
    lock = {"class": AdvisoryLock.GENERATION.value, "site_id": site_id}
    is_locked = session.scalar(groups.SQL.try_lock_clustering, lock)
    if not is_locked or session.execute(clusterings.SQL.quarantine, {"site_id": site_id}).first():
        return set(), 0
    params = {"site_id": site_id, "generation": generation, "limit": OUTLIERS_COMPARED}
    newest = (ComparablePage(*row) for row in session.execute(groups.NEWEST_OUTLIERS, params))
    outliers = sorted(newest, key=attrgetter("url"))
    if len(outliers) < MIN_NEW_GROUP_PAGES:
        return set(), 0
    distances, sizes, work = _distances(session, state, outliers)
    promoted: set[int] = set()
    if distances is None:
        # The next outlier, or a clustering, continues the comparisons.
        return promoted, work
    for group in agreeing_outliers(distances, sizes=sizes):
        number = (session.scalar(groups.SQL.last_group, {"site_id": site_id}) or 0) + 1
        members = [outliers[member] for member in group.members]
        new = new_group(number, members, [outliers[group.pivot].tree_id])
        # Placing the pages counts them.
        of_site = {"site_id": site_id, "number": generation, "sizes": [0]}
        session.execute(groups.SQL.save_groups, of_site | groups.group_params([new]))
        places = groups.membership_params(new.memberships())
        session.execute(groups.SQL.save_memberships, of_site | places)
        promoted |= set(new.members)
        logger.info("site %d: %d outliers form the new group %d", site_id, len(members), number)
    return promoted, work


def _distances(
    session: Session, state: ProcessState, outliers: Sequence[ComparablePage]
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
    shapes = trees.tree_shapes(session, ids=tree_ids)
    rows = np.searchsorted(tree_ids, [outlier.tree_id for outlier in outliers])
    sizes = np.array([shapes[outlier.tree_id].size for outlier in outliers], np.int64)
    return normalised_distance(raw[np.ix_(rows, rows)], sizes[:, None], sizes[None, :]), sizes, work
