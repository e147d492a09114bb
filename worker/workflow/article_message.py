"""The article message: an extracted page in the form that other services consume."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic_core import to_json

from detourage.addresses import PageAddress, canonical_of, identity_of, variants_of
from detourage.article import Article
from detourage.html import site_name
from detourage.messages import ArticleMessage, Template
from detourage.pagination.joining_parts import without_location
from detourage.reader.article_values import article_values
from worker.store.articles import NewRevision
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.tracing import Context
from worker.workflow.article_parts import with_missing
from worker.workflow.process_state import ProcessState

_READER_FIELDS = {"language", "title", "lead", "authors", "published_at", "text", "corrections"}
_READER_FIELDS |= {"blocks", "images", "embeds", "comments", "metadata"}
"""Fields of an article message whose differences count as changes, except `_IGNORED_FIELDS`."""
# Formatting does not count as a change, nor do link targets, which may hold tracking data.
_STYLE_FIELDS = {"role_probability", "level", "marker", "links", "emphasis", "language"}
_IGNORED_FIELDS = {
    # Locations change whenever anything else on the page does.
    "blocks": {"__all__": _STYLE_FIELDS | {"xpath", "texts"}},
    "images": {"__all__": {"block", "location"}},
    "embeds": {"__all__": {"block", "location"}},
    "comments": {"__all__": {"location"}},
}


def next_message(
    page: PageState,
    job: ExtractionJob,
    article: Article,
    extracted_at: datetime,
    found_parts: Collection[str] | None = None,
    *,
    revisions_from: int = 1,
) -> tuple[dict[str, Any], str] | None:
    """Return the message and the digest of a page's next revision, or None if none is to be sent.

    A revision is sent if a reader would notice a difference from the latest revision, or if
    reprocessing was requested. `found_parts` holds the URLs of the other parts that are stored,
    or is None if the page is not a part.
    """
    number = next_revision_number(page.revision, revisions_from)
    message = compose(page, job, article, number, extracted_at)
    if found_parts is not None and message.parts is not None:
        message = message.model_copy(update={"parts": with_missing(message.parts, found_parts)})
    digest = reader_digest(message)
    if digest == page.last_digest and not page.forced:
        return None
    return message.to_json(), digest


def message_as_revision(
    message: ArticleMessage,
    revision: int,
    extracted_at: datetime,
    addresses: Sequence[PageAddress],
    **replaced: Any,
) -> ArticleMessage:
    """Return a copy of an article message as another revision, with some fields `replaced`."""
    identity = article_id(message.site, identity_of(addresses, message.url), revision)
    values = {"id": str(identity), "revision": revision, "extracted_at": extracted_at}
    return message.model_copy(update=replaced | values)


def without_locations(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without the locations of its contents."""
    names = ("blocks", "images", "embeds", "comments")
    contents = {name: [without_location(each) for each in message[name]] for name in names}
    return {**message, **contents, "locations": None}


def compose(
    page: PageState, job: ExtractionJob, article: Article, revision: int, extracted_at: datetime
) -> ArticleMessage:
    """Compose the article message for a revision of a page's article."""
    site = site_name(job.site_key)
    template = {"group": job.group_number, "generation": job.generation, "role": job.role}
    template["size"] = job.group_size
    return ArticleMessage(
        id=str(article_id(site, identity_of(page.addresses, page.url), revision)),
        revision=revision,
        page_id=page.crawler_id,
        url=page.url,
        site=site,
        fetched_at=page.fetched_at,
        received_at=page.waiting_since,
        template=Template.model_validate(template),
        extracted_at=extracted_at,
        canonical=canonical_of(page.addresses) if page.addresses else None,
        variants=variants_of(page.addresses),
        **article_values(article),
    )


def next_revision_number(last: int, revisions_from: int) -> int:
    """Return the revision number after `last` (0 if there is none), at least `revisions_from`."""
    return max(last + 1, revisions_from)


def reader_digest(message: ArticleMessage) -> str:
    """Return the digest of everything that a reader of the article would notice."""
    fields = message.model_dump(mode="json", include=_READER_FIELDS, exclude=_IGNORED_FIELDS)
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def article_id(site: str, url: str, revision: int) -> UUID:
    """Return the deterministic ID of an article revision; `url` is the result of `identity_of`."""
    return uuid5(NAMESPACE_URL, f"{url}\n{site}\n{revision}")


MAX_ROUTING_KEY_BYTES = 255
"""Limit set by AMQP 0-9-1; a longer key would block the relay and everything queued behind it."""


def new_revision(
    state: ProcessState,
    page_id: int,
    message: Mapping[str, Any],
    content_digest: str,
    trace: Context | None = None,
) -> NewRevision:
    """Return a revision to be stored and published; its article message continues `trace`."""
    return NewRevision(
        page_id,
        content_digest,
        message,
        exchange=state.topology.articles_exchange.name,
        routing_key=routing_key(message["language"], message["site"]),
        body=to_json(message),
        trace=trace or {},
    )


def routing_key(language: str | None, site: str) -> str:
    """Return a message's routing key, truncated to the length that AMQP allows."""
    return f"{language or 'und'}.{site}".encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")
