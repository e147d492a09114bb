"""Extracted articles that are waiting to be grouped into stories."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, LargeBinary, exists, func, or_, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from models.tables import Story, StoryArrival, StoryArticle, StoryText
from worker.duplicates.fingerprint import Fingerprint
from worker.store.database import rows_only
from worker.store.stories import packed, unpacked


@dataclass(frozen=True)
class Arrival:
    """An extracted article.

    `site` is the site key, and `wire` the news agency that the article names. `seen_at` is
    `fetched_at` or, if that is unknown, the time of extraction.
    """

    page_id: int
    site_id: int
    site: str
    url: str
    fingerprint: Fingerprint
    fetched_at: datetime | None
    seen_at: datetime
    wire: str | None


class WaitingArticle(NamedTuple):
    """A page whose article is waiting (see `StoryArrival`); None if the page lost its article."""

    page_id: int
    arrived_at: datetime
    arrival: Arrival | None


_ADDING = insert(StoryArrival).values(arrived_at=func.clock_timestamp())
_ADD = rows_only(
    _ADDING.on_conflict_do_update(
        index_elements=[StoryArrival.page_id],
        set_={
            name: _ADDING.excluded[name]
            for name in ("key", "shingles", "fetched_at", "seen_at", "wire", "arrived_at")
        },
    )
    # Without RETURNING, SQLAlchemy sends an upsert once per row.
    .returning(StoryArrival.page_id)
)
_ADD_GONE = text("""
    INSERT INTO story_arrivals (page_id, arrived_at)
    SELECT page_id, clock_timestamp() FROM story_articles
    WHERE page_id = ANY (CAST(:ids AS bigint[]))
    ON CONFLICT (page_id) DO UPDATE SET key = NULL, shingles = NULL, fetched_at = NULL,
        seen_at = NULL, wire = NULL, arrived_at = excluded.arrived_at
""")


def add(session: Session, arrivals: Collection[Arrival]) -> None:
    """Enqueue articles to be grouped; their pages must be locked."""
    session.execute(
        _ADD,
        [
            {
                "page_id": each.page_id,
                "key": each.fingerprint.key,
                "shingles": packed(each.fingerprint.shingles),
                "fetched_at": each.fetched_at,
                "seen_at": each.seen_at,
                "wire": each.wire,
            }
            for each in sorted(arrivals, key=lambda arrival: arrival.page_id)
        ],
    )


def add_gone(session: Session, page_ids: Collection[int]) -> bool:
    """Enqueue locked pages that lost their articles; return whether any article had a story."""
    if not page_ids:
        return False
    noted: Any = session.execute(_ADD_GONE, {"ids": sorted(page_ids)})
    return bool(noted.rowcount)


_WAITING = text("SELECT page_id FROM story_arrivals ORDER BY page_id LIMIT :most")
_LOAD = text("""
    SELECT page_id, arrived_at, site_id, sites.key AS site_key, url, story_arrivals.key,
        shingles, story_arrivals.fetched_at, seen_at, wire
    FROM story_arrivals
    JOIN pages ON pages.id = page_id
    JOIN sites ON sites.id = site_id
    WHERE page_id = ANY (CAST(:ids AS bigint[]))
    ORDER BY page_id
""").columns(key=LargeBinary, shingles=LargeBinary)
_LOCK = text("""
    SELECT page_id FROM story_arrivals
    JOIN unnest(CAST(:ids AS bigint[]), CAST(:times AS timestamptz[]))
        AS asked (page_id, arrived_at) USING (page_id, arrived_at)
    ORDER BY page_id FOR UPDATE OF story_arrivals SKIP LOCKED
""")
_REMOVE = text("DELETE FROM story_arrivals WHERE page_id = ANY (CAST(:ids AS bigint[]))")
_ARE_WAITING = text("""
    SELECT EXISTS (SELECT FROM story_arrivals)
        OR EXISTS (SELECT FROM stories WHERE retold_to IS NOT NULL)
""")


def waiting(session: Session, most: int) -> Sequence[int]:
    """Return the IDs of pages with waiting articles, ascending."""
    return session.execute(_WAITING, {"most": most}).scalars().all()


def load(session: Session, page_ids: Collection[int]) -> list[WaitingArticle]:
    """Return the waiting articles of pages."""
    return [_waiting(*row) for row in session.execute(_LOAD, {"ids": list(page_ids)})]


def _waiting(
    page_id: int,
    arrived_at: datetime,
    site_id: int,
    site_key: str,
    url: str,
    key: bytes | None,
    shingles: bytes | None,
    fetched_at: datetime | None,
    seen_at: datetime | None,
    wire: str | None,
) -> WaitingArticle:
    if not key or shingles is None or seen_at is None:
        return WaitingArticle(page_id, arrived_at, None)
    known = Fingerprint(key, unpacked(shingles))
    arrival = Arrival(page_id, site_id, site_key, url, known, fetched_at, seen_at, wire)
    return WaitingArticle(page_id, arrived_at, arrival)


def lock(session: Session, waiting: Collection[WaitingArticle]) -> set[int]:
    """Try to lock waiting articles, and return the IDs of their pages.

    Articles that another transaction has locked or replaced are skipped.
    """
    asked = {
        "ids": [each.page_id for each in waiting],
        "times": [each.arrived_at for each in waiting],
    }
    return set(session.execute(_LOCK, asked).scalars())


def remove(session: Session, page_ids: Collection[int]) -> None:
    """Remove the waiting articles of pages, which must be locked."""
    session.execute(_REMOVE, {"ids": list(page_ids)})


def are_waiting(session: Session) -> bool:
    """Return whether articles are waiting to be grouped, or to be updated with a changed story."""
    return bool(session.scalar(_ARE_WAITING))


def is_waiting(page_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: the page's article is waiting to be grouped or updated."""
    arrives = exists().where(StoryArrival.page_id == page_id)
    is_retold = (
        exists()
        .where(StoryArticle.page_id == page_id, StoryText.id == StoryArticle.text_id)
        .where(Story.id == StoryText.story_id, Story.retold_to.is_not(None))
    )
    return or_(arrives, is_retold)
