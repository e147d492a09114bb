"""Assignment of new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

import numpy as np
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
from worker.store import extraction_jobs, groups, outbox, pages, trees
from worker.store.database import AdvisoryLock
from worker.store.groups import (
    AssignedPage,
    ComparablePage,
    NewMembership,
    Representative,
    distances_of,
)
from worker.store.trees import Distances
from worker.workflow.clustering_requests import MIN_GROWTH
from worker.workflow.clustering_results import new_group
from worker.workflow.comparison import compare_at_once
from worker.workflow.extraction import Jobs, extract_together
from worker.workflow.extraction_requests import request_extractions, request_overtaken
from worker.workflow.process_state import ProcessState

_Similar: TypeAlias = tuple[list[ComparablePage], int]  # outliers, and the ID of their pivot's tree

logger = logging.getLogger(__name__)

_BY_SITE = itemgetter(0, 1)

OUTLIERS_COMPARED = 20
"""Number of a site's newest outliers that are compared with each other: 190 pairs."""


def request_each_alone(session: Session, site_versions: Mapping[int, int]) -> None:
    """Enqueue an assignment task for each page; `site_versions` is keyed by page ID."""
    rows = session.execute(pages.SQL.sites_of, {"ids": list(site_versions)})
    site_of: dict[int, int] = dict(rows.all())
    tasks = [
        (site_of[page_id], {"page_id": page_id, "site_version": version, task_names.OTHERS: []})
        for page_id, version in site_versions.items()
        if page_id in site_of
    ]
    outbox.add_tasks_of_sites(session, task_names.ASSIGN, tasks)


def assign_and_extract(state: ProcessState, site_versions: Mapping[int, int]) -> dict[int, int]:
    """Assign pages and extract them in one transaction; return the pages left unprocessed.

    These are outliers that may form a group, template pages of groups, pages that have changed in
    the meantime, and the pages that remain when `TASK_WORK` is used up. The outliers of a young
    site are left to its next clustering, which any new page makes due.
    """
    rest: dict[int, int] = {}
    is_repeated = False

    def load(session: Session) -> tuple[Jobs, Sequence[AssignedPage]]:
        nonlocal is_repeated
        compared, left, work = _compare_pages(session, state, site_versions, may_wait=True)
        grouping = _grouping_outliers(session, state, compared, work)
        assigned = [
            each
            for each in compared
            if not each.is_template and each.membership.page_id not in grouping
        ]
        jobs = extraction_jobs.load_assigned(session, assigned) if assigned else []
        done = {job.page_id for job, _ in jobs}
        others = {each.membership.page_id for each in compared} | left.keys()
        if is_repeated:
            others = set(site_versions)  # A clustering may have included some in the meantime.
        is_repeated = True
        rest.clear()
        rest.update((page_id, site_versions[page_id]) for page_id in others - done)
        return jobs, [each for each in assigned if each.membership.page_id in done]

    overtaken = extract_together(state, load, is_alone=len(site_versions) == 1)
    return rest | {page_id: site_versions[page_id] for page_id in overtaken}


def assign_pages(
    session: Session, state: ProcessState, site_versions: Mapping[int, int], *, may_compare: bool
) -> dict[int, int]:
    """Assign pages and enqueue their extraction; return those left when `TASK_WORK` is used up."""
    # Lock before reading: a clustering that held these locks may have stored a new generation.
    session.execute(groups.SQL.lock_pages, {"ids": list(site_versions)})
    assigned, remaining, work = _compare_pages(session, state, site_versions, may_compare)
    for (site_id, generation), of_site in groupby(sorted(assigned, key=_BY_SITE), _BY_SITE):
        may_group = may_compare and work <= TASK_WORK
        work += _save(session, state, site_id, generation, [*of_site], may_group)
    skipped = (
        site_versions.keys() - remaining.keys() - {each.membership.page_id for each in assigned}
    )
    if skipped:
        # The clustering that included these pages has requested their extraction, but the request
        # was skipped if it was delivered while an attempt to assign and extract them locked them.
        request_overtaken(session, skipped)
    return remaining


def _compare_pages(
    session: Session,
    state: ProcessState,
    site_versions: Mapping[int, int],
    may_compare: bool = True,
    may_wait: bool = False,
) -> tuple[list[AssignedPage], dict[int, int], int]:
    """Compare pages with their site's groups; return memberships, remaining pages, work used."""
    assigned: list[AssignedPage] = []
    remaining: dict[int, int] = {}
    waiting: Distances = {}
    work = 0
    params = {"ids": list(site_versions), "growth": MIN_GROWTH}
    rows = session.execute(groups.SQL.unassigned, params).all()
    if may_compare:
        packed = {page.tree_id: page.packed for page in rows}
        state.trees.load(session, list(packed), packed)
    for page in rows:
        if page.site_version >= site_versions[page.id]:
            continue
        if work > TASK_WORK:
            remaining[page.id] = site_versions[page.id]
            continue
        logs.bind(site_id=page.site_id, page=page.url)
        with tracing.span("assign page", page.trace):
            found, used = _assign_page(session, state, page, may_compare)
        work += used
        if may_wait and page.is_young and all(not each.membership.group_number for each in found):
            waiting |= distances_of(found)
        else:
            assigned += found
    trees.save_distances(session, waiting)
    return assigned, remaining, work


