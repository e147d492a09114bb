"""The extraction task: from a page and its template group to an article."""

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from models.messages import ArticleMessage, Block, Comment, Embed, Image, Metadata, Template
from worker import logs
from worker.content import Content, read_content
from worker.extraction import Moment, NeedsRenderingError, NoArticleError
from worker.messaging import task_names
from worker.messaging.broker import messages_waiting
from worker.outcomes import PageOutcome
from worker.pages import parse_page, site_name
from worker.store import articles, extractions, outbox
from worker.store.articles import NewArticle
from worker.store.database import is_connection_lost
from worker.store.extractions import Begun, Extracted, Standing
from worker.store.locks import AdvisoryLock
from worker.store.outbox import NewMessage
from worker.tasks import rendered
from worker.tasks.attempts import EXTRACTION_ATTEMPTS
from worker.tasks.base import TASK_OPTIONS
from worker.tasks.comment_patterns import patterns_for_page
from worker.tasks.extractions import ask_for_each_alone, ask_for_late_extractions
from worker.tasks.process import ProcessState, process_state

logger = logging.getLogger(__name__)

EXTRACTION_VERSION = "12"
"""Rises with every change of what extraction gives, so that unchanged pages are done again.

`tests.unit.extraction.recorded` holds what it gives of generated pages in this version.
"""

MAX_ROUTING_KEY_BYTES = 255
"""What AMQP 0-9-1 allows; a longer key would hold up the relay and everything behind it."""

_READER_FIELDS = (
    "language",
    "title",
    "lead",
    "authors",
    "published_at",
    "text",
    "blocks",
    "images",
    "embeds",
    "comments",
    "metadata",
)


@dataclass(frozen=True)
class Failure:
    """A page without an article, and why."""

    outcome: PageOutcome
    detail: str


def extraction_key(content_digest: str, pivot_digest: str | None, group_pattern: str | None) -> str:
    """Return the digest of all that an extraction depends on."""
    parts = f"{EXTRACTION_VERSION} {content_digest} {pivot_digest or '-'} {group_pattern or '-'}"
    return hashlib.sha256(parts.encode()).hexdigest()


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
        state.database.run(lambda session: _save(session, state, [(job, result)]))  # noqa: B023


def _extract_together(state: ProcessState, wanted: Mapping[int, int]) -> None:
    jobs = state.database.run(lambda session: _begin_together(session, wanted))
    try:
        results = [(job, _extract(state, job, is_alone=False)) for job in jobs]
        state.database.run(lambda session: _save(session, state, results))
    except Exception as error:
        if isinstance(error, DBAPIError) and is_connection_lost(error):
            raise
        logger.warning("%d pages are extracted one by one", len(jobs), exc_info=True)
        again = {job.page_id: job.generation for job in jobs}
        state.database.run(lambda session: _ask_for_each_alone(session, again))


