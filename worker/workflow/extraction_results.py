"""Store extraction results: outcomes, revisions, parts, withdrawals and outgoing messages."""

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from detourage.article import Article
from detourage.html import site_name
from detourage.limits import MAX_MESSAGE_BYTES
from detourage.messages import ArticleMessage
from detourage.outcomes import PageOutcome
from detourage.roles import LineRole
from detourage.versions import EXTRACTION_VERSION
from worker import logs, tracing
from worker.error_reports import cause
from worker.store import addresses, articles, extraction_jobs, parts
from worker.store.articles import NewRevision
from worker.store.extraction_jobs import ExtractionJob, ExtractionResult, PageState
from worker.store.groups import AssignedPage
from worker.store.parts import NewParts
from worker.workflow import wall_rejection
from worker.workflow.article_message import (
    message_as_revision,
    new_revision,
    next_message,
    next_revision_number,
    without_locations,
)
from worker.workflow.article_parts import find_parts, is_part, to_json
from worker.workflow.comment_patterns import count_votes, needed_pattern
from worker.workflow.process_state import ProcessState
from worker.workflow.shared_lines import pack_removable, shared_lines_on
from worker.workflow.wall_rejection import ExtractedPage, NoArticle

logger = logging.getLogger(__name__)


class _RevisedPage(NamedTuple):
    """An extracted page, with the result and the revision (if any) to be stored."""

    job: ExtractionJob
    page: PageState
    article: Article | None
    result: ExtractionResult
    revision: NewRevision | None


def extraction_key(
    content_digest: str,
    template_page_digest: str | None,
    pattern: str | None,
    text_roles: Sequence[LineRole],
    shared: Collection[int] = (),
) -> str:
    """Return the digest of what may change between extractions of the same fetch.

    `pattern` is the comment pattern of the page's group, if the page needs it.
    """
    roles = ",".join(text_roles)
    lines = ",".join(map(str, sorted(shared)))
    inputs = f"{content_digest} {template_page_digest or '-'} {pattern or '-'} {lines}"
    return hashlib.sha256(f"{EXTRACTION_VERSION} {roles} {inputs}".encode()).hexdigest()


def save_extractions(
    session: Session,
    state: ProcessState,
    extracted: Sequence[ExtractedPage],
    assigned: Sequence[AssignedPage] = (),
) -> set[int]:
    """Store extracted pages, and return the IDs of those that changed in the meantime.

    The memberships of `assigned` pages are stored, too.
    """
    if not extracted:
        return set()
    current = wall_rejection.reject_walls(session, extracted)
    text_keys = wall_rejection.short_text_keys(current)
    current = wall_rejection.reject_repeated_texts(session, current, text_keys)
    revised = _revise(session, state, current, text_keys, datetime.now(UTC))
    results = [each.result for each in revised]
    revisions = [each.revision for each in revised if each.revision is not None]
    new_parts, others = _parts_of(revised)
    saved = extraction_jobs.save_results(session, results, revisions, others, assigned)
    parts.record_parts(session, [each for each in new_parts if each.page_id in saved])
    count_votes(session, extracted, saved)
    revised = [each for each in revised if each.job.page_id in saved]
    _log_outcomes(revised)
    for each in revised:
        if each.result.revision and is_removed(each.page) and not is_withdrawn(each.page):
            withdraw(session, state, each.result.page_id, each.page)
    return {job.page_id for job, _, _ in extracted} - saved


def failure_to_store(error: DBAPIError, job: ExtractionJob) -> NoArticle:
    """Log why the database rejected a page's result; return the outcome to store instead."""
    logger.error("could not store the article of %s", job.url, exc_info=error)
    return NoArticle(PageOutcome.FAILED, f"it cannot be stored: {cause(error)}")


def _revise(
    session: Session,
    state: ProcessState,
    current: Sequence[ExtractedPage],
    text_keys: Mapping[int, bytes],
    now: datetime,
) -> list[_RevisedPage]:
    """Decide on the outcome of each page, and on the revision of its article to be published."""
    contents = {job.page_id: each for job, _, each in current if isinstance(each, Article)}
    found_parts = find_parts(session, contents)
    lowest = state.settings.revisions_from
    revised = []
    for job, page, result in current:
        new = revision = None
        if isinstance(result, Article) and not (page.refused and is_withdrawn(page)):
            urls = found_parts.get(job.page_id)
            new = next_message(page, job, result, now, urls, revisions_from=lowest)
        if new is not None:
            message, digest = new
            revision = new_revision(state, job.page_id, message, digest, trace=job.trace)
            if len(revision.body) > MAX_MESSAGE_BYTES:
                # The article is more important than its locations.
                message = without_locations(message)
                revision = new_revision(state, job.page_id, message, digest, trace=job.trace)
            size = len(revision.body)
            if size > MAX_MESSAGE_BYTES:
                # The broker would refuse the message, so it must not enter the outbox.
                result = NoArticle(PageOutcome.TOO_LARGE, f"the article message has {size} bytes")
                revision = None
        article = result if isinstance(result, Article) else None
        to_store = _result_to_store(job, page, result, revision, state, text_keys.get(job.page_id))
        revised.append(_RevisedPage(job, page, article, to_store, revision))
    return revised


