"""Extraction of pages: from a page and its template group to a stored and published article."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from detourage.addresses import refusal_of
from detourage.article import Article
from detourage.html import Page, PageError, parse_page, site_name
from detourage.html.encoding import decode
from detourage.outcomes import PageOutcome
from detourage.reader import NeedsRenderingError, NoArticleError
from detourage.reader.content import read_content
from detourage.text.plural import counted
from worker import logs, tracing
from worker.errors import LostContentError, cause
from worker.messaging import task_names
from worker.rendering import Browser, RenderingError
from worker.store import extraction_jobs
from worker.store.database import AdvisoryLock, UnavailableError, is_connection_lost
from worker.store.extraction_jobs import BegunPage, ExtractionJob
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.attempts import EXTRACTION_ATTEMPTS, PATIENCE_SECONDS
from worker.workflow.comment_patterns import patterns_for_page
from worker.workflow.extraction_requests import (
    request_each_alone,
    request_late_extractions,
    request_overtaken,
    suspect_late_extractions,
)
from worker.workflow.extraction_results import save_extractions
from worker.workflow.process import ProcessState, process_state
from worker.workflow.walls import NoArticle

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
        run = _extract_together if others else _extract_alone
        overtaken = run(state, wanted)
    if overtaken:
        # Their new requests may have been delivered and skipped while this task held the pages.
        state.database.run(lambda session: request_overtaken(session, overtaken))


def _extract_alone(state: ProcessState, wanted: Mapping[int, int]) -> set[int]:
    """Extract each page in its own transaction, so that no page suffers from another's defect.

    Returns the IDs of the pages that changed during their extraction.
    """
    overtaken: set[int] = set()
    begun = state.database.run(lambda session: extraction_jobs.begin(session, wanted))
    for job in _load(state, begun):
        result = _extract(state, job)
        state.templates.save(state.database)
        overtaken |= _save_alone(state, *result)
    return overtaken


def _save_alone(
    state: ProcessState, job: ExtractionJob, extracted: Article | NoArticle
) -> set[int]:
    try:
        return _save(state, [(job, extracted)])
    except DBAPIError as error:
        if is_connection_lost(error):
            raise
        # The database would reject the same result again.
        logger.exception("cannot store the extraction of %s; its outcome is failed", job.url)
        failure = NoArticle(PageOutcome.FAILED, f"it cannot be stored: {cause(error)}")
        return _save(state, [(job, failure)])


def _save(
    state: ProcessState, results: Sequence[tuple[ExtractionJob, Article | NoArticle]]
) -> set[int]:
    return state.database.run(lambda session: save_extractions(session, state, results))


def _extract_together(state: ProcessState, wanted: Mapping[int, int]) -> set[int]:
    """Extract pages in one transaction; if that fails, enqueue each separately.

    Returns the IDs of the pages that changed during their extraction.
    """
    begun = state.database.run(lambda session: _begin_together(session, wanted))
    try:
        jobs = _load(state, begun)
        results = [_extract(state, job, is_alone=False) for job in jobs]
        state.templates.save(state.database)
        return _save(state, results)
    except Exception as error:
        if is_connection_lost(error):
            raise
        # The line at which time ran out is not the cause, so the traceback is useless.
        is_late = isinstance(error, SoftTimeLimitExceeded)
        number = counted(len(begun), "page")
        logger.warning(
            "extraction of %s failed; each is enqueued separately", number, exc_info=not is_late
        )
        again = {page.id: page.generation for page in begun}
        state.database.run(lambda session: request_each_alone(session, again))
        return set()


def _begin_together(session: Session, wanted: Mapping[int, int]) -> list[BegunPage]:
    begun = extraction_jobs.begin(session, wanted, earlier_attempts=0)
    begun_ids = {page.id for page in begun}
    rest = {page: generation for page, generation in wanted.items() if page not in begun_ids}
    if rest:
        request_each_alone(session, rest)
    return begun


def _load(state: ProcessState, begun: Sequence[BegunPage]) -> list[ExtractionJob]:
    """Read pages whose attempts have been counted, so that they count even if the process dies."""
    try:
        return state.database.run(lambda session: _load_jobs(session, state, begun))
    except UnavailableError:
        # The pages have not been tried: their object store was down all the time.
        page_ids = [page.id for page in begun]
        state.database.run(lambda session: extraction_jobs.return_attempts(session, page_ids))
        raise


def _load_jobs(
    session: Session, state: ProcessState, begun: Sequence[BegunPage]
) -> list[ExtractionJob]:
    jobs = extraction_jobs.load(session, begun, max_attempts=EXTRACTION_ATTEMPTS)
    pivots = [job.pivot for job in jobs if job.pivot is not None and job.content is not None]
    state.templates.load(session, pivots)
    return jobs


def _extract(
    state: ProcessState, job: ExtractionJob, *, is_alone: bool = True
) -> tuple[ExtractionJob, Article | NoArticle]:
    logs.bind(site=site_name(job.site_key), page=job.url)
    with tracing.span("extract page", job.trace):
        return job, _read_or_fail(state, job, is_alone=is_alone)


def _read_or_fail(
    state: ProcessState, job: ExtractionJob, *, is_alone: bool
) -> Article | NoArticle:
    try:
        return _read(state, job)
    except (SQLAlchemyError, UnavailableError):
        raise
    except Exception as error:
        if isinstance(error, SoftTimeLimitExceeded) and not is_alone:
            # The time limit applies to all the pages of the task together.
            raise
        # A bug triggered by a page must not leave the page without an outcome.
        logger.exception("extraction failed on %s", job.url)
        return NoArticle(PageOutcome.FAILED, f"{type(error).__name__}: {error}")


def _read(state: ProcessState, job: ExtractionJob) -> Article | NoArticle:
    content = job.content
    if content is None:
        return _abandoned(job)
    template = state.templates.of(job.pivot) if job.pivot else None
    refusal = refusal_of(job.url, job.answer)
    if refusal is not None:
        return NoArticle(refusal.outcome, refusal.detail)
    if isinstance(content, LostContentError):
        logger.error("cannot extract %s: %s", job.url, content)
        return NoArticle(PageOutcome.FAILED, str(content))
    page = parse_page(content, job.url, content_type=job.content_type, answer=job.answer)
    read = partial(
        read_content,
        other=template,
        text_roles=state.settings.chosen_text_roles,
        fetched_at=job.fetched_at,
    )
    try:
        try:
            patterns = patterns_for_page(job.comment_pattern, job.group_pattern)
            return read(page, patterns=patterns)
        except NeedsRenderingError:
            if state.browser is None:
                raise
            article = read(_rendered(state.browser, job, content))
            return replace(article, method=f"rendered-{article.method}")
    except NoArticleError as error:
        return NoArticle(PageOutcome(error.outcome), str(error))


def _abandoned(job: ExtractionJob) -> Article | NoArticle:
    logger.error(
        "extraction of %s abandoned after %d attempts; its outcome is failed",
        job.url,
        EXTRACTION_ATTEMPTS,
    )
    why = f"extraction crashed its process, or took too long, {EXTRACTION_ATTEMPTS} times"
    return NoArticle(PageOutcome.FAILED, why)


def _rendered(browser: Browser, job: ExtractionJob, content: bytes | str) -> Page:
    """Return a page as a reader would see it; raise NeedsRenderingError on failure."""
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        # Byte offsets into the rendered page mean nothing in the stored one.
        return replace(parse_page(browser.render(html, job.url), job.url), source=None)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late(suspects: Sequence[tuple[int, int]] | None = None) -> None:
    """Re-enqueue extractions whose messages must have been lost.

    The first run collects overdue extractions whose messages were published, and enqueues this task
    for them (`suspects`: pages with their generations) behind the backlog. If one of these
    extractions is still unfinished when the second run begins, its message was lost.
    """
    state = process_state()
    if suspects is None:
        state.database.run(lambda session: suspect_late_extractions(session, PATIENCE_SECONDS))
        return
    wanted = dict(suspects)
    number = state.database.run(
        lambda session: request_late_extractions(session, wanted, patience_seconds=PATIENCE_SECONDS)
    )
    if number:
        logger.warning("%s enqueued again", counted(number, "late extraction"))
