"""Routing of article revisions to entity recognition, to the repeats exchange, or nowhere."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy.orm import Session

from detourage.messages import ChangesMessage
from worker.store import articles, outbox, story_articles
from worker.store.articles import NewRevision
from worker.store.outbox import NewMessage
from worker.tracing import Context
from worker.workflow.process import ProcessState

MAX_ROUTING_KEY_BYTES = 255
"""Limit set by AMQP 0-9-1; a longer key would block the relay and everything queued behind it."""

REPEATS: Final = ("same", "excerpt")
"""Relations to a story's first article that make an article a repeat."""


def revision_of(
    state: ProcessState,
    page_id: int,
    message: Mapping[str, Any],
    content_digest: str,
    *,
    may_hold_back: bool,
    as_changes: bool = False,
    trace: Context | None = None,
) -> NewRevision:
    """Return a revision, given as its article message, with the decision where it is sent.

    `may_hold_back` is False once a revision of the article was sent to the articles exchange:
    consumers that received an article must also receive its changes. `as_changes` allows the
    message to be replaced by its changes, which requires that consumers have the article. The
    message continues `trace`.
    """
    repeats, topology = state.settings.repeats, state.topology
    story = message.get("story") or {}
    is_held_back = repeats != "send" and may_hold_back and story.get("relation") in REPEATS
    exchange = topology.repeats_exchange if is_held_back else topology.articles_exchange
    is_kept = is_held_back and repeats == "keep"
    body, changes = message, message.get("changes")
    if as_changes and changes is not None and changes["is_complete"]:
        exchange, is_kept = topology.changes_exchange, changes["kind"] is None
        body = {name: message.get(name) for name in ChangesMessage.model_fields}
    outgoing = NewMessage(
        exchange=exchange.name,
        routing_key=routing_key(message["language"], message["site"]),
        body=json.dumps(body, ensure_ascii=False).encode(),
        message_id=message["id"],
        trace=trace or {},
    )
    return NewRevision(page_id, content_digest, message, outgoing, is_held_back, is_kept)


def save(session: Session, revisions: Sequence[NewRevision]) -> None:
    """Store revisions and enqueue them for the relay, without recording their stories."""
    articles.save_articles(session, revisions)
    messages = [each.outgoing for each in revisions if not each.is_kept]
    if messages:
        outbox.add_messages(session, messages)


def save_with_story(session: Session, revision: NewRevision) -> None:
    """Store a revision, enqueue it for the relay, and record its story."""
    save(session, [revision])
    story = revision.message.get("story") or {}
    held_back = [revision.page_id] if revision.is_held_back else []
    story_articles.note_sent(session, {revision.page_id: story}, held_back)


def routing_key(sort: str | None, site: str) -> str:
    """Return a message's routing key, truncated to the length that AMQP allows.

    `sort` is an article's language or a page's kind; None if unknown.
    """
    key = f"{sort or 'und'}.{site}"
    return key.encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")
