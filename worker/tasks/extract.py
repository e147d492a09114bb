"""The extraction task: from a page and its template group to an article."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from celery import shared_task
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from models.messages import ArticleMessage, Block, Comment, Embed, Image, Metadata, Template
from models.tables import Membership, StoredPage
from worker import logs
from worker.broker import messages_waiting, topology_of
from worker.comments import Comment as ReadComment
from worker.content import Content, read_content
from worker.extraction import Moment, NeedsRenderingError, NoArticleError
from worker.pages import parse_page, site_name
from worker.settings import load_settings
from worker.store import articles, extractions, outbox, pages
from worker.tasks import names, rendered
from worker.tasks.comment_patterns import patterns_for_page
from worker.tasks.context import TASK_OPTIONS, database
from worker.tasks.extractions import ask_for_late_extractions
from worker.tasks.known_templates import KnownTemplates

logger = logging.getLogger(__name__)

EXTRACTION_VERSION = "8"
"""Rises with every change of what extraction gives, so that unchanged pages are done again."""

MAX_ATTEMPTS = 3
"""Processes that a page may take down with it before its outcome is ``failed``: less than the
deliveries of a message (`worker.topology.DELIVERY_LIMIT`), so that the page is not in limbo."""

MAX_ROUTING_KEY_BYTES = 255
"""What AMQP 0-9-1 allows; a longer key would hold up the relay and everything behind it."""

_EXTRACTION_LOCK = 0x6475
"""Kind of the locks of pages that are being extracted; any number that nothing else uses."""

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
class Job:
    """All that the extraction of one page needs."""

    page: StoredPage
    site: str
    content: bytes | str
    membership: Membership
    group_size: int
    group_pattern: str | None
    pivot: StoredPage | None
    attempt: int

    @property
    def extraction_key(self) -> str:
        """Digest of what the result depends on."""
        pivot_digest = self.pivot.content_digest if self.pivot else None
        return extraction_key(self.page.content_digest, pivot_digest, self.group_pattern)


@dataclass(frozen=True)
class Failure:
    """A page without an article, and why."""

    outcome: str
    detail: str


def extraction_key(content_digest: str, pivot_digest: str | None, group_pattern: str | None) -> str:
    """Return the digest of all that an extraction depends on."""
    parts = f"{EXTRACTION_VERSION} {content_digest} {pivot_digest or '-'} {group_pattern or '-'}"
    return hashlib.sha256(parts.encode()).hexdigest()


_templates = KnownTemplates()


@shared_task(name=names.EXTRACT, **TASK_OPTIONS)
def extract(page_id: int, generation: int) -> None:
    """Extract a page with its group of a generation, and send the article out.

    A revision goes out when a reader would notice a difference to the last one,
    or when it was asked for by reprocessing. Does nothing when the generation is
    no longer the page's, was done already, or is being done by another process. A page
    that took `MAX_ATTEMPTS` processes with it has the outcome ``failed``.
    """
    with database().exclusive(_EXTRACTION_LOCK, page_id) as is_ours:
        if not is_ours:
            return
        job = database().run(lambda session: _load(session, page_id, generation))
        if job is None:
            return
        logs.bind(site=job.site, page=job.page.url)
        result = _extract(job) if job.attempt <= MAX_ATTEMPTS else _given_up(job)
        database().run(lambda session: _save(session, job, result))


@shared_task(name=names.EXTRACT_LATE, **TASK_OPTIONS)
def extract_late() -> None:
    """Ask again for extractions whose messages must have been lost.

    Does nothing while any wait for the relay or in the queue: what is late may be among them.
    """
    settings = load_settings()
    if messages_waiting(settings, topology_of(settings).task_queue("extract")):
        return
    patience = settings.extraction_patience_seconds
    number = database().run(
        lambda session: (
            0
            if outbox.is_waiting(session, names.EXTRACT)
            else ask_for_late_extractions(session, patience_seconds=patience)
        )
    )
    if number:
        logger.warning("%d extractions asked for again", number)


def _is_due(page: StoredPage, generation: int) -> bool:
    return page.generation == generation and (
        page.outcome is None or page.forced or page.extracted_generation < generation
    )


def _load(session: Session, page_id: int, generation: int) -> Job | None:
    # An attempt counts as soon as it begins, even if it ends with its process; what is lost
    # with the database's is made up for by one attempt more.
    session.execute(text("SET LOCAL synchronous_commit TO OFF"))
    begun = extractions.begin(session, page_id, generation)
    if begun is None:
        return None
    return Job(
        page=begun.page,
        site=site_name(begun.site_key),
        content=begun.content,
        membership=begun.membership,
        group_size=begun.group_size,
        group_pattern=begun.group_pattern,
        pivot=begun.pivot,
        attempt=begun.page.attempts,
    )


def _extract(job: Job) -> Content | Failure:
    try:
        template = _templates.of(database(), job.pivot) if job.pivot else None
        page = parse_page(job.content, job.page.url, content_type=job.page.content_type)
        try:
            patterns = patterns_for_page(job.page.comment_pattern, job.group_pattern)
            return read_content(page, template, patterns)
        except NeedsRenderingError:
            browser = rendered.browser_of(load_settings())
            if browser is None:
                raise
            return rendered.extract(browser, job.page, job.content, template)
    except NoArticleError as error:
        return Failure(error.outcome, str(error))
    except SQLAlchemyError:
        raise
    except Exception as error:
        # A defect that one page shows must not leave the page without an outcome.
        logger.exception("extraction failed on %s", job.page.url)
        return Failure("failed", f"{type(error).__name__}: {error}")


def _given_up(job: Job) -> Failure:
    logger.error("extraction of %s is given up", job.page.url)
    return Failure(
        "failed", f"extraction took its process with it, or too long, {MAX_ATTEMPTS} times"
    )


def _save(session: Session, job: Job, result: Content | Failure) -> None:
    page = pages.load_page(session, job.page.id, lock=True)
    generation = job.membership.generation
    place = extractions.standing(session, job.page.id, generation)
    if (
        page is None
        or page.content_digest != job.page.content_digest
        or not _is_due(page, generation)
        # It joined another group meanwhile, and its extraction with that is asked for.
        or place is None
        or place.pivot_id != job.membership.pivot_id
    ):
        return
    forced = page.forced
    page.extracted_generation = generation
    page.extraction_key = job.extraction_key
    page.forced = False
    if isinstance(result, Failure):
        page.outcome, page.outcome_detail = result.outcome, result.detail
        return
    page.outcome, page.outcome_detail = "article", None
    message = _message(page, job, result, page.revision + 1)
    digest = _reader_digest(message)
    if forced or digest != place.last_digest:
        page.revision += 1
        _send(session, page, message, result.comments, digest)


def _message(page: StoredPage, job: Job, content: Content, revision: int) -> ArticleMessage:
    result = content.article
    metadata = result.metadata
    return ArticleMessage(
        id=str(article_id(job.site, page.url, revision)),
        revision=revision,
        page_id=page.crawler_id,
        url=page.url,
        site=job.site,
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
                "group": job.membership.group_number,
                "generation": job.membership.generation,
                "size": job.group_size,
                "role": job.membership.role,
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


def _send(
    session: Session,
    page: StoredPage,
    message: ArticleMessage,
    comments: Sequence[ReadComment],
    digest: str,
) -> None:
    values: dict[str, Any] = message.to_json()
    articles.save_article(
        session,
        article_id=UUID(message.id),
        page_id=page.id,
        revision=message.revision,
        content_digest=digest,
        message=values,
        comments=comments,
    )
    topology = topology_of(load_settings())
    outbox.add_message(
        session,
        exchange=topology.articles_exchange.name,
        routing_key=routing_key(message.language, message.site),
        body=json.dumps(values, ensure_ascii=False).encode(),
        message_id=message.id,
    )
