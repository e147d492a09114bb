"""Where the revisions of articles go: to recognition, apart as repeats, or nowhere yet."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from worker.messaging.topology import Topology
from worker.settings import Repeats
from worker.store import outbox, story_articles
from worker.store.outbox import NewMessage

MAX_ROUTING_KEY_BYTES = 255
"""What AMQP 0-9-1 allows; a longer key would hold up the relay and everything behind it."""

REPEATS: Final = ("same", "excerpt")
"""Relations to the first article of a story that make an article a repeat."""


@dataclass(frozen=True)
class Outgoing:
    """A revision as it goes out.

    Attributes
    ----------
    page_id
        Its page.
    message
        What the relay publishes.
    is_held_back
        Whether it is a repeat that does not go to the exchange of articles.
    is_kept
        Whether it does not go out at all.
    story
        What it says of its story.
    """

    page_id: int
    message: NewMessage
    is_held_back: bool
    is_kept: bool
    story: Mapping[str, Any]


def outgoing_of(
    page_id: int,
    message: Mapping[str, Any],
    *,
    repeats: Repeats,
    topology: Topology,
    may_hold_back: bool,
) -> Outgoing:
    """Return how a revision goes out.

    Parameters
    ----------
    page_id, message
        The page, and the message of its article.
    repeats
        What becomes of repeats.
    topology
        With the exchanges.
    may_hold_back
        Whether no revision of the article has gone to the exchange of articles: who has one from
        there must hear of its changes.
    """
    story = message.get("story") or {}
    is_held_back = repeats != "send" and may_hold_back and story.get("relation") in REPEATS
    exchange = topology.repeats_exchange if is_held_back else topology.articles_exchange
    published = NewMessage(
        exchange=exchange.name,
        routing_key=routing_key(message["language"], message["site"]),
        body=json.dumps(message, ensure_ascii=False).encode(),
        message_id=message["id"],
    )
    return Outgoing(page_id, published, is_held_back, is_held_back and repeats == "keep", story)


def send(session: Session, outgoing: Sequence[Outgoing]) -> None:
    """Ask the relay for revisions that are stored, and note what they say of their stories."""
    messages = [each.message for each in outgoing if not each.is_kept]
    if messages:
        outbox.add_messages(session, messages)
    held_back = [each.page_id for each in outgoing if each.is_held_back]
    story_articles.note_sent(session, {each.page_id: each.story for each in outgoing}, held_back)


def routing_key(sort: str | None, site: str) -> str:
    """Return the key that consumers choose messages by, cut where AMQP allows no more.

    Parameters
    ----------
    sort
        What comes before the site: language of an article, kind of a page; None for not known.
    site
        Name of the site.
    """
    key = f"{sort or 'und'}.{site}"
    return key.encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")
