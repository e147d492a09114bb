"""Extraction tasks."""

import logging
from collections.abc import Sequence

from celery import shared_task

from worker.messaging import task_names
from worker.store.locks import AdvisoryLock
from worker.tasks.base import TASK_OPTIONS
from worker.text.plural import counted
from worker.workflow.extraction import extract_alone, extract_together
from worker.workflow.extraction_requests import (
    request_late_extractions,
    request_overtaken,
    suspect_late_extractions,
)
from worker.workflow.process import process_state

logger = logging.getLogger(__name__)


@shared_task(name=task_names.EXTRACT, **TASK_OPTIONS)
def extract(page_id: int, generation: int, others: Sequence[tuple[int, int]] = ()) -> None:
    """Extract pages with their groups in a generation, and publish their articles.

    `others` are further pages, each with its generation. A revision is published if a reader would
    notice a difference from the latest revision, or if a reprocessing requested it. Pages whose
    generation has changed, that are finished, or that another process is extracting are skipped. A
    page whose extraction killed `EXTRACTION_ATTEMPTS` processes gets the outcome ``failed``.

    The pages of a task are stored together. If that fails, takes too long, or has killed a process
    before, each page is enqueued separately, so that no page suffers from another page's defect.
    """
    wanted = {page_id: generation, **dict(others)}
    state = process_state()
    with state.database.exclusive_each(AdvisoryLock.EXTRACTION, list(wanted)) as ours:
        wanted = {page: wanted[page] for page in wanted if page in ours}
        if not wanted:
            return
        run = extract_together if others else extract_alone
        overtaken = run(state, wanted)
    if overtaken:
        # Their new requests may have been delivered, and skipped, while this task held the pages.
        state.database.run(lambda session: request_overtaken(session, overtaken))


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late(suspects: Sequence[tuple[int, int]] | None = None) -> None:
    """Re-enqueue extractions whose messages must have been lost.

    The first run collects overdue extractions whose messages were published, and enqueues this task
    for them (`suspects`: pages with their generations) behind the backlog. If one of these
    extractions is still unfinished when the second run begins, its message was lost.
    """
    state = process_state()
    patience = state.settings.extraction_patience_seconds
    if suspects is None:
        state.database.run(lambda session: suspect_late_extractions(session, patience))
        return
    wanted = dict(suspects)
    number = state.database.run(
        lambda session: request_late_extractions(session, wanted, patience_seconds=patience)
    )
    if number:
        logger.warning("%s enqueued again", counted(number, "late extraction"))
