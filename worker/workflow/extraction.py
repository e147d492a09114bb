"""Extraction of a page with the template of its group."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from detourage.addresses import refusal_of
from detourage.article import Article
from detourage.html import Page, PageError, parse_page, site_name
from detourage.html.encoding import decode
from detourage.outcomes import PageOutcome
from detourage.reader import NeedsRenderingError, NoArticleError
from detourage.reader.content import read_content
from detourage.reader.knowledge import knowledge_of
from worker import logs, tracing
from worker.errors import LostContentError
from worker.rendering import Browser, RenderingError
from worker.store import extraction_jobs
from worker.store.database import UnavailableError
from worker.store.extraction_jobs import BegunPage, ExtractionJob
from worker.workflow.attempts import EXTRACTION_ATTEMPTS
from worker.workflow.comment_patterns import patterns_for_page
from worker.workflow.process_state import ProcessState
from worker.workflow.shared_lines import shared_lines_on
from worker.workflow.walls import NoArticle

logger = logging.getLogger(__name__)


def load_jobs(state: ProcessState, begun: Sequence[BegunPage]) -> list[ExtractionJob]:
    """Load pages whose attempts have been counted, so that they count even if the process dies."""

    def load(session: Session) -> list[ExtractionJob]:
        jobs = extraction_jobs.load(session, begun, max_attempts=EXTRACTION_ATTEMPTS)
        with_content = (job for job in jobs if job.content is not None)
        state.templates.load(session, filter(None, (job.template_page for job in with_content)))
        return jobs

    try:
        return state.database.run(load)
    except UnavailableError:
        # No page was read, as the object store was unavailable, so the attempts do not count.
        page_ids = [page.page_id for page in begun]
        state.database.execute(extraction_jobs.SQL.return_attempts, ids=page_ids)
        raise


def extract_page(
    state: ProcessState, job: ExtractionJob, *, is_alone: bool
) -> tuple[ExtractionJob, Article | NoArticle]:
    """Extract the article of a page; the outcome is ``failed`` if the page triggers a bug.

    The time limit applies to all the pages of a task together, so that exceeding it is the page's
    fault only if the page ``is_alone``.
    """
    logs.bind(site=site_name(job.site_key), page=job.url)
    with tracing.span("extract page", job.trace):
        try:
            return job, _extract_job(state, job)
        except (SQLAlchemyError, UnavailableError):
            raise
        except Exception as error:
            if isinstance(error, SoftTimeLimitExceeded) and not is_alone:
                raise
            logger.exception("extraction failed on %s", job.url)
            return job, NoArticle(PageOutcome.FAILED, f"{type(error).__name__}: {error}")


def _extract_job(state: ProcessState, job: ExtractionJob) -> Article | NoArticle:
    """Return the article of a page, or the reason why it has none."""
    content = job.content
    if content is None:
        reason = f"extraction crashed its process, or took too long, {EXTRACTION_ATTEMPTS} times"
        logger.error("gave up the extraction of %s: %s", job.url, reason)
        return NoArticle(PageOutcome.FAILED, reason)
    template = state.templates.get(job.template_page) if job.template_page else None
    if job.template_page is not None:
        shared = shared_lines_on(job.url, job.shared_lines, job.lines)
        template = knowledge_of(template).with_shared(shared, job.removable)
    refusal = refusal_of(job.url, job.response)
    if refusal is not None:
        return NoArticle(refusal.outcome, refusal.detail)
    if isinstance(content, LostContentError):
        logger.error("cannot extract %s: %s", job.url, content)
        return NoArticle(PageOutcome.FAILED, str(content))
    page = parse_page(content, job.url, content_type=job.content_type, response=job.response)
    roles = state.settings.chosen_text_roles
    read = partial(read_content, template=template, text_roles=roles, fetched_at=job.fetched_at)
    try:
        try:
            return read(page, patterns=patterns_for_page(job.comment_pattern, job.group_pattern))
        except NeedsRenderingError:
            if state.browser is None:
                raise
            article = read(_render(state.browser, job, content))
            return replace(article, method=f"rendered-{article.method}")
    except NoArticleError as error:
        return NoArticle(PageOutcome(error.outcome), str(error))
    finally:
        # The cached values refer to their page. Without them, the page is freed at once.
        page.flat.memo.clear()


def _render(browser: Browser, job: ExtractionJob, content: bytes | str) -> Page:
    """Return a page after its scripts have run in the browser; raise NeedsRenderingError."""
    html = decode(content, job.content_type).text if isinstance(content, bytes) else content
    try:
        # Without its source, the page has no byte offsets, which would not fit the stored HTML.
        return replace(parse_page(browser.render(html, job.url), job.url), source=None)
    except (RenderingError, PageError) as error:
        raise NeedsRenderingError(f"the page could not be rendered: {error}") from error