def _save(
    session: Session,
    state: ProcessState,
    site_id: int,
    generation: int,
    assigned: Sequence[AssignedPage],
    may_compare: bool,
) -> int:
    """Store memberships, group outliers if allowed, request extractions; return the work used."""
    # A changed template page stays in its group, so its membership is not stored again.
    if moved := [each for each in assigned if not each.is_template]:
        groups.save_memberships(session, moved)
    changed, work = {each.membership.page_id for each in assigned}, 0
    if may_compare and any(each.membership.group_number is None for each in assigned):
        promoted, work = _promote_outliers(session, state, site_id, generation)
        changed |= promoted
    request_extractions(session, changed, generation)
    return work


def _assign_page(
    session: Session, state: ProcessState, page: Row[Any], may_compare: bool
) -> tuple[list[AssignedPage], int]:
    """Return a page's membership (none if its tree is damaged), and the units of work used."""
    assignment, template_page_id = NOT_COMPARED, None
    distances: Distances = {}
    if may_compare:
        known = [Representative(*each) for each in page.representatives or ()]
        sizes = [each.tree_size for each in known]
        candidates = [known[i] for i in worth_comparing(page.size, sizes)]
        loaded = state.trees.load(session, [page.tree_id, *(each.tree_id for each in candidates)])
        if page.tree_id not in loaded:
            return [], 0
        candidates = [each for each in candidates if each.tree_id in loaded]
        candidate_trees = [loaded[each.tree_id] for each in candidates]
        group_numbers = [each.group_number for each in candidates]
        assignment = assign_tree(loaded[page.tree_id], candidate_trees, group_numbers)
        template_pages = {each.group_number: each.template_page_id for each in candidates}
        template_page_id = template_pages.get(assignment.group or 0)
        # The next clustering needs them, too.
        for i, edits in assignment.edits.items():
            lower, higher = sorted((page.tree_id, candidates[i].tree_id))
            if lower < higher:
                distances[lower, higher] = edits
    group, confidence = assignment.group, assignment.confidence
    numbers = page.id, page.site_id, group, confidence, assignment.distance
    logger.info("page %d of site %d: group %s, confidence %.2f, distance %.2f", *numbers)
    role = "outlier" if group is None else "member"
    membership = NewMembership(page.id, group, role, template_page_id, confidence)
    return [AssignedPage(page.site_id, page.generation, membership, distances)], assignment.work


def _promote_outliers(
    session: Session, state: ProcessState, site_id: int, generation: int
) -> tuple[set[int], int]:
    """Group similar outliers; return the pages that joined a group and the units of work used."""
    # While a clustering holds the lock, leave the outliers to it.
    lock = {"class": AdvisoryLock.GENERATION.value, "site_id": site_id}
    if not session.scalar(groups.SQL.try_lock_clustering, lock):
        return set(), 0
    promoted: set[int] = set()
    # If distances are missing, they are computed for the next new outlier or by a clustering.
    similar, work = _similar_outliers(session, state, site_id, generation)
    for own, pivot_tree in similar or ():
        number = (session.scalar(groups.SQL.last_group, {"site_id": site_id}) or 0) + 1
        new = new_group(number, own, [pivot_tree])
        # The size is 0, since saving the memberships increases it.
        key = {"site_id": site_id, "number": generation, "group_sizes": [0]}
        session.execute(groups.SQL.save_groups, key | groups.group_params([new]))
        members = [AssignedPage(site_id, generation, each) for each in new.memberships()]
        groups.save_memberships(session, members)
        promoted |= set(new.members)
        logger.info("site %d: %d outliers form the new group %d", site_id, len(own), number)
    return promoted, work


def _grouping_outliers(
    session: Session, state: ProcessState, compared: Sequence[AssignedPage], work: int
) -> set[int]:
    """Return the IDs of the compared pages that may form a group with other outliers."""
    grouping: set[int] = set()
    outliers = [each for each in compared if each.membership.group_number is None]
    for (site_id, generation), of_site in groupby(sorted(outliers, key=_BY_SITE), _BY_SITE):
        new = [each.membership.page_id for each in of_site]
        if work <= TASK_WORK:
            similar, used = _similar_outliers(session, state, site_id, generation, new)
            work += used
        if work > TASK_WORK or similar != []:
            grouping.update(new)
    return grouping


def _similar_outliers(
    session: Session, state: ProcessState, site_id: int, generation: int, new: Sequence[int] = ()
) -> tuple[list[_Similar] | None, int]:
    """Return groups of similar outliers (None if distances are missing), and the work used.

    The ``new`` outliers are not stored yet. A site in quarantine gets no groups, since comparing
    its outliers may be the step that fails.
    """
    params = {"site_id": site_id, "generation": generation, "limit": OUTLIERS_COMPARED}
    found = session.execute(groups.NEWEST_OUTLIERS, params | {"new": list(new)})
    rows = sorted(found, key=attrgetter("url"))
    if len(rows) < MIN_NEW_GROUP_PAGES:
        return [], 0
    work = 0
    outliers = [ComparablePage(*row[:-1]) for row in rows]
    tree_ids = sorted({outlier.tree_id for outlier in outliers})
    known = trees.distances_among(session, tree_ids)
    if missing := [pair for pair in combinations(tree_ids, 2) if pair not in known]:
        computed, work = compare_at_once(session, state, missing)
        trees.save_distances(session, computed)
        known |= computed
    raw, is_known = trees.matrix_of(tree_ids, known)
    if not is_known.all():
        return None, work
    places = np.searchsorted(tree_ids, [outlier.tree_id for outlier in outliers])
    sizes = np.array([row[-1] for row in rows], np.int64)
    distances = normalised_distance(raw[np.ix_(places, places)], sizes[:, None], sizes[None, :])
    return [
        ([outliers[member] for member in group.members], outliers[group.pivot].tree_id)
        for group in agreeing_outliers(distances, sizes=sizes)
    ], work
