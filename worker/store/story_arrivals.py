"""Extracted articles that are waiting to be grouped into stories."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    any_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from models.tables import Site, StoredPage, Story, StoryArrival, StoryArticle, StoryText
from worker.duplicates.fingerprint import Fingerprint
from worker.store.statements import rows_only
from worker.store.stories import packed, unpacked


class NewArrival(NamedTuple):
    """An article to be grouped."""

    page_id: int
    fingerprint: Fingerprint
    fetched_at: datetime | None
    seen_at: datetime
    wire: str | None


class Waiting(NamedTuple):
    """A page whose article waits (see `StoryArrival`); no fingerprint if the article is gone."""

    page_id: int
    arrived_at: datetime
    site_id: int
    site_key: str
    url: str
    fingerprint: Fingerprint | None
    fetched_at: datetime | None
    seen_at: datetime | None
    wire: str | None


_IDS = bindparam("ids", type_=ARRAY(BigInteger))
_PAGE = bindparam("page_id", type_=BigInteger)
_VALUES = ("key", "shingles", "fetched_at", "seen_at", "wire", "arrived_at")


def _replacing(adding: Insert) -> Insert:
    return adding.on_conflict_do_update(
        index_elements=[StoryArrival.page_id],
        set_={name: adding.excluded[name] for name in _VALUES},
    ).execution_options(dml_strategy="raw")


def _adding() -> Insert:
    given: dict[str, Any] = {name: bindparam(f"new_{name}") for name in ("page_id", *_VALUES[:-1])}
    return insert(StoryArrival).values(**given, arrived_at=func.clock_timestamp())


def _adding_gone() -> Insert:
    gone = select(
        StoryArticle.page_id, *(null() for _ in _VALUES[:-1]), func.clock_timestamp()
    ).where(StoryArticle.page_id == any_(_IDS))
    return insert(StoryArrival).from_select(["page_id", *_VALUES], gone)


_ADD = rows_only(_replacing(_adding()))
_ADD_GONE = rows_only(_replacing(_adding_gone()))


def add(session: Session, arrivals: Collection[NewArrival]) -> None:
    """Enqueue articles to be grouped; their pages must be locked."""
    session.execute(
        _ADD,
        [
            {
                "new_page_id": each.page_id,
                "new_key": each.fingerprint.key,
                "new_shingles": packed(each.fingerprint.shingles),
                "new_fetched_at": each.fetched_at,
                "new_seen_at": each.seen_at,
                "new_wire": each.wire,
            }
            for each in sorted(arrivals, key=lambda arrival: arrival.page_id)
        ],
    )


def add_gone(session: Session, page_ids: Collection[int]) -> bool:
    """Enqueue pages that lost their articles; return whether any had one. They must be locked."""
    if not page_ids:
        return False
    noted: Any = session.execute(_ADD_GONE, {"ids": sorted(page_ids)})
    return bool(noted.rowcount)


_WAITING = rows_only(
    select(StoryArrival.page_id)
    .order_by(StoryArrival.page_id)
    .limit(bindparam("most", type_=BigInteger))
)
_LOAD = rows_only(
    select(
        StoryArrival.page_id,
        StoryArrival.arrived_at,
        StoredPage.site_id,
        Site.key,
        StoredPage.url,
        StoryArrival.key,
        StoryArrival.shingles,
        StoryArrival.fetched_at,
        StoryArrival.seen_at,
        StoryArrival.wire,
    )
    .join(StoredPage, StoredPage.id == StoryArrival.page_id)
    .join(Site, Site.id == StoredPage.site_id)
    .where(StoryArrival.page_id == _PAGE)
)
_LOCK = rows_only(
    select(literal(1))
    .where(StoryArrival.page_id == _PAGE, StoryArrival.arrived_at == bindparam("arrived_at"))
    .with_for_update(skip_locked=True)
)
_REMOVE = rows_only(
    delete(StoryArrival)
    .where(StoryArrival.page_id == _PAGE)
    .execution_options(synchronize_session=False)
)
_ARE_WAITING = rows_only(
    select(
        or_(
            exists(select(StoryArrival.page_id)),
            exists(select(Story.id).where(Story.retold_to.is_not(None))),
        )
    )
)


def waiting(session: Session, most: int) -> Sequence[int]:
    """Return the IDs of pages with waiting articles, ascending."""
    return session.execute(_WAITING, {"most": most}).scalars().all()


def load(session: Session, page_id: int) -> Waiting | None:
    """Return the waiting article of a page."""
    row = session.execute(_LOAD, {"page_id": page_id}).one_or_none()
    if row is None:
        return None
    page_id, arrived_at, site_id, site_key, url, key, shingles, *rest = row
    known = Fingerprint(bytes(key), unpacked(shingles)) if key and shingles is not None else None
    return Waiting(page_id, arrived_at, site_id, site_key, url, known, *rest)


def lock(session: Session, arrival: Waiting) -> bool:
    """Try to lock a waiting article; return False if another transaction locked or replaced it."""
    return bool(session.scalar(_LOCK, arrival._asdict()))


def remove(session: Session, page_id: int) -> None:
    """Remove the waiting article of a page, which must be locked."""
    session.execute(_REMOVE, {"page_id": page_id})


def are_waiting(session: Session) -> bool:
    """Return whether articles are waiting to be grouped, or to be updated with a changed story."""
    return bool(session.scalar(_ARE_WAITING))


def is_waiting(page_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: the article of the page is waiting to be grouped."""
    arrives = exists().where(StoryArrival.page_id == page_id)
    is_retold = (
        exists()
        .where(StoryArticle.page_id == page_id, StoryText.id == StoryArticle.text_id)
        .where(Story.id == StoryText.story_id, Story.retold_to.is_not(None))
    )
    return or_(arrives, is_retold)
