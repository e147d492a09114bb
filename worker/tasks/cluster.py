"""Periodic clustering of each site into template groups."""

import logging
from dataclasses import replace

from celery import shared_task
from sqlalchemy.orm import Session

from detourage.text.plural import counted
from worker import logs
from worker.messaging import task_names
from worker.messaging.broker import messages_seen
from worker.outcomes import AbandonedReason
from worker.settings import Settings
from worker.store import clusterings, comparisons, groups, outbox, pages, progress, provisional
from worker.store.clusterings import SettleTimes, due_sites
from worker.store.database import AdvisoryLock, is_connection_lost
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.attempts import CLUSTERING_ATTEMPTS, PATIENCE_SECONDS
from worker.workflow.clustering_requests import request_due_clusterings
from worker.workflow.comparison_plan import (
    StoredDistances,
    enqueue_late_blocks,
    known_grouping,
    known_site,
    load_site,
)
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.first_extractions import settle_lone_sites
from worker.workflow.generation import (
    note_design_change,
    request_changed_extractions,
    save_generation,
)
from worker.workflow.process import ProcessState, process_state
from worker.workflow.quarantine import quarantine_task

logger = logging.getLogger(__name__)

PAUSES = (0, 1, 5)
"""Pauses after the first attempts, in clustering intervals. The second attempt is immediate, since
most crashes are unrelated to the site; later ones wait, since a memory shortage may last minutes.
"""


@shared_task(name=task_names.CLUSTER_DUE, **TASK_OPTIONS)
def cluster_due_sites(settle_seconds: float | None = None) -> None:
    """Start the clustering of all settled sites whose pages have changed.

    Messages waiting at the intake may contain further pages of any site. As long as any are
    waiting, a site that has groups settles only after `longest_settle_seconds`, since its new pages
    are assigned to these groups in the meantime. The same applies to every site if the queue length
    is unknown. `settle_seconds`, if given, overrides the setting, whether or not messages wait
    at the intake.
    """
    state = process_state()
    settings = state.settings
    if settle_seconds is None:
        settle = settle_times(settings, messages_seen(settings, state.topology.pages))
    else:
        times = {"silence": settle_seconds, "first_silence": settle_seconds}
        settle = replace(settle_times(settings, 0), **times)
    state.database.run(_enqueue_due_clusterings, settings, settle)


def settle_times(settings: Settings, waiting: int | None) -> SettleTimes:
    """Return how long sites wait; ``waiting`` is the intake's queue length, or None if unknown."""
    longest = settings.longest_settle_seconds
    half = settings.first_article_seconds / 2
    return SettleTimes(
        silence=settings.settle_seconds if waiting == 0 else longest,
        first_silence=settings.settle_seconds if waiting is not None else longest,
        longest=longest,
        first_longest=min(half, longest) if half else longest,
    )


def _enqueue_due_clusterings(session: Session, settings: Settings, settle: SettleTimes) -> None:
    due = due_sites(
        session,
        settle,
        patience_seconds=PATIENCE_SECONDS,
        pauses_seconds=_pauses(settings),
        # The intake may be blocked by pages waiting for their site's first clustering.
        first_at_once=progress.is_backlog_nearly_full(session, settings.pending_limit),
    )
    enqueued = outbox.sites_waiting(session, task_names.CLUSTER) if due else set()
    due = [site for site in due if site.id not in enqueued]
    new = [site.id for site in due if site.is_new]
    settled = settle_lone_sites(session, new) if new else ()
    request_due_clusterings(session, [site for site in due if site.id not in settled])


def _pauses(settings: Settings) -> list[float]:
    return [settings.looking_seconds * periods for periods in PAUSES]


