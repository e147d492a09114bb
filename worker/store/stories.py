"""Article texts, their overlaps, and the stories into which they are grouped."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import (
    ARRAY,
    BigInteger,
    DateTime,
    Integer,
    Interval,
    LargeBinary,
    Select,
    any_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from models.tables import StoredPage, Story, StoryArticle, StoryOverlap, StoryText
from worker.store.database import do_not_wait_for_disk
from worker.store.locks import AdvisoryLock
from worker.store.statements import rows_only

MAX_OF_BAND = 50
"""Maximum number of texts examined per band: as many as are compared per story."""

MAX_CANDIDATES = 100
"""Maximum number of texts compared with a new one; those sharing the most bands come first."""

MAX_OVERLAPS = 100
"""Maximum number of overlaps stored for a text, which bounds the time needed to read them."""

MAX_SITES = 100
"""Maximum number of sites stored per text."""

LOCK_SECONDS = 1
"""Maximum time for which grouping waits for a lock; it is retried later."""

RESTING_SECONDS = 10
"""Maximum idle time of a grouping transaction."""


class KnownText(NamedTuple):
    """A text with its shingles; see `StoryText`."""

    id: int
    story_id: int
    sites: list[int]
    shingles: np.ndarray[Any, np.dtype[np.uint32]]


class GroupedText(NamedTuple):
    """A text with its number of shingles."""

    id: int
    story_id: int
    key: bytes
    length: int
    sites: list[int]
    is_compared: bool
    """Whether new texts are compared with this one."""


_LOCK = rows_only(select(func.pg_advisory_xact_lock(AdvisoryLock.STORIES.value, 0)))
_LIMITS = {
    "lock_timeout": LOCK_SECONDS,
    "idle_in_transaction_session_timeout": RESTING_SECONDS,
}
_SET_LIMITS = rows_only(
    select(
        *(
            func.set_config(name, f"{seconds}s", literal(value=True))
            for name, seconds in _LIMITS.items()
        )
    )
)


def lock_stories(session: Session) -> None:
    """Prevent concurrent grouping until the end of the transaction, which must be short.

    Articles grouped concurrently would not see each other.
    """
    # Release the lock without waiting for the disk: anything that a crash loses is grouped again.
    do_not_wait_for_disk(session)
    session.execute(_SET_LIMITS)
    session.execute(_LOCK)


_IDS = bindparam("ids", type_=ARRAY(BigInteger))
_TEXT = bindparam("text_id", type_=BigInteger)

_KEYED = rows_only(
    select(StoryText.id, StoryText.story_id, StoryText.sites, StoryText.shingles)
    .where(
        StoryText.key == bindparam("key", type_=LargeBinary),
        StoryText.seen_from <= bindparam("latest", type_=DateTime(timezone=True)),
        StoryText.seen_to >= bindparam("earliest", type_=DateTime(timezone=True)),
    )
    .order_by(StoryText.id)
    .limit(1)
)


def text_with_key(
    session: Session, key: bytes, seen_at: datetime, window: timedelta
) -> KnownText | None:
    """Return the text with a key, if it was seen within ``window`` of ``seen_at``."""
    between = {"key": key, "earliest": seen_at - window, "latest": seen_at + window}
    row = session.execute(_KEYED, between).one_or_none()
    return _known(row) if row is not None else None


def _candidates() -> Select[*tuple[Any, ...]]:
    asked = (
        func.unnest(bindparam("bands", type_=ARRAY(Integer)))
        .table_valued("band", name="asked")
        .render_derived()
    )
    # Band by band, since the planner overestimates an array overlap and reads all texts.
    with_band = (
        select(StoryText.id, StoryText.key)
        .where(
            StoryText.bands.op("@>")(array([asked.c.band])),
            StoryText.seen_from <= bindparam("latest", type_=DateTime(timezone=True)),
            StoryText.seen_to >= bindparam("earliest", type_=DateTime(timezone=True)),
        )
        .limit(MAX_OF_BAND)
        .lateral("with_band")
    )
    nearest = (
        select(with_band.c.id, func.count().label("shared"))
        .select_from(asked.join(with_band, true()))
        .group_by(with_band.c.id, with_band.c.key)
        .order_by(func.count().desc(), with_band.c.key)
        .limit(MAX_CANDIDATES)
        .subquery("nearest")
    )
    return (
        select(StoryText.id, StoryText.story_id, StoryText.sites, StoryText.shingles)
        .join(nearest, nearest.c.id == StoryText.id)
        .order_by(nearest.c.shared.desc(), StoryText.key)
    )


_CANDIDATES = rows_only(_candidates())


def texts_like(
    session: Session, bands: Sequence[int], seen_at: datetime, window: timedelta
) -> list[KnownText]:
    """Return texts that share any of the given bands, those sharing the most first."""
    between = {"bands": list(bands), "earliest": seen_at - window, "latest": seen_at + window}
    return [_known(row) for row in session.execute(_CANDIDATES, between)]


def _known(row: Any) -> KnownText:
    text_id, story_id, sites, shingles = row
    return KnownText(text_id, story_id, sites, unpacked(shingles))


def packed(shingles: np.ndarray[Any, np.dtype[np.uint32]]) -> bytes:
    """Return shingles in their stored form."""
    return shingles.astype("<u4").tobytes()


def unpacked(stored: bytes) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return stored shingles as an array."""
    return np.frombuffer(stored, dtype="<u4").astype(np.uint32, copy=False)


