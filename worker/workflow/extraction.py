"""Extraction of a page with the template of its group."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from detourage.addresses import refusal_of
from detourage.article import Article
from detourage.html import Page, PageError, parse_page, site_name
from detourage.html.encoding import decode
from detourage.outcomes import PageOutcome
from detourage.reader import NeedsRenderingError, NoArticleError
from detourage.reader.article_and_comments import own_vote, read_content
from detourage.reader.knowledge import knowledge_of
from worker import logs, tracing
from worker.error_reports import LostContentError
from worker.rendering import Browser, RenderingError
from worker.store import extraction_jobs
from worker.store.database import UnavailableError, is_transient_failure
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.store.groups import AssignedPage
from worker.workflow.comment_patterns import read_pattern
from worker.workflow.extraction_requests import request_each_alone
from worker.workflow.extraction_results import failure_to_store, save_extractions
from worker.workflow.process_state import ProcessState
from worker.workflow.retry_policy import EXTRACTION_ATTEMPTS
from worker.workflow.shared_lines import shared_lines_on
from worker.workflow.wall_rejection import ExtractedPage, NoArticle

logger = logging.getLogger(__name__)


Jobs: TypeAlias = Sequence[tuple[ExtractionJob, PageState]]


def extract_together(
    state: ProcessState,
    load: Callable[[Session], tuple[Jobs, Sequence[AssignedPage]]],
    *,
    is_alone: bool,
) -> set[int]:
    """Load and extract pages in one transaction; return those that changed in the meantime.

    The memberships that `load` returns are stored with the results.
    """
    extracted: list[ExtractedPage] = []
    assigned: list[AssignedPage] = []

    def extract(session: Session) -> set[int]:
        jobs, assigned[:] = load(session)
        read = [job for job, _ in jobs if job.content is not None]
        state.templates.load(session, filter(None, (job.template_page for job in read)), read)
        extracted[:] = [
            (job, page, extract_page(state, job, is_alone=is_alone)) for job, page in jobs
        ]
        state.templates.save(session)
        return save_extractions(session, state, extracted, assigned)

    try:
        return state.database.run(extract)
    except DBAPIError as error:
        if is_transient_failure(error) or not (is_alone and extracted):
            raise
        # The database would reject the same result again.
        failed = [(job, page, failure_to_store(error, job)) for job, page, _ in extracted]
        return state.database.run(save_extractions, state, failed, assigned)


def load_jobs(
    session: Session, generations: Mapping[int, int], *, is_counted: bool
) -> tuple[Jobs, Sequence[AssignedPage]]:
    """Lock and load the pages that await extraction, given with their generations.

    Pages attempted before are enqueued separately, unless this task has counted its attempts.
    """
    jobs = extraction_jobs.load(
        session,
        generations,
        max_attempts=None if is_counted else 0,
        readable_attempts=EXTRACTION_ATTEMPTS,
    )
    if not is_counted:
        loaded = {job.page_id for job, _ in jobs}
        if rest := {page: generations[page] for page in generations if page not in loaded}:
            request_each_alone(session, rest, has_begun=False)
    return jobs, ()


def extract_page(state: ProcessState, job: ExtractionJob, *, is_alone: bool) -> Article | NoArticle:
    """Extract the article of a page; the outcome is ``failed`` if the page triggers a bug.

    The time limit applies to all pages of a task together, so a page that exceeds the limit fails
    only if it ``is_alone``.
    """
    logs.bind(site=site_name(job.site_key), page=job.url)
    with tracing.span("extract page", job.trace):
        try:
            return _extract_job(state, job)
        except (SQLAlchemyError, UnavailableError):
            raise
        except Exception as error:
            if isinstance(error, SoftTimeLimitExceeded) and not is_alone:
                raise
            logger.exception("extraction failed on %s", job.url)
            return NoArticle(PageOutcome.FAILED, f"{type(error).__name__}: {error}")


def _extract_job(state: ProcessState, job: ExtractionJob) -> Article | NoArticle:
    """Return the article of a page, or the reason why it has none."""
    content = job.content
    if content is None:
        reason = f"extraction crashed the process or timed out {EXTRACTION_ATTEMPTS} times"
        logger.error("gave up extracting %s: %s", job.url, reason)
        return NoArticle(PageOutcome.FAILED, reason)
    template = state.templates.get(job.template_page) if job.template_page else None
    if job.template_page is not None:
        shared = shared_lines_on(job.url, job.shared_lines, job.lines)
        template = knowledge_of(template).with_shared(shared, job.learned.removable)
    refusal = refusal_of(job.url, job.response)
    if refusal is not None:
        return NoArticle(refusal.outcome, refusal.detail)
    if isinstance(content, LostContentError):
        logger.error("cannot extract %s: %s", job.url, content)
        return NoArticle(PageOutcome.FAILED, str(content))
    page = state.templates.parse(job, content)
    roles = state.settings.chosen_text_roles
    read = partial(read_content, template=template, text_roles=roles, fetched_at=job.fetched_at)
    try:
        try:
            return read(page, group_pattern=read_pattern(job.group_pattern))
        except NeedsRenderingError:
            if state.browser is None:
                raise
            article = read(_render(state.browser, job, content))
            return replace(article, method=f"rendered-{article.method}")
    except NoArticleError as error:
        return NoArticle(PageOutcome(error.outcome), str(error))
    finally:
        job.learned.vote = own_vote(page)
        state.templates.learn(job, page)
        # The cached values refer to the page. Once they are cleared, the page is freed immediately.
        page.flat.memo.clear()


def _render(browser: Browser, job: ExtractionJob, content: bytes | str) -> Page:
    """Return a page after its scripts have run, or raise NeedsRenderingError if they cannot."""
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        # Omit the source: byte offsets in the rendered HTML would not fit the stored HTML.
        return replace(parse_page(browser.render(html, job.url), job.url), source=None)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error
