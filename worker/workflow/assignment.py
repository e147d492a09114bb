"""Assignment of new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from detourage.template.assignment import NOT_COMPARED, assign_tree, worth_comparing
from detourage.template.distance.forest import TASK_WORK
from worker import logs, tracing
from worker.messaging import task_names
from worker.store import extraction_jobs, groups, outbox, pages, trees
from worker.store.groups import AssignedPage, NewMembership, Representative, distances_of
from worker.store.trees import Distances
from worker.workflow.clustering_requests import MIN_GROWTH
from worker.workflow.extraction import Jobs, extract_together
from worker.workflow.extraction_requests import request_extractions, request_overtaken
from worker.workflow.process_state import ProcessState

logger = logging.getLogger(__name__)

_BY_SITE = itemgetter(0, 1)


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

    These are template pages of groups, pages that have changed in the meantime, and the pages that
    remain when `TASK_WORK` is used up. New outliers of a site with few pages are left to its next
    clustering, which each of them makes due.
    """
    rest: dict[int, int] = {}
    is_repeated = False

    def load(session: Session) -> tuple[Jobs, Sequence[AssignedPage]]:
        nonlocal is_repeated
        compared, left = _compare_pages(session, state, site_versions, may_wait=True)
        assigned = [each for each in compared if not each.is_template]
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
    assigned, remaining = _compare_pages(session, state, site_versions, may_compare)
    # A changed template page stays in its group, so its membership is not stored again.
    if moved := [each for each in assigned if not each.is_template]:
        groups.save_memberships(session, moved)
    for (_, generation), of_site in groupby(sorted(assigned, key=_BY_SITE), _BY_SITE):
        request_extractions(session, {each.membership.page_id for each in of_site}, generation)
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
) -> tuple[list[AssignedPage], dict[int, int]]:
    """Compare pages with their site's groups; return memberships, and the remaining pages."""
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
        if may_wait and page.may_wait and all(not each.membership.group_number for each in found):
            waiting |= distances_of(found)
        else:
            assigned += found
    trees.save_distances(session, waiting)
    return assigned, remaining


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
