"""The extraction task: from a page and its template group to an article."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from models.roles import LineRole
from worker import logs
from worker.addresses import refusal_of
from worker.article import NeedsRenderingError, NoArticleError
from worker.article.entry import compared
from worker.article.listed import MISSED_KINDS, ListedLinks, listed_links
from worker.article.reader import Content, read_content
from worker.duplicates.fingerprint import fingerprint_of
from worker.errors import cause
from worker.html import parse_page, site_name
from worker.messaging import task_names
from worker.outcomes import PageOutcome
from worker.store import articles, extraction_jobs
from worker.store.articles import NewArticle
from worker.store.database import do_not_wait_for_disk, is_connection_lost
from worker.store.extraction_jobs import ExtractionJob, ExtractionResult, PageState
from worker.store.locks import AdvisoryLock
from worker.store.outbox import NewMessage
from worker.tasks.article_message import new_revision
from worker.tasks.article_parts import find_parts, note_parts
from worker.tasks.attempts import EXTRACTION_ATTEMPTS
from worker.tasks.base import TASK_OPTIONS
from worker.tasks.comment_patterns import patterns_for_page
from worker.tasks.context import short_texts, without_repeats, without_walls
from worker.tasks.extraction_requests import (
    request_each_alone,
    request_late_extractions,
    suspect_late_extractions,
)
from worker.tasks.no_article import NoArticle
from worker.tasks.outgoing_articles import Outgoing, outgoing_of, send
from worker.tasks.page_links import send_links
from worker.tasks.process import ProcessState, process_state
from worker.tasks.rendered import read_rendered, render
from worker.tasks.story_index import Arrival, Said, forget_articles, say
from worker.tasks.withdrawal import is_removed, is_withdrawn, withdraw
from worker.text.plural import counted
from worker.versions import EXTRACTION_VERSION

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Extracted:
    """What was extracted of a page, and what it lists where that is asked for."""

    result: Content | NoArticle
    listed: ListedLinks | None = None


def extraction_key(
    content_digest: str,
    pivot_digest: str | None,
    group_pattern: str | None,
    text_roles: Sequence[LineRole],
) -> str:
    """Return the digest of all that an extraction depends on."""
    roles = ",".join(text_roles)
    known = f"{content_digest} {pivot_digest or '-'} {group_pattern or '-'}"
    return hashlib.sha256(f"{EXTRACTION_VERSION} {roles} {known}".encode()).hexdigest()


@shared_task(name=task_names.EXTRACT, **TASK_OPTIONS)
def extract(page_id: int, generation: int, others: Sequence[tuple[int, int]] = ()) -> None:
    """Extract pages, each with its group of a generation, and send the articles out.

    A revision goes out when a reader would notice a difference to the last one,
    or when it was asked for by reprocessing. Does nothing for a page when the generation is
    no longer the page's, was done already, or is being done by another process. A page
    that took `EXTRACTION_ATTEMPTS` processes with it has the outcome ``failed``.

    What is done together is stored together. Where that fails, or takes too long, or ended a
    process before, each page is asked for alone, so that none has to do with another's defect.

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
            _extract_alone(state, wanted)
        else:
            _extract_together(state, wanted)


def _extract_alone(state: ProcessState, wanted: Mapping[int, int]) -> None:
    for job in state.database.run(lambda session: _begin(session, wanted)):
        result = _extract(state, job) if job.attempt <= EXTRACTION_ATTEMPTS else _given_up(job)
        _save_alone(state, job, result)


def _save_alone(state: ProcessState, job: ExtractionJob, extracted: _Extracted) -> None:
    try:
        state.database.run(lambda session: _save(session, state, [(job, extracted)]))
    except DBAPIError as error:
        if is_connection_lost(error):
            raise
        # What the database refuses once it refuses again.
        logger.exception("what was extracted of %s cannot be stored", job.url)
        failure = _Extracted(NoArticle(PageOutcome.FAILED, f"it cannot be stored: {cause(error)}"))
        state.database.run(lambda session: _save(session, state, [(job, failure)]))


