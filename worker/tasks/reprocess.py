"""Reprocess one or all sites from any stage of the pipeline."""

import logging
from datetime import timedelta
from typing import Any

from celery import shared_task
from sqlalchemy.orm import Session

from worker.messaging import task_names
from worker.store import outbox, pages, progress
from worker.store.reprocessings import SQL, cancel
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.parsing import parse_again
from worker.workflow.process_state import process_state
from worker.workflow.reprocessing import reprocess_site

logger = logging.getLogger(__name__)

SITES_PER_TASK = 200
"""Maximum number of sites per task, a few seconds of work; the next task continues."""

CATCH_UP = timedelta(minutes=2)
"""Maximum lag behind the requested rate that is caught up; more would cause a burst."""


class UnknownSiteError(LookupError):
    """No page of the requested site has ever been received."""


@shared_task(name=task_names.REPROCESS, bind=True, **TASK_OPTIONS)
def reprocess(self: Any, site: str, stage: task_names.ReprocessStage = "extract") -> None:
    """Process all pages of a site again from a given stage; each article gets a new revision.

    The stages are ``parse`` (from the stored HTML), ``compare``, ``cluster`` and ``extract``;
    `site` is the name that is given in article messages. A page whose HTML was removed keeps its
    latest article. If the task's message is redelivered, it has no further effect.
    """
    _check(stage)
    process_state().database.run(_reprocess, self.request.id, site, stage)


def _check(stage: str) -> None:
    stages = task_names.REPROCESS_STAGES
    if stage not in stages:
        raise ValueError(f"stage must be one of {', '.join(stages)}, not {stage!r}")


def _reprocess(session: Session, task_id: str | None, site: str, stage: str) -> None:
    site_ids = pages.sites_named(session, site)
    if not site_ids:
        raise UnknownSiteError(f"site {site!r} is unknown")
    if _is_new(session, task_id):
        for site_id in site_ids:
            reprocess_site(session, site_id, stage)


def _is_new(session: Session, task_id: str | None) -> bool:
    # A task called as a function has no ID.
    return task_id is None or bool(session.scalar(SQL.record_if_new, {"task_id": task_id}))


@shared_task(name=task_names.REPROCESS_ALL, bind=True, **TASK_OPTIONS)
def reprocess_all(
    self: Any, stage: task_names.ReprocessStage = "extract", pages_per_minute: float | None = None
) -> None:
    """Process all pages of all sites again from a given stage (see `reprocess`), site by site.

    If a reprocessing of all sites is already in progress, logs a warning and does nothing else.
    Since sites are processed as a whole, a maximum rate means that each site waits until the time
    allotted to the pages of the previous site is over.
    """
    _check(stage)
    if pages_per_minute is not None and not pages_per_minute > 0:
        raise ValueError(f"pages_per_minute must be above 0, not {pages_per_minute}")

    def begin(session: Session) -> None:
        if not _is_new(session, self.request.id):
            return
        if session.scalar(SQL.begin, {"stage": stage, "rate": pages_per_minute}):
            outbox.add_tasks(session, task_names.REPROCESS_DUE, [{}], site_id=None)
        else:
            logger.warning("ignored a request to reprocess all sites: already in progress")

    process_state().database.run(begin)


@shared_task(name=task_names.REPROCESS_DUE, **TASK_OPTIONS)
def reprocess_due() -> None:
    """Continue a reprocessing of all sites with the sites that are due.

    Progress is stored after each site, so that another process can resume after a crash.
    """
    state = process_state()
    for _ in range(SITES_PER_TASK):
        if not state.database.run(_reprocess_next, state.settings.pending_limit):
            return
    state.database.run(outbox.add_tasks, task_names.REPROCESS_DUE, [{}], site_id=None)


def _reprocess_next(session: Session, pending_limit: int) -> bool:
    """Reprocess the next site; return False if there is none or it is not yet due."""
    due = session.execute(SQL.lock_due).one_or_none()
    # The intake pauses when the limit is reached, so stop earlier to leave room for new pages.
    if due is None or progress.is_backlog_full(session, progress.nearly_full(pending_limit)):
        return False
    site_id = session.scalar(SQL.next_site, {"after": due.site_id, "last": due.last_site_id})
    if site_id is None:
        cancel(session)
        return False
    number = reprocess_site(session, site_id, due.stage)
    done = {"id": due.id, "site_id": site_id, "pages": number, "catch_up": CATCH_UP}
    session.execute(SQL.record_started_site, done)
    return True


@shared_task(name=task_names.PARSE, **TASK_OPTIONS)
def parse(page_id: int) -> None:
    """Parse a stored page again."""
    process_state().database.run(parse_again, page_id)
