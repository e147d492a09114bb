"""Enqueue clusterings; sites take turns, and half of the capacity is for first clusterings."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.settings import Settings
from worker.store import clusterings, outbox, progress
from worker.store.clusterings import DueSite, SettleTimes, due_sites
from worker.workflow.first_extractions import settle_lone_sites
from worker.workflow.retry_policy import CLUSTERING_PAUSES, LATE_AFTER_SECONDS

MIN_GROWTH = 1 / 8
"""New pages since a site's last clustering, as a share of its pages, at which it is clustered again
once it is settled; see `SettleTimes.growth`. A few pages rarely change the groups."""


def settle_times(settings: Settings, messages_waiting: int | None) -> SettleTimes:
    """Return how long sites wait, given the number of messages at the intake (None if unknown)."""
    longest = settings.longest_settle_seconds
    half_patience = settings.first_article_seconds / 2
    return SettleTimes(
        silence=settings.settle_seconds if messages_waiting == 0 else longest,
        first_silence=settings.settle_seconds if messages_waiting is not None else longest,
        longest=longest,
        first_longest=min(half_patience, longest) if half_patience else longest,
        growth=MIN_GROWTH,
    )


def request_settled_clusterings(session: Session, settings: Settings, settle: SettleTimes) -> None:
    """Enqueue the clusterings of settled sites; extract the only page of a new site directly."""
    due = due_sites(
        session,
        settle,
        patience_seconds=LATE_AFTER_SECONDS,
        pauses_seconds=pauses_seconds(settings),
        # The intake may be blocked by pages waiting for their site's first clustering.
        backlog_limit=progress.nearly_full(settings.pending_limit),
    )
    if not due:
        return
    enqueued = set(session.scalars(outbox.SQL.sites_waiting, {"task": task_names.CLUSTER}))
    due = [site for site in due if site.id not in enqueued]
    new = [site.id for site in due if site.is_new]
    settled = settle_lone_sites(session, new) if new else ()
    request_clusterings(session, [site for site in due if site.id not in settled])


def pauses_seconds(settings: Settings) -> list[float]:
    """Return the pauses after the first attempts to cluster a site, in seconds."""
    return [settings.search_interval_seconds * periods for periods in CLUSTERING_PAUSES]


def request_clusterings(session: Session, due: Sequence[DueSite]) -> None:
    """Enqueue the clusterings of due sites, smaller sites first."""
    if not due:
        return
    session.execute(clusterings.SQL.record_requests, {"site_ids": sorted(site.id for site in due)})
    by_size = sorted(due, key=attrgetter("is_new", "pages"))
    for is_new, sites in groupby(by_size, key=attrgetter("is_new")):
        tasks = [(site.id, {"site_id": site.id}) for site in sites]
        # The half of the lane for short queues is used for first clusterings.
        outbox.add_tasks_of_sites(session, task_names.CLUSTER, tasks, is_short=is_new)


def continue_clustering(session: Session, site_id: int) -> None:
    """Enqueue a clustering whose comparisons are finished, ahead of all other waiting sites."""
    session.execute(clusterings.SQL.record_requests, {"site_ids": [site_id]})
    tasks = [(site_id, {"site_id": site_id})]
    turn = outbox.FIRST_TURN
    outbox.add_tasks_of_sites(session, task_names.CLUSTER, tasks, is_short=True, turn=turn)


def request_stored_blocks(session: Session, site_id: int, block_ids: Sequence[int]) -> None:
    """Enqueue stored blocks: for their remaining pairs, or because their messages were lost."""
    wanted = [{"block_id": block_id} for block_id in block_ids]
    outbox.add_tasks(session, task_names.COMPARE, wanted, site_id=site_id)