def _extract_together(state: ProcessState, wanted: Mapping[int, int]) -> None:
    jobs = state.database.run(lambda session: _begin_together(session, wanted))
    try:
        results = [(job, _extract(state, job, is_alone=False)) for job in jobs]
        state.database.run(lambda session: _save(session, state, results))
    except Exception as error:
        if isinstance(error, DBAPIError) and is_connection_lost(error):
            raise
        # Where the time was up says nothing of why.
        is_late = isinstance(error, SoftTimeLimitExceeded)
        told = counted(len(jobs), "page")
        logger.warning("extracted one by one: %s", told, exc_info=not is_late)
        again = {job.page_id: job.generation for job in jobs}
        state.database.run(lambda session: _request_each_alone(session, again))


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late(suspects: Sequence[tuple[int, int]] | None = None) -> None:
    """Ask again for extractions whose messages must have been lost.

    A look finds those that are late and that the relay has published, and goes with them to the
    end of the queue: what is not done when it comes to its beginning was in it no more.

    Parameters
    ----------
    suspects
        What a look found: pages, each with its generation.
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
        logger.warning("%s asked for again", counted(number, "extraction"))


def _begin(
    session: Session, wanted: Mapping[int, int], *, earlier_attempts: int | None = None
) -> list[ExtractionJob]:
    # An attempt counts as soon as it begins, even if it ends with its process; what is lost
    # with the database's is made up for by one attempt more.
    do_not_wait_for_disk(session)
    return extraction_jobs.begin(session, wanted, earlier_attempts=earlier_attempts)


def _begin_together(session: Session, wanted: Mapping[int, int]) -> list[ExtractionJob]:
    jobs = _begin(session, wanted, earlier_attempts=0)
    begun = {job.page_id for job in jobs}
    rest = {page: generation for page, generation in wanted.items() if page not in begun}
    if rest:
        _request_each_alone(session, rest)
    return jobs


def _request_each_alone(session: Session, wanted: Mapping[int, int]) -> None:
    for site_id, page_ids in extraction_jobs.begun_before(session, wanted).items():
        request_each_alone(session, site_id, page_ids, wanted)


def _extract(state: ProcessState, job: ExtractionJob, *, is_alone: bool = True) -> _Extracted:
    logs.bind(site=site_name(job.site_key), page=job.url)
    try:
        return _read(state, job)
    except SQLAlchemyError:
        raise
    except Exception as error:
        if isinstance(error, SoftTimeLimitExceeded) and not is_alone:
            # The time was that of all pages together.
            raise
        # A defect that one page shows must not leave the page without an outcome.
        logger.exception("extraction failed on %s", job.url)
        return _Extracted(NoArticle(PageOutcome.FAILED, f"{type(error).__name__}: {error}"))


def _read(state: ProcessState, job: ExtractionJob) -> _Extracted:
    roles = state.settings.chosen_text_roles
    template = state.templates.of(state.database, job.pivot) if job.pivot else None
    refusal = refusal_of(job.url, job.answer)
    if refusal is not None:
        return _Extracted(NoArticle(refusal.outcome, refusal.detail))
    page = parse_page(job.content, job.url, content_type=job.content_type, answer=job.answer)
    result: Content | NoArticle
    try:
        try:
            patterns = patterns_for_page(job.comment_pattern, job.group_pattern)
            result = read_content(page, template, patterns, roles, job.fetched_at)
        except NeedsRenderingError:
            if state.browser is None:
                raise
            page = render(state.browser, job)
            result = read_rendered(page, job, template, roles)
    except NoArticleError as error:
        result = NoArticle(PageOutcome(error.outcome), str(error))
    if not state.settings.send_links:
        return _Extracted(result)
    if isinstance(result, NoArticle):
        return _Extracted(result, listed_links(page, result.outcome))
    article = result.article
    return _Extracted(result, listed_links(page, article.metadata.kind, article))


def _given_up(job: ExtractionJob) -> _Extracted:
    logger.error("extraction of %s is given up", job.url)
    why = f"extraction took its process with it, or too long, {EXTRACTION_ATTEMPTS} times"
    return _Extracted(NoArticle(PageOutcome.FAILED, why))


def _save(
    session: Session,
    state: ProcessState,
    extracted_pages: Sequence[tuple[ExtractionJob, _Extracted]],
) -> None:
    now = datetime.now(UTC)
    results = [(job, extracted.result) for job, extracted in extracted_pages]
    current = without_walls(session, list(_not_overtaken(session, results)))
    texts = short_texts(current)
    current = without_repeats(session, current, texts)
    said = _say_stories(session, state, current, now)
    changes: list[ExtractionResult] = []
    revisions: list[NewArticle] = []
    outgoing: list[Outgoing] = []
    contents = {job.page_id: each for job, _, each in current if isinstance(each, Content)}
    found_parts = find_parts(session, contents)
    for job, page, extracted in current:
        result, article = _compared(session, job, extracted), None
        if isinstance(result, Content) and not (page.refused and is_withdrawn(page)):
            story, is_repeat, was_held_back = said[job.page_id]
            found = found_parts.get(job.page_id)
            article = new_revision(page, job, result, story, now, found)
            if article is not None:
                sent = outgoing_of(
                    job.page_id,
                    article.message,
                    repeats=state.settings.repeats,
                    topology=state.topology,
                    may_hold_back=is_repeat and (page.revision == 0 or was_held_back),
                )
                if len(sent.message.body) > state.settings.max_message_bytes:
                    result, article = _too_large(sent.message), None
                    del contents[job.page_id]
                else:
                    revisions.append(article)
                    outgoing.append(sent)
        roles, text = state.settings.chosen_text_roles, texts.get(job.page_id)
        changes.append(_result(job, page, result, article, roles, text))
        logs.bind(site=site_name(job.site_key), page=job.url, page_id=job.page_id)
        logger.info("page %d: %s", job.page_id, changes[-1].outcome)
    if len(results) > 1:
        logs.unbind("site", "page", "page_id")
    if changes:
        extraction_jobs.save_results(session, changes)
    without = [each.page_id for each in changes if not each.has_article]
    forget_articles(session, without)
    if revisions:
        articles.save_articles(session, revisions)
        send(session, outgoing)
    removed = {job.page_id: page for job, page, _ in current if is_removed(page)}
    parts = {page_id: each for page_id, each in contents.items() if page_id not in removed}
    # Of an article that a wall stands before, the part that it was stays.
    noted = [
        each
        for each in changes
        if each.page_id in contents or each.page_id in removed or not each.has_article
    ]
    if noted:
        note_parts(session, parts, noted, revisions)
    for each in changes:
        if (of := removed.get(each.page_id)) and each.revision and not is_withdrawn(of):
            withdraw(session, state, each.page_id, of)
    lists = {job.page_id: extracted.listed for job, extracted in extracted_pages}
    if state.settings.send_links:
        lists |= {
            each.page_id: ListedLinks(kind, (), None)
            for each in changes
            if (kind := MISSED_KINDS.get(each.outcome)) is not None
        }
    send_links(
        session,
        [(page, job, listed) for job, page, _ in current if (listed := lists[job.page_id])],
        state.topology,
        state.settings.max_message_bytes,
    )


def _say_stories(
    session: Session,
    state: ProcessState,
    results: Iterable[tuple[ExtractionJob, PageState, Content | NoArticle]],
    now: datetime,
) -> dict[int, Said]:
    arrivals = [
        Arrival(
            page_id=job.page_id,
            site_id=page.site_id,
            site=job.site_key,
            url=page.url,
            fingerprint=fingerprint_of(result.article.text),
            fetched_at=page.fetched_at,
            seen_at=page.fetched_at or now,
            wire=result.article.metadata.wire,
        )
        for job, page, result in results
        if isinstance(result, Content)
    ]
    return say(session, arrivals, state.story_window)


def _compared(
    session: Session, job: ExtractionJob, extracted: Content | NoArticle
) -> Content | NoArticle:
    """Say of the entries of a live report which are new since its last revision."""
    if isinstance(extracted, NoArticle) or not extracted.entries:
        return extracted
    before = articles.last_entries(session, job.page_id)
    return replace(extracted, entries=compared(extracted.entries, before))


def _too_large(message: NewMessage) -> NoArticle:
    # The broker would refuse it, whoever publishes it.
    return NoArticle(
        PageOutcome.TOO_LARGE, f"its article is a message of {len(message.body)} bytes"
    )


def _not_overtaken(
    session: Session, results: Sequence[tuple[ExtractionJob, Content | NoArticle]]
) -> Iterator[tuple[ExtractionJob, PageState, Content | NoArticle]]:
    """Yield what was extracted of pages that have not changed since, with their state, locked."""
    wanted = {job.page_id: job.generation for job, _ in results}
    states = extraction_jobs.lock_pages(session, wanted)
    for job, result in results:
        page = states.get(job.page_id)
        if (
            page is not None
            and page.content_digest == job.content_digest
            # Else it joined another group meanwhile, and its extraction with that was requested.
            and page.pivot_id == (job.pivot.id if job.pivot else None)
        ):
            yield job, page, result


def _result(
    job: ExtractionJob,
    page: PageState,
    result: Content | NoArticle,
    article: NewArticle | None,
    text_roles: Sequence[LineRole],
    short_text: bytes | None,
) -> ExtractionResult:
    pivot_digest = job.pivot.content_digest if job.pivot else None
    failure = result if isinstance(result, NoArticle) else None
    if page.refused is not None:
        failure = NoArticle(PageOutcome(page.refused["outcome"]), page.refused["detail"])
    return ExtractionResult(
        page_id=job.page_id,
        generation=job.generation,
        extraction_key=extraction_key(
            job.content_digest, pivot_digest, job.group_pattern, text_roles
        ),
        outcome=failure.outcome if failure else PageOutcome.ARTICLE,
        outcome_detail=failure.detail if failure else None,
        revision=article.revision if article is not None else page.revision,
        confidence=result.article.confidence if isinstance(result, Content) else None,
        short_text=short_text,
    )
