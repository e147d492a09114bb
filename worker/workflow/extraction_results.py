"""Store extraction results: outcomes, revisions, parts, withdrawals and outgoing messages."""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from models.messages import Event
from models.roles import LineRole
from worker import logs
from worker.article.entry import compared
from worker.article.listed import MISSED_KINDS, ListedLinks
from worker.article.reader import Content
from worker.duplicates.fingerprint import fingerprint_of
from worker.events.terms import primary_language, terms_of
from worker.html import site_name
from worker.outcomes import PageOutcome
from worker.store import articles, events, extraction_jobs
from worker.store.articles import NewArticle
from worker.store.extraction_jobs import ExtractionJob, ExtractionResult, PageState
from worker.store.outbox import NewMessage
from worker.store.story_arrivals import Arrival
from worker.versions import EXTRACTION_VERSION
from worker.workflow.article_changes import with_changes, without_changes
from worker.workflow.article_message import new_revision, without_locations
from worker.workflow.article_parts import find_parts, note_parts
from worker.workflow.context import short_texts, without_repeats, without_walls
from worker.workflow.events import provisional_events
from worker.workflow.no_article import NoArticle
from worker.workflow.outgoing_articles import Outgoing, outgoing_of, send
from worker.workflow.page_links import send_links
from worker.workflow.process import ProcessState
from worker.workflow.story_index import ProvisionalStory, forget_articles, provisional_stories
from worker.workflow.withdrawal import is_removed, is_withdrawn, withdraw

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extracted:
    """Content of a page, or the reason why it has none, and its links if they are to be sent."""

    result: Content | NoArticle
    listed: ListedLinks | None = None


@dataclass(frozen=True)
class _RevisedPage:
    """An extracted page, with a new revision if there is one to publish."""

    job: ExtractionJob
    page: PageState
    result: Content | NoArticle
    article: NewArticle | None = None
    outgoing: Outgoing | None = None


def extraction_key(
    content_digest: str,
    pivot_digest: str | None,
    group_pattern: str | None,
    text_roles: Sequence[LineRole],
) -> str:
    """Return the digest of everything on which an extraction depends."""
    roles = ",".join(text_roles)
    known = f"{content_digest} {pivot_digest or '-'} {group_pattern or '-'}"
    return hashlib.sha256(f"{EXTRACTION_VERSION} {roles} {known}".encode()).hexdigest()


def save_extractions(
    session: Session, state: ProcessState, extracted: Sequence[tuple[ExtractionJob, Extracted]]
) -> set[int]:
    """Store extracted pages, and write their messages to the outbox.

    Pages that changed during their extraction are skipped, and their IDs are returned.
    """
    now = datetime.now(UTC)
    current = list(_not_overtaken(session, extracted))
    overtaken = {job.page_id for job, _ in extracted} - {job.page_id for job, _, _ in current}
    current = without_walls(session, current)
    texts = short_texts(current)
    current = without_repeats(session, current, texts)
    revised = _revise(session, state, current, now)
    roles = state.settings.chosen_text_roles
    results = [_result(each, roles, texts.get(each.job.page_id)) for each in revised]
    _log_outcomes(revised, results)
    if results:
        extraction_jobs.save_results(session, results)
    without_article = [each.page_id for each in results if not each.has_article]
    forget_articles(session, without_article)
    events.forget(session, without_article)
    revisions = [each.article for each in revised if each.article is not None]
    if revisions:
        articles.save_articles(session, revisions)
        send(session, [each.outgoing for each in revised if each.outgoing is not None])
    _save_parts(session, revised, results, revisions)
    _withdraw_removed(session, state, revised, results)
    if state.settings.send_links:
        _send_links(session, state, extracted, revised, results)
    return overtaken


def _revise(
    session: Session,
    state: ProcessState,
    current: Sequence[tuple[ExtractionJob, PageState, Content | NoArticle]],
    now: datetime,
) -> list[_RevisedPage]:
    stories = _stories(session, state, current, now)
    reported = _events(session, state, current, stories, now) if state.settings.events else {}
    contents = {job.page_id: each for job, _, each in current if isinstance(each, Content)}
    parts = find_parts(session, contents)
    revised = []
    for job, page, extracted in current:
        result = _compared(session, job, extracted)
        if isinstance(result, NoArticle) or (page.refused and is_withdrawn(page)):
            revised.append(_RevisedPage(job, page, result))
            continue
        story, is_repeat, was_held_back = stories[job.page_id]
        article = new_revision(
            page,
            job,
            result,
            story,
            now,
            parts.get(job.page_id),
            event=reported.get(job.page_id),
            revisions_from=state.settings.revisions_from,
        )
        if article is None:
            revised.append(_RevisedPage(job, page, result))
            continue
        if page.revision > 0 and state.settings.send_changes != "no":
            article = with_changes(session, job, article)
        may_hold_back = is_repeat and (page.revision == 0 or was_held_back)
        outgoing = outgoing_of(state, job.page_id, article.message, may_hold_back=may_hold_back)
        if len(outgoing.message.body) > state.settings.max_message_bytes:
            # The article is worth more than its changes and its locations.
            article = without_locations(without_changes(article))
            outgoing = outgoing_of(state, job.page_id, article.message, may_hold_back=may_hold_back)
        if len(outgoing.message.body) > state.settings.max_message_bytes:
            revised.append(_RevisedPage(job, page, _too_large(outgoing.message)))
            continue
        # A revision requested by reprocessing is sent whole, as is an article held back before.
        if state.settings.send_changes == "only" and not (was_held_back or page.forced):
            outgoing = outgoing_of(
                state, job.page_id, article.message, may_hold_back=may_hold_back, as_changes=True
            )
        revised.append(_RevisedPage(job, page, result, article, outgoing))
    return revised