def _log_outcomes(revised: Sequence[_RevisedPage]) -> None:
    for each in revised:
        job, site = each.job, site_name(each.job.site_key)
        logs.bind(site=site, page=job.url, page_id=job.page_id, **tracing.log_keys(job.trace))
        logger.info("page %d: %s", job.page_id, each.result.outcome)
    if len(revised) > 1:
        logs.unbind("site", "page", "page_id", "trace_id", "span_id")


def _parts_of(revised: Sequence[_RevisedPage]) -> tuple[list[NewParts], list[int]]:
    """Return the pages that are parts of an article, and the IDs of those that are not."""
    new_parts: list[NewParts] = []
    others: list[int] = []
    for each in revised:
        if each.article is not None and not is_removed(each.page) and is_part(each.article):
            links = each.article.pagination
            message = each.revision.message if each.revision is not None else None
            new_parts.append(NewParts(each.job.page_id, to_json(links), message, links.whole))
        # A page that was a part of an article remains a part while it shows a wall.
        elif each.article is not None or is_removed(each.page) or not each.result.has_article:
            others.append(each.job.page_id)
    return new_parts, sorted(others)


def _result_to_store(
    job: ExtractionJob,
    page: PageState,
    result: Article | NoArticle,
    revision: NewRevision | None,
    state: ProcessState,
    short_text: bytes | None,
) -> ExtractionResult:
    failure = result if isinstance(result, NoArticle) else None
    if page.refused is not None:
        failure = NoArticle(PageOutcome(page.refused["outcome"]), page.refused["detail"])
    template = job.template_page.content_digest if job.template_page else None
    roles = state.settings.chosen_text_roles
    removable = pack_removable(job.learned.removable)
    shared = shared_lines_on(job.url, job.shared_lines, job.lines, removable)
    pattern = needed_pattern(job.learned.vote, job.group_pattern)
    key = extraction_key(job.content_digest, template, pattern, roles, shared)
    return ExtractionResult(
        page_id=job.page_id,
        generation=job.generation,
        extraction_key=key,
        outcome=failure.outcome if failure else PageOutcome.ARTICLE,
        outcome_detail=failure.detail if failure else None,
        revision=revision.message["revision"] if revision is not None else page.revision,
        confidence=result.confidence if isinstance(result, Article) else None,
        short_text=short_text,
        removable_lines=removable,
        comment_vote=job.learned.vote,
        version=page.version,
    )


_WITHDRAWN: Final = "withdrawn "
"""Prefix of the digest of a withdrawn article, so that its text counts as new if it returns."""


def is_withdrawn(page: PageState) -> bool:
    """Return whether the latest revision of a page's article withdrew the article."""
    return page.last_digest is not None and page.last_digest.startswith(_WITHDRAWN)


def is_removed(page: PageState) -> bool:
    """Return whether at least two fetches, at different times, have found that a page is gone."""
    refused = page.refused or {}
    since = refused.get("gone_since")
    return since is not None and since != refused["fetched_at"]


def withdraw(session: Session, state: ProcessState, page_id: int, page: PageState) -> None:
    """Publish the revision that withdraws a page's article; the page must be locked."""
    assert page.refused is not None
    last, digest = session.execute(articles.LAST_ARTICLE, {"page_id": page_id}).one()
    message = message_as_revision(
        ArticleMessage.model_validate(last),
        next_revision_number(last["revision"], state.settings.revisions_from),
        datetime.now(UTC),
        addresses.addresses_by_page(session, [page_id])[page_id],
        withdrawn=datetime.fromisoformat(page.refused["fetched_at"]),
    ).to_json()
    revision = new_revision(state, page_id, message, f"{_WITHDRAWN}{digest}")
    session.execute(articles.SQL.save_revisions, articles.revision_params([revision]))
