"""Extraction tasks."""

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
    """Extract pages with their groups of a generation and publish the articles.

    A revision is published if a reader would notice a difference from the last one, or if a
    reprocessing asked for it. Does nothing for a page whose generation has changed, that is done,
    or that another process is extracting. A page whose extraction killed `EXTRACTION_ATTEMPTS`
    processes gets the outcome ``failed``.

    Pages of one task are stored together. If that fails, takes too long or killed a process
    before, each page is enqueued alone, so that no page suffers from another's defect.

    Parameters
    ----------
    page_id, generation
        A page and its generation.
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
    """Enqueue extractions again whose messages must have been lost.

    The first run collects the late extractions that were published and enqueues itself with them
    behind the backlog: those that are still open when its message is consumed were lost.

    Parameters
    ----------
    suspects
        Pages from the first run, each with its generation.
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
