"""History of an article: fetches of its page, and revisions."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from models.tables import Address
from worker.store.database import sql
from worker.store.pages import digests_of_address

MAX_EVENTS = 1_000
"""Maximum number of an address's latest fetches, and of its latest revisions, that are read."""


class ArticleEvent(BaseModel):
    """A fetch of a page (`what` is the result of its receipt), or a revision of its article."""

    at: datetime
    page_id: int
    what: str
    revision: int | None = None


def events_of(session: Session, url: str) -> list[ArticleEvent]:
    """Return the events of the pages at a URL, oldest first; empty if the URL is unknown."""
    ids = pages_at(session, url)
    events = [*_fetches(session, ids), *_revisions(session, ids)]
    return sorted(events, key=lambda event: (event.at, event.page_id, event.revision or 0))


def pages_at(session: Session, url: str) -> list[int]:
    """Return the IDs of the pages at a URL, ascending."""
    digests = digests_of_address(url)
    pages = session.scalars(
        select(Address.page_id).where(Address.digest.in_(digests), Address.page_id.is_not(None))
    )
    return sorted(set(pages))


def _fetches(session: Session, page_ids: Sequence[int]) -> Iterator[ArticleEvent]:
    query = sql("""
        SELECT received_at, page_id, result FROM receipts WHERE page_id = ANY (:page_ids)
        ORDER BY id DESC LIMIT :limit
    """)
    rows = session.execute(query, {"page_ids": list(page_ids), "limit": MAX_EVENTS})
    for received_at, page_id, result in rows:
        yield ArticleEvent(at=received_at, page_id=page_id, what=f"fetched: {result}")


def _revisions(session: Session, page_ids: Sequence[int]) -> Iterator[ArticleEvent]:
    query = sql("""
        SELECT created_at, page_id, revision, message ->> 'withdrawn'
        FROM articles WHERE page_id = ANY (:page_ids)
        ORDER BY created_at DESC LIMIT :limit
    """)
    rows = session.execute(query, {"page_ids": list(page_ids), "limit": MAX_EVENTS})
    for created_at, page_id, revision, withdrawn in rows:
        yield ArticleEvent(
            at=created_at,
            page_id=page_id,
            what=f"revision {revision}" + (": withdrawn" if withdrawn else ""),
            revision=revision,
        )
