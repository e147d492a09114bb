"""The task that assigns new pages to the existing groups of their site."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from celery import shared_task

from detourage.text.plural import pluralise
from worker.messaging import task_names
from worker.messaging.headers import DELIVERY_COUNT
from worker.store.database import is_transient_failure
from worker.tasks.base import TASK_OPTIONS, is_redelivered
from worker.workflow.assignment import (
    assign_and_extract,
    assign_pages,
    request_each_alone,
)
from worker.workflow.process_state import process_state
from worker.workflow.retry_policy import ASSIGNMENT_ATTEMPTS

logger = logging.getLogger(__name__)


@shared_task(name=task_names.ASSIGN, bind=True, **TASK_OPTIONS)
def assign(
    self: Any, page_id: int, site_version: int, others: Sequence[tuple[int, int]] | None = None
) -> None:
    """Assign each page to the nearest group of its site, if it is near enough, and extract it.

    `site_version` is the version of the site when the page arrived; `others` lists further pages,
    each as a pair of page ID and site version. Pages that a later clustering has included are
    skipped; the periodic clustering corrects wrong assignments. A page whose assignment crashed
    `ASSIGNMENT_ATTEMPTS` processes joins no group.

    All pages are assigned and extracted in one transaction. If this fails, or if the task may have
    crashed a process before, the pages are only assigned, and their extraction is enqueued. If
    assigning several pages fails, each is enqueued separately, so that a bug triggered by one page
    does not affect the others. The pages that remain when the comparisons exceed `TASK_WORK` are
    enqueued separately, too.
    """
    state = process_state()
    versions = {page_id: site_version, **dict(others or ())}
    is_retry = others is not None and not others
    if is_redelivered(self.request) is False and not is_retry:
        try:
            versions = assign_and_extract(state, versions)
        except Exception as error:
            if is_transient_failure(error):
                raise
            logger.warning("could not assign and extract pages; assigning only", exc_info=True)
        if not versions:
            return
    redeliveries = int(self.request.get(DELIVERY_COUNT) or 0)
    may_compare = redeliveries < ASSIGNMENT_ATTEMPTS
    if not may_compare and not others:
        logger.error(
            "page %d joins no group: %d attempts crashed the process", page_id, redeliveries
        )
    remaining: Mapping[int, int] = versions
    if not others or not redeliveries:
        try:
            remaining = state.database.run(assign_pages, state, versions, may_compare=may_compare)
        except Exception as error:
            if is_transient_failure(error) or not others:
                raise
            number = pluralise(len(versions), "page")
            logger.warning(
                "assignment of %s failed; each is enqueued separately", number, exc_info=True
            )
    if remaining:
        state.database.run(request_each_alone, remaining)
