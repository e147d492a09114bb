"""Extraction of pages: from a page and its template group to a stored and published article."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from detourage.text.plural import pluralise
from worker.messaging import task_names
from worker.store.database import UnavailableError, is_transient_failure
from worker.store.extraction_jobs import SQL
from worker.tasks.base import TASK_OPTIONS, is_redelivered
from worker.workflow import extraction_requests as requests
from worker.workflow.extraction import extract_together, load_jobs
from worker.workflow.process_state import process_state
from worker.workflow.retry_policy import LATE_AFTER_SECONDS

logger = logging.getLogger(__name__)


@shared_task(name=task_names.EXTRACT, bind=True, **TASK_OPTIONS)
def extract(
    self: Any, page_id: int, generation: int, others: Sequence[tuple[int, int]] | None = None
) -> None:
    """Extract pages with the templates of their groups, and publish articles that changed.

    `others` lists further pages, each as a pair of page ID and generation. A revision is published
    if a reader would notice a difference from the latest one, or if reprocessing was requested.
    Pages that have a new generation, are finished, or are being extracted by another process are
    skipped. A page whose extraction killed `EXTRACTION_ATTEMPTS` processes becomes ``failed``.

    The pages of a task are read and stored in one transaction. If that fails, takes too long, or
    has killed a process before, each page is enqueued separately (with empty `others`), so that a
    bug triggered by one page does not affect the others. In such a task, and in one that may have
    been delivered before, an attempt is counted before it begins.
    """
    state = process_state()
    generations: Mapping[int, int] = {page_id: generation, **dict(others or ())}
    is_alone = len(generations) == 1
    has_crashed = is_redelivered(self.request)
    is_counted = has_crashed is not False or (others is not None and not others)
    if is_counted:
        generations = state.database.run(
            requests.begin_extractions, generations, has_crashed=bool(has_crashed)
        )
        if not generations:
            return
    try:
        load = partial(load_jobs, generations=generations, is_counted=is_counted)
        overtaken = extract_together(state, load, is_alone=len(generations) == 1)
    except Exception as error:
        if isinstance(error, UnavailableError) and is_counted:
            # No page was read, as the object store was unavailable, so the attempt does not count.
            state.database.execute(SQL.return_attempts, ids=list(generations))
        if is_transient_failure(error) or is_alone:
            raise
        # If time ran out, the traceback does not show the cause.
        is_useful = not isinstance(error, SoftTimeLimitExceeded)
        number = pluralise(len(generations), "page")
        logger.warning(
            "extraction of %s failed; each is enqueued separately", number, exc_info=is_useful
        )
        state.database.run(requests.request_each_alone, generations)
        return
    if overtaken:
        # Their new requests may have been delivered and skipped while this task locked the pages.
        state.database.run(requests.request_overtaken, overtaken)


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late(suspects: Sequence[tuple[int, int]] | None = None) -> None:
    """Re-enqueue extractions whose messages must have been lost.

    The first run collects overdue extractions whose messages were published, and enqueues this task
    for them (`suspects`: pages with their generations) behind the backlog. If one of these
    extractions is still unfinished when the second run begins, its message was lost.
    """
    state = process_state()
    if suspects is None:
        state.database.run(requests.suspect_late_extractions, LATE_AFTER_SECONDS)
        return
    number = state.database.run(
        requests.request_late_extractions, dict(suspects), patience_seconds=LATE_AFTER_SECONDS
    )
    if number:
        logger.warning("%s enqueued again", pluralise(number, "late extraction"))
