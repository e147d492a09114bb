"""Extraction of pages: from a page and its template group to a stored and published article."""

import logging
from collections.abc import Sequence

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from detourage.text.plural import pluralise
from worker.messaging import task_names
from worker.store.database import AdvisoryLock, is_transient_failure
from worker.tasks.base import TASK_OPTIONS
from worker.workflow import extraction_requests as requests
from worker.workflow.attempts import PATIENCE_SECONDS
from worker.workflow.extraction import extract_page, load_jobs
from worker.workflow.extraction_results import save_or_fail
from worker.workflow.process_state import process_state

logger = logging.getLogger(__name__)


@shared_task(name=task_names.EXTRACT, **TASK_OPTIONS)
def extract(page_id: int, generation: int, others: Sequence[tuple[int, int]] = ()) -> None:
    """Extract pages with their groups in a generation, and publish articles that changed.

    `others` are further pages, each with its generation. A revision is published if a reader would
    notice a difference from the latest revision, or if reprocessing was requested. Pages whose
    generation has changed, that are finished, or that another process is extracting are skipped. A
    page whose extraction killed `EXTRACTION_ATTEMPTS` processes gets the outcome ``failed``.

    The pages of a task are stored together. If that fails, takes too long, or has killed a process
    before, each page is enqueued separately, so that none is affected by a bug that another page
    triggers.
    """
    generations = {page_id: generation, **dict(others)}
    state = process_state()
    with state.database.try_locks(AdvisoryLock.EXTRACTION, list(generations)) as locked:
        generations = {page: generations[page] for page in generations if page in locked}
        if not generations:
            return
        begun = state.database.run(requests.begin_extractions, generations, is_alone=not others)
        if not begun:
            return
        try:
            jobs = load_jobs(state, begun)
            extracted = [extract_page(state, job, is_alone=not others) for job in jobs]
            state.templates.save(state.database)
            overtaken = save_or_fail(state, extracted, is_alone=not others)
        except Exception as error:
            if is_transient_failure(error) or not others:
                raise
            # If time ran out, the traceback does not show the cause.
            is_useful = not isinstance(error, SoftTimeLimitExceeded)
            number = pluralise(len(begun), "page")
            logger.warning(
                "extraction of %s failed; each is enqueued separately", number, exc_info=is_useful
            )
            awaited = {page.page_id: page.generation for page in begun}
            state.database.run(requests.request_each_alone, awaited)
            return
    if overtaken:
        # Their new requests may have been delivered and skipped while this task held the pages.
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
        state.database.run(requests.suspect_late_extractions, PATIENCE_SECONDS)
        return
    number = state.database.run(
        requests.request_late_extractions, dict(suspects), patience_seconds=PATIENCE_SECONDS
    )
    if number:
        logger.warning("%s enqueued again", pluralise(number, "late extraction"))