_ADD_STORY = rows_only(insert(Story).returning(Story.id).execution_options(dml_strategy="raw"))
_ADD_TEXT = rows_only(
    insert(StoryText).returning(StoryText.id).execution_options(dml_strategy="raw")
)
_ADD_OVERLAPS = rows_only(insert(StoryOverlap).execution_options(dml_strategy="raw"))


def add_text(
    session: Session,
    *,
    key: bytes,
    shingles: np.ndarray[Any, np.dtype[np.uint32]],
    bands: Sequence[int],
    site_id: int,
    seen_at: datetime,
    common: Mapping[int, int],
    story_id: int,
) -> int:
    """Store a text and return its ID; ``common`` holds its overlaps by text ID."""
    text_id = session.execute(
        _ADD_TEXT,
        {
            "story_id": story_id,
            "key": key,
            "shingles": packed(shingles),
            "bands": list(bands),
            "sites": [site_id],
            "seen_from": seen_at,
            "seen_to": seen_at,
        },
    ).scalar_one()
    if common:
        session.execute(
            _ADD_OVERLAPS,
            [
                {"lower_id": min(text_id, each), "higher_id": max(text_id, each), "common": number}
                for each, number in sorted(common.items())
            ],
        )
    return int(text_id)


def add_story(session: Session, first_page_id: int | None = None) -> int:
    """Store a story without texts, and return its ID."""
    return int(session.execute(_ADD_STORY, {"first_page_id": first_page_id}).scalar_one())


_NEWEST = rows_only(select(func.max(StoryText.id)))


def newest_text(session: Session) -> int:
    """Return the ID of the newest text, or 0 if there is none."""
    return session.scalar(_NEWEST) or 0


def _finding_full() -> Select[Any]:
    of_text = or_(StoryOverlap.lower_id == StoryText.id, StoryOverlap.higher_id == StoryText.id)
    some = select(StoryOverlap.lower_id).where(of_text).limit(MAX_OVERLAPS).correlate(StoryText)
    number = select(func.count()).select_from(some.subquery()).scalar_subquery()
    return select(StoryText.id).where(StoryText.id == any_(_IDS), number >= MAX_OVERLAPS)


_FULL = rows_only(_finding_full())


def full_texts(session: Session, text_ids: Collection[int]) -> set[int]:
    """Return the given texts that have the maximum number of stored overlaps."""
    return set(session.execute(_FULL, {"ids": sorted(text_ids)}).scalars().all())


_TOUCH_TEXT = rows_only(
    update(StoryText)
    .where(StoryText.id == bindparam("text_id"))
    .values(
        sites=bindparam("new_sites", type_=ARRAY(BigInteger)),
        seen_from=func.least(StoryText.seen_from, bindparam("seen_at", type_=DateTime(True))),
        seen_to=func.greatest(StoryText.seen_to, bindparam("seen_at", type_=DateTime(True))),
    )
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)
_STORIES_OF = rows_only(select(StoryText.id, StoryText.story_id).where(StoryText.id == any_(_IDS)))


def touch_text(
    session: Session, text_id: int, *, sites: Collection[int], seen_at: datetime
) -> None:
    """Record that another article has the given text."""
    values = {"text_id": text_id, "new_sites": sorted(sites)[:MAX_SITES], "seen_at": seen_at}
    session.execute(_TOUCH_TEXT, values)


def stories_of(session: Session, text_ids: Collection[int]) -> dict[int, int]:
    """Return the story IDs of the given texts that exist, by text ID."""
    if not text_ids:
        return {}
    rows = session.execute(_STORIES_OF, {"ids": sorted(text_ids)})
    return dict(rows.all())


def _grouped() -> Select[*tuple[Any, ...]]:
    length = func.octet_length(StoryText.shingles) / 4
    return select(
        StoryText.id,
        StoryText.story_id,
        StoryText.key,
        length,
        StoryText.sites,
        func.cardinality(StoryText.bands) > 0,
    )


_TEXTS_OF_STORIES = rows_only(
    _grouped().where(StoryText.story_id == any_(_IDS)).limit(bindparam("most", type_=Integer))
)
_TEXTS = rows_only(_grouped().where(StoryText.id == any_(_IDS)).order_by(StoryText.id))
_OVERLAPS = rows_only(
    select(StoryOverlap.lower_id, StoryOverlap.higher_id, StoryOverlap.common)
    .where(or_(StoryOverlap.lower_id == any_(_IDS), StoryOverlap.higher_id == any_(_IDS)))
    .limit(bindparam("most", type_=Integer))
)


