"""The extraction tasks."""

import logging
from collections.abc import Sequence

from celery import shared_task

from worker.messaging import task_names
from worker.store.locks import AdvisoryLock
from worker.tasks.base import TASK_OPTIONS
from worker.text.plural import counted
from worker.workflow.extraction import extract_alone, extract_together
from worker.workflow.extraction_requests import request_late_extractions, suspect_late_extractions
from worker.workflow.process import process_state

logger = logging.getLogger(__name__)


@shared_task(name=task_names.EXTRACT, **TASK_OPTIONS)
def extract(page_id: int, generation: int, others: Sequence[tuple[int, int]] = ()) -> None:
    """Extract pages, each with its group of a generation, and send the articles out.

    A revision goes out when a reader would notice a difference from the last one, or when a
    reprocessing asked for it. Does nothing for a page when the generation is no longer the
    page's, was done already, or is being done by another process. A page that took
    `EXTRACTION_ATTEMPTS` processes with it gets the outcome ``failed``.

    Pages of one task are stored together. If that fails, takes too long, or ended a process
    before, each page is enqueued alone, so that no page suffers from another's defect.

    Parameters
    ----------
    page_id, generation
        A page.
    others
        More pages, each with its generation.
    """
    wanted = {page_id: generation, **dict(others)}
    state = process_state()
    with state.database.exclusive_each(AdvisoryLock.EXTRACTION, list(wanted)) as ours:
        wanted = {page: wanted[page] for page in wanted if page in ours}
        if not wanted:
            return
        if not others:
            extract_alone(state, wanted)
        else:
            extract_together(state, wanted)


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late(suspects: Sequence[tuple[int, int]] | None = None) -> None:
    """Enqueue again the extractions whose messages must have been lost.

    A first run lists those that are late and already published, and goes with them to the end of
    the queue: what is still open when it reaches the head was lost.

    Parameters
    ----------
    suspects
        Pages of a first run, each with its generation.
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