@shared_task(name=task_names.CLUSTER, **TASK_OPTIONS)
def cluster(site_id: int, *, afresh: bool = False) -> None:
    """Group the pages of a site, and request the extractions that the new groups affect.

    If distances are missing, blocks of comparisons are requested instead; the last block enqueues
    this task again. Does nothing while another process clusters the site, while blocks are being
    compared, or if no page has changed since the latest generation.

    After `CLUSTERING_ATTEMPTS` failures, clustering is disabled for the site: its pages are
    extracted with its current groups, if any, and a task that clusters the site with a new count
    of attempts (`afresh`) is put into quarantine.
    """
    state = process_state()
    database = state.database

    def attempt_once(session: Session) -> None:
        _cluster(session, state, site_id)
        clusterings.forget(session, site_id)

    with database.exclusive(AdvisoryLock.CLUSTERING, site_id) as is_ours:
        if not is_ours:
            database.run(clusterings.note_taken, site_id)
            return
        if afresh:
            database.run(clusterings.forget, site_id)
        pauses = _pauses(state.settings)
        attempt = database.run(clusterings.begin, site_id, pauses)
        if attempt is None:
            return
        if attempt > CLUSTERING_ATTEMPTS:
            database.run(_give_up, state, site_id)
            return
        try:
            database.run(attempt_once)
        except Exception as error:
            if not is_connection_lost(error):
                failure = f"{type(error).__name__}: {error}"
                database.run(clusterings.note_error, site_id, failure)
            raise


def _give_up(session: Session, state: ProcessState, site_id: int) -> None:
    """Extract the waiting pages without a clustering, and quarantine a task that can retry it."""
    # Pages that the intake stores from now on will be assigned; this task sees earlier pages.
    comparisons.lock_for_result(session, site_id)
    site = pages.key_of_site(session, site_id)
    logs.bind(site=site)
    found = clusterings.give_up(session, site_id)
    waiting = pages.pending_with_tree(session, site_id)
    if groups.site_state(session, site_id).is_new:
        provisional.place(session, [site_id], waiting)
        # New pages will be assigned, and a later clustering will consider all of them.
        provisional.count_as_clustered(session, [site_id], has_seen_all=False)
    generation = groups.last_generation(session, site_id)
    groups.place_as_outliers(session, site_id, generation, waiting)
    request_extractions(session, {site_id: waiting}, generation)
    quarantine_task(
        session,
        task_names.CLUSTER,
        {"site_id": site_id, "afresh": True},
        queue=state.topology.quarantines["cluster"],
        reason=AbandonedReason.CLUSTERING_FAILED,
        detail=f"{site}: {found.reason}",
    )
    logger.error("clustering disabled for site %d: %s", site_id, found.reason)


def _cluster(session: Session, state: ProcessState, site_id: int) -> None:
    """Store a new generation of a site, or request the comparisons that it needs."""
    groups.lock_clustering(session, site_id)
    # Read the version before the pages: a page that arrives in between is then included, and merely
    # makes the site due again. In the opposite order, it would be missed.
    found = groups.site_state(session, site_id)
    if found.is_comparing:
        enqueue_late_blocks(session, site_id)
        return
    site = load_site(session, site_id, found)
    if site is None:
        return
    stored = StoredDistances(session, site_id)
    known = known_site(session, state, site, stored)
    if known is None:
        return
    site_pages = [
        page for page in groups.comparable_pages(session, site_id) if page.tree_id in site.trees
    ]
    grouping = known_grouping(session, site, stored, known, site_pages)
    if grouping is None:
        return
    if site.is_new:
        # Pages that the intake stores from now on will be assigned; this task sees earlier pages.
        comparisons.lock_for_result(session, site_id)
    generation = save_generation(session, site, known, site_pages, grouping)
    if site.has_begun:
        comparisons.end(session, site_id)
    if stored.reference_sets() or site.generation:
        comparisons.keep_sets(session, site_id, stored.reference_sets())
    request_changed_extractions(
        session, site_id, site_pages, generation, state.settings.chosen_text_roles
    )
    if site.is_new:
        # Pages that arrived during the site's first clustering are assigned.
        overlooked = provisional.overlooked(session, site_id, generation.number)
        wanted = [{"page_id": page_id, "site_version": version} for page_id, version in overlooked]
        outbox.add_tasks(session, task_names.ASSIGN, wanted, site_id=site_id)
    note_design_change(session, site_id, generation.number, pages=len(site_pages))
    logger.info(
        "site %d: generation %d, %s, %s, %s",
        site_id,
        generation.number,
        counted(len(site_pages), "page"),
        counted(len(grouping.groups), "group"),
        counted(len(grouping.outliers), "outlier"),
    )
