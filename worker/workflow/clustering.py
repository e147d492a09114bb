"""Group the pages of a site into its next generation, or request the missing comparisons."""

import logging

from sqlalchemy.orm import Session

from detourage.html import TreeShape
from detourage.text.plural import pluralise
from worker import logs
from worker.messaging import task_names
from worker.outcomes import AbandonedReason
from worker.store import clusterings, comparisons, first_extractions, groups, outbox, pages
from worker.store.advisory_locks import AdvisoryLock
from worker.store.groups import ComparablePage
from worker.workflow import comparison_plan
from worker.workflow.clustering_results import record_design_change, save_generation
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.process_state import ProcessState
from worker.workflow.quarantine_entries import quarantine_task

logger = logging.getLogger(__name__)


def try_clustering(
    session: Session, state: ProcessState, site_id: int, *, is_counted: bool
) -> bool:
    """Cluster a site unless another process does; return False if it must first be counted."""
    locks = {"clustering": AdvisoryLock.CLUSTERING, "generation": AdvisoryLock.GENERATION}
    params = {**locks, "site_id": site_id, "is_counted": is_counted}
    is_locked, has_failed = session.execute(groups.SQL.lock_clustering, params).one()
    if is_locked and has_failed and not is_counted:
        return False
    if not is_locked:
        session.execute(clusterings.SQL.delete_request, {"site_id": site_id})
    elif not cluster_site(session, state, site_id):
        session.execute(clusterings.SQL.finish, {"site_id": site_id})
    return True


def cluster_site(session: Session, state: ProcessState, site_id: int) -> bool:
    """Store a new generation of a site; return False if it is not needed or lacks comparisons."""
    # Read the version before the pages: a page that arrives in between is then included, and merely
    # makes the site due again. In the opposite order, it would be missed.
    current = groups.site_state(session, site_id, with_trees=True)
    if current.is_comparing:
        comparison_plan.enqueue_late_blocks(session, site_id)
    if current.trees is None:
        return False
    shapes = {tree_id: TreeShape(digest, size) for tree_id, digest, size in current.trees}
    version = current.compared_version or current.version
    site = comparison_plan.ComparedSite(site_id, current, version, shapes)
    stored = comparison_plan.StoredDistances(session, site_id)
    known = comparison_plan.known_site(session, state, site, stored)
    if known is None:
        return False
    params = {"site_id": site_id, "generation": current.generation}
    all_pages = [ComparablePage(*row) for row in session.execute(groups.COMPARABLE_PAGES, params)]
    site_pages = [page for page in all_pages if page.tree_id in site.trees]
    grouping = comparison_plan.known_grouping(session, site, stored, known, site_pages)
    if grouping is None:
        return False
    if current.is_new:
        # Pages stored after this lock are assigned on arrival; earlier pages must be found below.
        session.execute(comparisons.SQL.lock_site, {"id": site_id})
    former = [(page.id, page.former_group) for page in all_pages]
    roles = state.settings.chosen_text_roles
    group_of = save_generation(session, site, known, site_pages, grouping, former, stored, roles)
    generation = current.generation + 1
    if current.is_new:
        # Assign the pages that arrived during the site's first clustering.
        missed = session.execute(
            first_extractions.SQL.missed_pages, params | {"generation": generation}
        )
        arguments = [{"page_id": page_id, "site_version": version} for page_id, version in missed]
        outbox.add_tasks(session, task_names.ASSIGN, arguments, site_id=site_id)
    record_design_change(session, site_id, generation, site_pages, group_of)
    numbers = pluralise(len(site_pages), "page"), pluralise(len(grouping.groups), "group")
    outliers = pluralise(len(grouping.outliers), "outlier")
    logger.info("site %d: generation %d, %s, %s, %s", site_id, generation, *numbers, outliers)
    return True


def quarantine_site(session: Session, state: ProcessState, site_id: int) -> None:
    """Stop clustering a site, extract its waiting pages, and quarantine a task that clusters it."""
    # Pages stored after this lock are assigned on arrival; earlier pages must be found below.
    session.execute(comparisons.SQL.lock_site, {"id": site_id})
    site = pages.key_of_site(session, site_id)
    logs.bind(site=site)
    reason = clusterings.quarantine_site(session, site_id)
    waiting = session.scalars(pages.SQL.pending_with_tree, {"site_id": site_id}).all()
    current = groups.site_state(session, site_id)
    if current.is_new:
        first_extractions.add_pages(session, [site_id], waiting)
        # New pages will be assigned, and a later clustering will consider all of them.
        first_extractions.mark_clustered(session, site_id)
    generation = current.generation or first_extractions.NUMBER
    outliers = {"site_id": site_id, "generation": generation, "page_ids": waiting}
    session.execute(groups.SQL.add_outliers, outliers)
    request_extractions(session, waiting, generation)
    quarantine_task(
        session,
        task_names.CLUSTER,
        {"site_id": site_id, "afresh": True},
        queue=state.topology.quarantines["cluster"],
        reason=AbandonedReason.CLUSTERING_FAILED,
        detail=f"{site}: {reason}",
    )
    logger.error("site %d is in quarantine, and no longer clustered: %s", site_id, reason)
