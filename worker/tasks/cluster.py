"""Periodic clustering of each site into template groups."""

from contextlib import suppress
from typing import Any

from celery import shared_task
from sqlalchemy.exc import DBAPIError

from worker.error_reports import cause
from worker.messaging import task_names
from worker.messaging.broker import count_messages
from worker.store.advisory_locks import AdvisoryLock
from worker.store.clusterings import SQL
from worker.tasks.base import TASK_OPTIONS, is_redelivered
from worker.workflow import clustering_requests as requests
from worker.workflow.clustering import quarantine_site, try_clustering
from worker.workflow.process_state import process_state
from worker.workflow.retry_policy import CLUSTERING_ATTEMPTS


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
        settle = requests.settle_times(settings, count_messages(settings, state.topology.pages))
    else:
        times = {"silence": settle_seconds, "first_silence": settle_seconds, "growth": 0.0}
        settle = requests.settle_times(settings, 0)._replace(**times)
    state.database.run(requests.request_settled_clusterings, settings, settle)


@shared_task(name=task_names.CLUSTER, bind=True, **TASK_OPTIONS)
def cluster(self: Any, site_id: int, *, afresh: bool = False) -> None:
    """Group the pages of a site, and request the extractions that the new groups affect.

    If distances are missing, blocks of comparisons are requested instead; the last block enqueues
    this task again. Does nothing while another process clusters the site, while blocks are being
    compared, or if no page has changed since the latest generation. An attempt is counted before it
    begins only if an earlier one failed, or if the message may have been delivered before.

    After `CLUSTERING_ATTEMPTS` failures, the site is put into quarantine: its pages are
    extracted with its current groups, if any. A task with `afresh`, which resets the number of
    attempts, is put into quarantine, from where an operator can requeue it.
    """
    state = process_state()
    database = state.database

    def attempt(*, is_counted: bool) -> bool:
        try:
            return database.run(try_clustering, state, site_id, is_counted=is_counted)
        except Exception as error:
            # Database failures also count, as the clustering may cause them. There are no retries.
            with suppress(DBAPIError), database.transaction() as session:
                session.execute(SQL.record_error, {"site_id": site_id, "error": cause(error)})
            raise

    has_crashed = is_redelivered(self.request)
    if has_crashed is False and not afresh and attempt(is_counted=False):
        return
    with database.try_lock(AdvisoryLock.CLUSTERING, site_id) as is_locked:
        if not is_locked:
            database.execute(SQL.delete_request, site_id=site_id)
            return
        if afresh:
            database.execute(SQL.delete_attempts, site_id=site_id)
        # Counted first, since a killed process reports nothing. No row means a pause is not over.
        values = {"site_id": site_id, "has_crashed": bool(has_crashed)}
        pauses = requests.pauses_seconds(state.settings)
        attempts = database.execute(SQL.begin, **values, pauses_seconds=pauses)
        if attempts and attempts[0].number > CLUSTERING_ATTEMPTS:
            database.run(quarantine_site, state, site_id)
        elif attempts:
            attempt(is_counted=True)