def _log_outcomes(revised: Sequence[_RevisedPage], results: Sequence[ExtractionResult]) -> None:
    for each, result in zip(revised, results, strict=True):
        job = each.job
        logs.bind(site=site_name(job.site_key), page=job.url, page_id=job.page_id)
        logger.info("page %d: %s", job.page_id, result.outcome)
    if len(revised) > 1:
        logs.unbind("site", "page", "page_id")


def _save_parts(
    session: Session,
    revised: Sequence[_RevisedPage],
    results: Sequence[ExtractionResult],
    revisions: Sequence[NewArticle],
) -> None:
    contents = {
        each.job.page_id: each.result for each in revised if isinstance(each.result, Content)
    }
    removed = {each.job.page_id for each in revised if is_removed(each.page)}
    # A page that was a part of an article remains one while it is behind a wall.
    changed = [
        each
        for each in results
        if each.page_id in contents or each.page_id in removed or not each.has_article
    ]
    if changed:
        present = {page: content for page, content in contents.items() if page not in removed}
        note_parts(session, present, changed, revisions)


def _withdraw_removed(
    session: Session,
    state: ProcessState,
    revised: Sequence[_RevisedPage],
    results: Sequence[ExtractionResult],
) -> None:
    for each, result in zip(revised, results, strict=True):
        page = each.page
        if result.revision and is_removed(page) and not is_withdrawn(page):
            withdraw(session, state, result.page_id, page)


def _send_links(
    session: Session,
    state: ProcessState,
    extracted: Sequence[tuple[ExtractionJob, Extracted]],
    revised: Sequence[_RevisedPage],
    results: Sequence[ExtractionResult],
) -> None:
    lists = {job.page_id: each.listed for job, each in extracted}
    for result in results:
        kind = MISSED_KINDS.get(result.outcome)
        if kind is not None:
            lists[result.page_id] = ListedLinks(kind, (), None)
    send_links(
        session,
        [(each.page, each.job, of) for each in revised if (of := lists[each.job.page_id])],
        state.topology,
        state.settings.max_message_bytes,
    )


def _stories(
    session: Session,
    state: ProcessState,
    results: Iterable[tuple[ExtractionJob, PageState, Content | NoArticle]],
    now: datetime,
) -> dict[int, ProvisionalStory]:
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
    return provisional_stories(session, arrivals, state.story_window)


def _events(
    session: Session,
    state: ProcessState,
    results: Iterable[tuple[ExtractionJob, PageState, Content | NoArticle]],
    stories: Mapping[int, ProvisionalStory],
    now: datetime,
) -> dict[int, Event]:
    arrivals = [
        events.Arrival(
            page_id=job.page_id,
            site_id=page.site_id,
            site=job.site_key,
            url=page.url,
            language=primary_language(result.article.language),
            key=fingerprint_of(result.article.text).key,
            terms=terms_of(result.article.title, result.article.metadata.lead, result.article.text),
            fetched_at=page.fetched_at,
            seen_at=page.fetched_at or now,
        )
        for job, page, result in results
        if isinstance(result, Content)
    ]
    said = {page_id: each.story.id for page_id, each in stories.items()}
    return provisional_events(session, arrivals, said, state.event_window)


def _compared(
    session: Session, job: ExtractionJob, extracted: Content | NoArticle
) -> Content | NoArticle:
    """Mark the entries of a live report that are new since its latest revision."""
    if isinstance(extracted, NoArticle) or not extracted.entries:
        return extracted
    before = articles.last_entries(session, job.page_id)
    return replace(extracted, entries=compared(extracted.entries, before))


def _too_large(message: NewMessage) -> NoArticle:
    # The broker would refuse the message, so it must not enter the outbox.
    return NoArticle(PageOutcome.TOO_LARGE, f"the article message has {len(message.body)} bytes")


def _not_overtaken(
    session: Session, extracted: Sequence[tuple[ExtractionJob, Extracted]]
) -> Iterator[tuple[ExtractionJob, PageState, Content | NoArticle]]:
    """Lock the pages, and yield those that have not changed since their extraction began."""
    wanted = {job.page_id: job.generation for job, _ in extracted}
    states = extraction_jobs.lock_pages(session, wanted)
    for job, each in extracted:
        page = states.get(job.page_id)
        if (
            page is not None
            and page.content_digest == job.content_digest
            # Otherwise, the page has since joined another group, which requested another
            # extraction.
            and page.pivot_id == (job.pivot.id if job.pivot else None)
        ):
            yield job, page, each.result


def _result(
    revised: _RevisedPage, text_roles: Sequence[LineRole], short_text: bytes | None
) -> ExtractionResult:
    job, page, result, article = revised.job, revised.page, revised.result, revised.article
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
