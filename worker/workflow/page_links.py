"""Messages to the crawler with the links listed by a page."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy.orm import Session

from detourage.addresses import identity_of
from detourage.html import site_name
from detourage.links import Link, LinksMessage
from detourage.reader.listed import MISSED_KINDS, ListedLinks
from worker.messaging.topology import Topology
from worker.store import articles, outbox
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.store.outbox import NewMessage
from worker.workflow.outgoing_articles import routing_key


def links_message(page: PageState, job: ExtractionJob, listed: ListedLinks) -> LinksMessage:
    """Return a page's links message."""
    site = site_name(job.site_key)
    identity = identity_of(page.addresses, page.url)
    refused = page.refused or {}
    content: dict[str, object] = asdict(listed)
    if listed.kind == "wall":
        # A wall gets one message per fetch; a page that is gone gets only one until it returns.
        content["of"] = refused.get("fetched_at") or page.content_digest
    elif listed.kind == "gone":
        content["of"] = refused.get("gone_since")
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return LinksMessage(
        id=str(uuid5(NAMESPACE_URL, f"links\n{identity}\n{site}\n{digest}")),
        page_id=page.crawler_id,
        url=page.url,
        site=site,
        fetched_at=refused.get("fetched_at", page.fetched_at),
        kind=listed.kind,
        links=[Link(url=each.url, headline=each.headline) for each in listed.links],
        next=listed.next,
        again=listed.kind in MISSED_KINDS,
    )


def send_links(
    session: Session,
    found: Sequence[tuple[PageState, ExtractionJob, ListedLinks]],
    topology: Topology,
    max_bytes: int,
) -> None:
    """Enqueue links messages that have changed or that a reprocessing requested.

    The transaction must have locked the pages. A message larger than `max_bytes` loses its last
    links.
    """
    if not found:
        return
    last = articles.last_links_ids(session, [job.page_id for _, job, _ in found])
    messages = {}
    for page, job, listed in found:
        message = links_message(page, job, listed)
        if page.forced or message.id != last.get(job.page_id):
            messages[job.page_id] = within(message, max_bytes)
    if not messages:
        return
    articles.save_links(session, {page_id: each.to_json() for page_id, each in messages.items()})
    outbox.add_messages(
        session,
        [
            NewMessage(
                exchange=topology.links_exchange.name,
                routing_key=routing_key(each.kind, each.site),
                body=each.model_dump_json().encode(),
                message_id=each.id,
            )
            for each in messages.values()
        ],
    )


def within(message: LinksMessage, max_bytes: int) -> LinksMessage:
    """Return a message truncated to as many links as fit into `max_bytes`."""
    size = len(message.model_copy(update={"links": []}).model_dump_json().encode())
    kept = []
    for link in message.links:
        size += len(link.model_dump_json().encode()) + len(", ")
        if size > max_bytes:
            break
        kept.append(link)
    return message.model_copy(update={"links": kept})
