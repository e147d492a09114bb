"""History of an article: fetches of its page, and revisions with their changes."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from models.messages import Changes
from models.tables import Address, Article, Receipt
from worker.store.fetched_pages import digests_of_address

MOST_EVENTS = 1_000
"""Maximum number of fetches, and of revisions, of an address that are read, the latest ones."""


class ArticleEvent(BaseModel):
    """A fetch of a page (`what` is the result of its receipt), or a revision of its article."""

    at: datetime
    page_id: int
    what: str
    revision: int | None = None
    changes: Changes | None = None


def events_of(session: Session, url: str) -> list[ArticleEvent]:
    """Return the events of the pages at a URL, oldest first; empty if the URL is unknown."""
    digests = digests_of_address(url)
    pages = session.scalars(
        select(Address.page_id).where(Address.digest.in_(digests), Address.page_id.is_not(None))
    )
    ids = sorted(set(pages))
    events = [*_fetches(session, ids), *_revisions(session, ids)]
    return sorted(events, key=lambda event: (event.at, event.page_id, event.revision or 0))


def _fetches(session: Session, page_ids: Sequence[int]) -> Iterator[ArticleEvent]:
    rows = session.execute(
        select(Receipt.received_at, Receipt.page_id, Receipt.result)
        .where(Receipt.page_id.in_(page_ids))
        .order_by(Receipt.id.desc())
        .limit(MOST_EVENTS)
    )
    for received_at, page_id, result in rows:
        if page_id is not None:
            yield ArticleEvent(at=received_at, page_id=page_id, what=f"fetched: {result}")


def _revisions(session: Session, page_ids: Sequence[int]) -> Iterator[ArticleEvent]:
    rows = session.execute(
        select(
            Article.created_at,
            Article.page_id,
            Article.revision,
            Article.message["changes"],
            Article.message["withdrawn"].astext,
        )
        .where(Article.page_id.in_(page_ids))
        .order_by(Article.created_at.desc())
        .limit(MOST_EVENTS)
    )
    for created_at, page_id, revision, changes, withdrawn in rows:
        known = Changes.model_validate(changes) if changes else None
        kind = "withdrawn" if withdrawn else known.kind if known else None
        yield ArticleEvent(
            at=created_at,
            page_id=page_id,
            what=f"revision {revision}" + (f": {kind}" if kind else ""),
            revision=revision,
            changes=known,
        )
