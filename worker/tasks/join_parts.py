"""Join the parts of articles in a separate task, so that their order of arrival does not matter."""

import logging
import time

from celery import shared_task

from detourage.text.plural import pluralise
from worker.messaging import task_names
from worker.store import outbox
from worker.store.advisory_locks import AdvisoryLock
from worker.store.database import is_transient_failure
from worker.store.parts import SQL
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.part_joining import process_part
from worker.workflow.process_state import ProcessState, process_state
from worker.workflow.retry_policy import JOINING_ATTEMPTS

logger = logging.getLogger(__name__)

SETTLE_SECONDS = 20.0
"""Minimum time without changes before a part is processed, since parts are usually fetched together
and each late part causes another revision."""

PARTS_PER_TASK = 500  # maximum number of parts that a task processes

WORK_SECONDS = 1.0
"""Time after which a task leaves the remaining parts to another task, so as not to delay pages."""


@shared_task(name=task_names.JOIN_PARTS, **TASK_OPTIONS)
def join_parts(settle_seconds: float = SETTLE_SECONDS) -> None:
    """Join the parts of changed articles, and publish the joined articles.

    Does nothing while another process is joining. Parts that changed within the last
    `settle_seconds` wait.
    """
    state = process_state()
    due = state.database.execute(SQL.due, settle=settle_seconds, limit=PARTS_PER_TASK)
    if not due:
        return
    with state.database.try_lock(AdvisoryLock.PARTS, 0) as is_locked:
        if not is_locked:
            return
        began, articles_joined, processed = time.monotonic(), 0, 0
        for (page_id,) in due:
            articles_joined += _try_part(state, page_id)
            processed += 1
            if time.monotonic() - began > WORK_SECONDS:
                break
        if articles_joined:
            logger.info("joined the parts of %s", pluralise(articles_joined, "article"))
        if processed < len(due) or processed == PARTS_PER_TASK:
            arguments = {"settle_seconds": settle_seconds}
            state.database.run(outbox.add_tasks, task_names.JOIN_PARTS, [arguments], site_id=None)


def _try_part(state: ProcessState, page_id: int) -> int:
    """Join the articles to which a part belongs; return how many were published (0 on failure)."""
    begun = state.database.execute(SQL.begin, page_id=page_id)
    if not begun:
        return 0
    attempt, version = begun[0].attempts, begun[0].version
    if attempt > JOINING_ATTEMPTS:
        problem = "gave up joining the parts of page %d: %d attempts crashed the process"
        logger.error(problem, page_id, JOINING_ATTEMPTS)
        state.database.execute(SQL.record_processed, pages=[page_id], versions=[version])
        return 0
    try:
        return state.database.run(process_part, state, page_id, version)
    except Exception as error:
        if is_transient_failure(error):
            raise
        # A bug triggered by one article must not prevent the joining of other articles.
        logger.exception("could not join the parts of page %d", page_id)
        state.database.execute(SQL.record_processed, pages=[page_id], versions=[version])
        return 0
