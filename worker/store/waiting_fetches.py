"""Fetches that wait until their page has an outcome, so that none replaces an unread article."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, Row, delete
from sqlalchemy.orm import Session

from models.tables import WaitingFetch
from worker.store.fetched_pages import FetchedPage
from worker.store.pages import StoredContent, pack_content, read_content
from worker.store.statements import Statements

SQL = Statements("recording")

MOST_OF_PAGE = 8
"""Maximum number of waiting fetches per page; a further one replaces the last to arrive."""


class DueFetch(NamedTuple):
    """A waiting fetch whose page has its outcome."""

    id: int
    row: Row[Any]

    def fetched(self) -> FetchedPage:
        """Return the fetch; raise an error if its content is damaged."""
        row = self.row
        return FetchedPage(
            row.key,
            row.url,
            read_content(StoredContent(row.compressed, None, row.is_text)),
            row.crawler_id,
            row.content_type,
            row.fetched_at,
            row.extra,
            row.trace or {},
        )


def pages_waited_for(session: Session, page_ids: Collection[int]) -> set[int]:
    """Return those of the given pages for which fetches wait. Their sites must be locked."""
    if not page_ids:
        return set()
    return set(session.scalars(SQL.pages_waited_for, {"ids": list(page_ids)}))


_MAKE_ROOM = SQL.make_room.bindparams(most=MOST_OF_PAGE)


def add(session: Session, waiting: Sequence[tuple[int, FetchedPage]]) -> None:
    """Store fetches, given with the IDs of their pages."""
    for page_id, fetched in waiting:
        session.execute(_MAKE_ROOM, {"page_id": page_id})
        session.add(
            WaitingFetch(
                page_id=page_id,
                url=fetched.url,
                crawler_id=fetched.crawler_id,
                content_type=fetched.content_type,
                fetched_at=fetched.fetched_at,
                extra=fetched.extra,
                compressed=pack_content(fetched.content_bytes),
                is_text=isinstance(fetched.content, str),
                trace=dict(fetched.trace) or None,
            )
        )
    session.flush()


# The earliest fetch of each page comes first, whatever the order of arrival.
_DUE = SQL.due_fetches.columns(compressed=LargeBinary)


def due(session: Session, limit: int) -> list[DueFetch]:
    """Return the first waiting fetch of each page that has its outcome."""
    return [DueFetch(row.id, row) for row in session.execute(_DUE, {"limit": limit})]


def take(session: Session, fetch_id: int) -> bool:
    """Remove a waiting fetch, and return whether it was still waiting."""
    taken = delete(WaitingFetch).where(WaitingFetch.id == fetch_id).returning(WaitingFetch.id)
    return session.scalar(taken) is not None