def texts_of_stories(session: Session, story_ids: Collection[int], most: int) -> list[GroupedText]:
    """Return at most ``most`` texts of the given stories."""
    rows = session.execute(_TEXTS_OF_STORIES, {"ids": list(story_ids), "most": most})
    return [_as_grouped(row) for row in rows]


def texts_with_ids(session: Session, text_ids: Collection[int]) -> list[GroupedText]:
    """Return the texts with the given IDs."""
    if not text_ids:
        return []
    return [_as_grouped(row) for row in session.execute(_TEXTS, {"ids": sorted(text_ids)})]


def _as_grouped(row: Any) -> GroupedText:
    text_id, story_id, key, length, sites, is_compared = row
    return GroupedText(text_id, story_id, bytes(key), int(length), sites, is_compared)


def overlaps_with(
    session: Session, text_ids: Collection[int], most: int
) -> dict[tuple[int, int], int]:
    """Return the overlaps of the given texts with any other texts, at most ``most`` pairs."""
    rows = session.execute(_OVERLAPS, {"ids": sorted(text_ids), "most": most})
    return {(lower, higher): common for lower, higher, common in rows}


_MOVE = rows_only(
    update(StoryText)
    .where(StoryText.id == any_(_IDS))
    .values(story_id=bindparam("new_story", type_=BigInteger))
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)
_REMOVE_STORIES = rows_only(
    delete(Story)
    .where(
        Story.id == any_(_IDS), ~select(StoryText.id).where(StoryText.story_id == Story.id).exists()
    )
    .execution_options(synchronize_session=False)
)


def move_texts(session: Session, text_ids: Collection[int], story_id: int) -> None:
    """Move texts to another story."""
    session.execute(_MOVE, {"ids": sorted(text_ids), "new_story": story_id})


def remove_empty_stories(session: Session, story_ids: Collection[int]) -> None:
    """Delete the given stories that have no texts."""
    session.execute(_REMOVE_STORIES, {"ids": sorted(story_ids)})


_SITES_OF_ARTICLES = rows_only(
    select(StoredPage.site_id)
    .join(StoryArticle, StoryArticle.page_id == StoredPage.id)
    .where(StoryArticle.text_id == _TEXT)
    .limit(MAX_SITES)
)
_REMOVE_TEXTS = rows_only(
    delete(StoryText).where(StoryText.id == any_(_IDS)).execution_options(synchronize_session=False)
)
_SET_SITES = rows_only(
    update(StoryText)
    .where(StoryText.id == _TEXT)
    .values(sites=bindparam("new_sites", type_=ARRAY(BigInteger)))
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def review_text(session: Session, text_id: int) -> None:
    """Update a text that an article no longer has; delete it if no other article has it."""
    sites = list(session.execute(_SITES_OF_ARTICLES, {"text_id": text_id}).scalars())
    if not sites:
        session.execute(_REMOVE_TEXTS, {"ids": [text_id]})
    elif len(sites) < MAX_SITES:
        session.execute(_SET_SITES, {"text_id": text_id, "new_sites": sorted(set(sites))})


def _finding_old() -> Select[Any]:
    old = (
        select(Story.id)
        .where(Story.changed_at <= func.now() - bindparam("window", type_=Interval))
        .order_by(Story.changed_at)
        .limit(bindparam("most", type_=Integer))
        .subquery("old")
    )
    return (
        select(old.c.id, StoryText.id)
        .outerjoin(StoryText, StoryText.story_id == old.c.id)
        .limit(bindparam("most", type_=Integer))
    )


_OLD = rows_only(_finding_old())


def remove_old_stories(session: Session, window: timedelta, most: int) -> int:
    """Delete the texts of stories that got no new article within ``window``, and empty stories.

    Stories stated by published articles are retained. The caller must hold the lock of
    `lock_stories`. Returns the number of rows processed, at most ``most``.
    """
    found = session.execute(_OLD, {"window": window, "most": most}).all()
    session.execute(_REMOVE_TEXTS, {"ids": [each for _, each in found if each is not None]})
    remove_empty_stories(session, {story_id for story_id, _ in found})
    return len(found)


_SHINGLES = rows_only(select(StoryText.id, StoryText.shingles).where(StoryText.id == any_(_IDS)))


def shingles_of(
    session: Session, text_ids: Iterable[int]
) -> dict[int, np.ndarray[Any, np.dtype[np.uint32]]]:
    """Return the shingles of texts, by text ID."""
    rows = session.execute(_SHINGLES, {"ids": sorted(set(text_ids))})
    return {text_id: unpacked(stored) for text_id, stored in rows}
