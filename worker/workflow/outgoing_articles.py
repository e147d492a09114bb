"""Article revisions: stored, and enqueued for entity recognition."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from worker.store import articles, outbox
from worker.store.articles import NewRevision
from worker.store.outbox import NewMessage
from worker.tracing import Context
from worker.workflow.process import ProcessState

MAX_ROUTING_KEY_BYTES = 255
"""Limit set by AMQP 0-9-1; a longer key would block the relay and everything queued behind it."""


def revision_of(
    state: ProcessState,
    page_id: int,
    message: Mapping[str, Any],
    content_digest: str,
    trace: Context | None = None,
) -> NewRevision:
    """Return a revision, given as its article message, which continues `trace`."""
    outgoing = NewMessage(
        exchange=state.topology.articles_exchange.name,
        routing_key=routing_key(message["language"], message["site"]),
        body=json.dumps(message, ensure_ascii=False).encode(),
        message_id=message["id"],
        trace=trace or {},
    )
    return NewRevision(page_id, content_digest, message, outgoing)


def save(session: Session, revisions: Sequence[NewRevision]) -> None:
    """Store revisions and enqueue them for the relay."""
    articles.save_articles(session, revisions)
    outbox.add_messages(session, [each.outgoing for each in revisions])


def routing_key(sort: str | None, site: str) -> str:
    """Return a message's routing key, truncated to the length that AMQP allows.

    `sort` is an article's language or a page's kind; None if unknown.
    """
    key = f"{sort or 'und'}.{site}"
    return key.encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")