@shared_task(name=task_names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late() -> None:
    """Ask again for extractions whose messages must have been lost.

    Does nothing while any wait for the relay or in the queue: what is late may be among them.
    """
    state = process_state()
    if messages_waiting(state.settings, state.topology.task_queue("extract")):
        return
    patience = state.settings.extraction_patience_seconds
    number = state.database.run(
        lambda session: (
            0
            if outbox.is_waiting(session, task_names.EXTRACT)
            else ask_for_late_extractions(session, patience_seconds=patience)
        )
    )
    if number:
        logger.warning("%d extractions asked for again", number)


def _begin(
    session: Session, wanted: Mapping[int, int], *, earlier_attempts: int | None = None
) -> list[Begun]:
    # An attempt counts as soon as it begins, even if it ends with its process; what is lost
    # with the database's is made up for by one attempt more.
    session.execute(text("SET LOCAL synchronous_commit TO OFF"))
    return extractions.begin(session, wanted, earlier_attempts=earlier_attempts)


def _begin_together(session: Session, wanted: Mapping[int, int]) -> list[Begun]:
    jobs = _begin(session, wanted, earlier_attempts=0)
    begun = {job.page_id for job in jobs}
    rest = {page: generation for page, generation in wanted.items() if page not in begun}
    if rest:
        _ask_for_each_alone(session, rest)
    return jobs


def _ask_for_each_alone(session: Session, wanted: Mapping[int, int]) -> None:
    for site_id, page_ids in extractions.begun_before(session, wanted).items():
        ask_for_each_alone(session, site_id, page_ids, wanted)


def _extract(state: ProcessState, job: Begun, *, is_alone: bool = True) -> Content | Failure:
    logs.bind(site=site_name(job.site_key), page=job.url)
    try:
        template = state.templates.of(state.database, job.pivot) if job.pivot else None
        page = parse_page(job.content, job.url, content_type=job.content_type)
        try:
            patterns = patterns_for_page(job.comment_pattern, job.group_pattern)
            return read_content(page, template, patterns)
        except NeedsRenderingError:
            if state.browser is None:
                raise
            return rendered.extract(state.browser, job, template)
    except NoArticleError as error:
        return Failure(PageOutcome(error.outcome), str(error))
    except SQLAlchemyError:
        raise
    except Exception as error:
        if isinstance(error, SoftTimeLimitExceeded) and not is_alone:
            # The time was that of all pages together.
            raise
        # A defect that one page shows must not leave the page without an outcome.
        logger.exception("extraction failed on %s", job.url)
        return Failure(PageOutcome.FAILED, f"{type(error).__name__}: {error}")


def _given_up(job: Begun) -> Failure:
    logger.error("extraction of %s is given up", job.url)
    return Failure(
        PageOutcome.FAILED,
        f"extraction took its process with it, or too long, {EXTRACTION_ATTEMPTS} times",
    )


def _save(
    session: Session, state: ProcessState, results: Sequence[tuple[Begun, Content | Failure]]
) -> None:
    wanted = {job.page_id: job.generation for job, _ in results}
    standing = extractions.lock_standing(session, wanted)
    extracted: list[Extracted] = []
    new: list[NewArticle] = []
    messages: list[NewMessage] = []
    for job, result in results:
        page = standing.get(job.page_id)
        if (
            page is None
            or page.content_digest != job.content_digest
            # It joined another group meanwhile, and its extraction with that is asked for.
            or page.pivot_id != (job.pivot.id if job.pivot else None)
        ):
            continue
        revision = page.revision
        if isinstance(result, Content):
            message = _message(page, job, result, page.revision + 1)
            digest = _reader_digest(message)
            if page.forced or digest != page.last_digest:
                revision += 1
                values = message.to_json()
                new.append(_article(job, message, values, digest, result))
                messages.append(_outgoing(message, values, state.topology.articles_exchange.name))
        failure = result if isinstance(result, Failure) else None
        extracted.append(
            Extracted(
                page_id=job.page_id,
                generation=job.generation,
                extraction_key=_key_of(job),
                outcome=failure.outcome if failure else PageOutcome.ARTICLE,
                outcome_detail=failure.detail if failure else None,
                revision=revision,
            )
        )
        logs.bind(site=site_name(job.site_key), page=job.url, page_id=job.page_id)
        logger.info("page %d: %s", job.page_id, extracted[-1].outcome)
    if len(results) > 1:
        logs.unbind("site", "page", "page_id")
    if extracted:
        extractions.note_extracted(session, extracted)
    if new:
        articles.save_articles(session, new)
        outbox.add_messages(session, messages)


def _key_of(job: Begun) -> str:
    pivot_digest = job.pivot.content_digest if job.pivot else None
    return extraction_key(job.content_digest, pivot_digest, job.group_pattern)


def _message(page: Standing, job: Begun, content: Content, revision: int) -> ArticleMessage:
    site = site_name(job.site_key)
    result = content.article
    metadata = result.metadata
    return ArticleMessage(
        id=str(article_id(site, page.url, revision)),
        revision=revision,
        page_id=page.crawler_id,
        url=page.url,
        site=site,
        fetched_at=page.fetched_at,
        language=result.language,
        title=result.title,
        lead=metadata.lead,
        authors=list(metadata.authors),
        published_at=metadata.published.instant if metadata.published else None,
        text=result.text,
        blocks=[
            Block(type=block.type, text=block.text, start=block.start, end=block.end)
            for block in result.blocks
        ],
        images=[Image(url=each.url, alt=each.alt, caption=each.caption) for each in result.images],
        embeds=[Embed(url=each.url, type=each.type) for each in result.embeds],
        comments=[
            Comment(
                author=each.author,
                date=each.written_date or _written(each.date),
                text=each.text,
                parent=each.parent,
                published=_written(each.date),
                permalink=each.permalink,
                votes=each.votes,
            )
            for each in content.comments
        ],
        template=Template.model_validate(
            {
                "group": job.group_number,
                "generation": job.generation,
                "size": job.group_size,
                "role": job.role,
            }
        ),
        method=result.method,
        xpath=result.xpath,
        confidence=result.confidence,
        extracted_at=datetime.now(UTC),
        metadata=Metadata(
            published=_written(metadata.published),
            modified=_written(metadata.modified),
            canonical_url=metadata.address,
            section=metadata.section,
            tags=list(metadata.tags),
            paywall=metadata.is_paid,
            kind=metadata.kind,
        ),
    )


def _written(moment: Moment | None) -> str | None:
    return str(moment) if moment is not None else None


def article_id(site: str, url: str, revision: int) -> UUID:
    """Return the id of a page's article in a revision, the same on every machine."""
    return uuid5(NAMESPACE_URL, f"{url}\n{site}\n{revision}")


def routing_key(language: str | None, site: str) -> str:
    """Return the key that consumers choose articles by, cut where AMQP allows no more."""
    key = f"{language or 'und'}.{site}"
    return key.encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")


def _reader_digest(message: ArticleMessage) -> str:
    fields = message.model_dump(mode="json", include=set(_READER_FIELDS))
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _article(
    job: Begun, message: ArticleMessage, values: dict[str, Any], digest: str, content: Content
) -> NewArticle:
    return NewArticle(
        id=UUID(message.id),
        page_id=job.page_id,
        revision=message.revision,
        content_digest=digest,
        message=values,
        comments=content.comments,
    )


def _outgoing(message: ArticleMessage, values: Mapping[str, Any], exchange: str) -> NewMessage:
    return NewMessage(
        exchange=exchange,
        routing_key=routing_key(message.language, message.site),
        body=json.dumps(values, ensure_ascii=False).encode(),
        message_id=message.id,
    )
