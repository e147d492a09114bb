"""Reprocess one or all sites from any stage of the pipeline."""

import logging
from typing import Any

from celery import shared_task
from sqlalchemy.orm import Session

from detourage.html import Answer
from detourage.outcomes import PageOutcome
from worker.errors import LostContentError
from worker.messaging import task_names
from worker.store import (
    clusterings,
    comparisons,
    groups,
    outbox,
    pages,
    progress,
    reprocessings,
    trees,
)
from worker.store.database import AdvisoryLock
from worker.store.pages import ReadPage
from worker.store.recording import save_reading
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.parsing import parse_or_reject
from worker.workflow.process import process_state

logger = logging.getLogger(__name__)

SITES_PER_TASK = 200
"""Maximum number of sites per task before it enqueues the next: seconds of work."""


class UnknownSiteError(LookupError):
    """No page of the site has ever been received."""


@shared_task(name=task_names.REPROCESS, bind=True, **TASK_OPTIONS)
def reprocess(self: Any, site: str, stage: task_names.ReprocessStage = "extract") -> None:
    """Process all pages of a site again from a given stage; each article gets a new revision.

    The stages are ``parse`` (from the stored HTML), ``compare``, ``cluster`` and ``extract``, and
    `site` is named as in its articles. A page whose HTML was removed keeps its latest article. If
    the task's message is redelivered, it has no further effect.
    """
    _check(stage)
    process_state().database.run(_reprocess, self.request.id, site, stage)


def _check(stage: str) -> None:
    stages = task_names.REPROCESS_STAGES
    if stage not in stages:
        raise ValueError(f"stage must be one of {', '.join(stages)}, not {stage!r}")


def _reprocess(session: Session, task_id: str | None, site: str, stage: str) -> None:
    site_ids = pages.sites_called(session, site)
    if not site_ids:
        raise UnknownSiteError(f"no page of site {site!r} is known")
    if _is_new(session, task_id):
        for site_id in site_ids:
            _reprocess_site(session, site_id, stage)


def _is_new(session: Session, task_id: str | None) -> bool:
    # A task called as a function has no ID.
    return task_id is None or reprocessings.is_new_request(session, task_id)


def _reprocess_site(session: Session, site_id: int, stage: str) -> int:
    """Process the pages of a site again from a given stage, and return their number."""
    pages.lock_site(session, pages.key_of_site(session, site_id))
    page_ids = pages.reprocessable_page_ids(session, site_id)
    pages.force_revisions(session, page_ids)
    if stage != "extract":
        clusterings.forget(session, site_id)
    if stage == "parse":
        wanted = [{"page_id": page_id} for page_id in page_ids]
        outbox.add_tasks(session, task_names.PARSE, wanted, site_id=site_id)
    elif stage == "extract":
        generation = groups.last_generation(session, site_id)
        extracted = groups.pages_of_generation(session, site_id, generation)
        request_extractions(session, {site_id: extracted}, generation)
    else:
        if stage == "compare":
            comparisons.end(session, site_id)
            comparisons.keep_sets(session, site_id, [])
            trees.forget_distances(session, trees.site_tree_ids(session, site_id))
        pages.touch_site(session, site_id)
    return len(page_ids)


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
        if reprocessings.begin(session, stage, pages_per_minute):
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
    limit = state.settings.pending_limit
    with state.database.exclusive(AdvisoryLock.REPROCESSING, 0) as is_ours:
        if not is_ours:
            return
        for _ in range(SITES_PER_TASK):
            if not state.database.run(_reprocess_next, limit):
                return
        state.database.run(outbox.add_tasks, task_names.REPROCESS_DUE, [{}], site_id=None)


def _reprocess_next(session: Session, pending_limit: int) -> bool:
    """Reprocess the next site; return False if there is none or it is not yet due."""
    # The intake pauses when the limit is reached, so stop earlier to leave room for new pages.
    if progress.is_backlog_nearly_full(session, pending_limit):
        return False
    reprocessing = reprocessings.lock_due(session)
    if reprocessing is None:
        return False
    site_id = reprocessings.next_site(session, reprocessing)
    if site_id is None:
        return False
    number = _reprocess_site(session, site_id, reprocessing.stage)
    reprocessings.note_site(session, reprocessing, site_id, number)
    return True


@shared_task(name=task_names.PARSE, **TASK_OPTIONS)
def parse(page_id: int) -> None:
    """Parse a stored page again."""
    process_state().database.run(_parse, page_id)


def _parse(session: Session, page_id: int) -> None:
    page = pages.load_page(session, page_id)
    if page is None:
        return
    pages.lock_site(session, pages.key_of_site(session, page.site_id))
    session.refresh(page, with_for_update=True)
    content: bytes | str | LostContentError | None
    try:
        content = pages.load_content(session, page_id)
    except LostContentError as error:
        logger.error("cannot parse %s: %s", page.url, error)  # noqa: TRY400 - the reason is enough
        content = error
    # Otherwise, a message redelivered after the extraction would repeat the work.
    if content is None or not (page.forced or page.tree_id is None):
        return
    if page.outcome == PageOutcome.JOINED:
        return
    if isinstance(content, LostContentError):
        read = ReadPage(outcome=PageOutcome.FAILED, outcome_detail=str(content))
    else:
        read = parse_or_reject(content, page.url, page.content_type, Answer.of(page.extra))
    save_reading(session, page, read)
    pages.touch_site(session, page.site_id)
