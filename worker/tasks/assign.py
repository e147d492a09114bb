"""The task that assigns new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from celery import shared_task

from detourage.template.distance.forest import TASK_WORK
from detourage.text.plural import counted
from worker.messaging import task_names
from worker.messaging.headers import DELIVERY_COUNT
from worker.store.database import is_connection_lost
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.assignment import assign_page, request_each_alone
from worker.workflow.attempts import ASSIGNMENT_ATTEMPTS
from worker.workflow.process import ProcessState, process_state

logger = logging.getLogger(__name__)


@shared_task(name=task_names.ASSIGN, bind=True, **TASK_OPTIONS)
def assign(
    self: Any, page_id: int, site_version: int, others: Sequence[tuple[int, int]] = ()
) -> None:
    """Assign each page to its site's nearest group if that is near enough, and request extraction.

    `site_version` is the version of the site when the page arrived; `others` holds further pages,
    each with its site version. Pages seen by a later clustering are skipped. The periodic
    clustering corrects the assignments. A page that crashed `ASSIGNMENT_ATTEMPTS` processes joins
    no group.

    If one of several pages fails or crashes the process, or if together they exceed `TASK_WORK`,
    each remaining page is enqueued separately, so that none is affected by a bug that another page
    triggers, or by its size.
    """
    state = process_state()
    redeliveries = int(self.request.get(DELIVERY_COUNT) or 0)
    if others:
        _assign_together(state, {page_id: site_version, **dict(others)}, is_first=not redeliveries)
        return
    compares = redeliveries < ASSIGNMENT_ATTEMPTS
    if not compares:
        logger.error(
            "page %d joins no group: %d attempts crashed the process", page_id, redeliveries
        )
    state.database.run(assign_page, state, page_id, site_version, compares=compares)


def _assign_together(state: ProcessState, wanted: Mapping[int, int], *, is_first: bool) -> None:
    rest = dict(wanted)
    work = 0
    try:
        for page_id, site_version in wanted.items() if is_first else ():
            work += state.database.run(assign_page, state, page_id, site_version, compares=True)
            del rest[page_id]
            if work > TASK_WORK:
                break
    except Exception as error:
        if is_connection_lost(error):
            raise
        number = counted(len(rest), "page")
        logger.warning(
            "assignment of %s failed; each is enqueued separately", number, exc_info=True
        )
    if rest:
        state.database.run(request_each_alone, rest)
