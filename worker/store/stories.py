"""Article texts, their overlaps, and the stories into which they are grouped."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import (
    ARRAY,
    BigInteger,
    LargeBinary,
    any_,
    bindparam,
    func,
    insert,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Session

from models.tables import Story, StoryOverlap, StoryText
from worker.store.database import lock_briefly, rows_only
from worker.store.locks import AdvisoryLock

MAX_OF_BAND = 50
"""Maximum number of texts examined per band: as many as are compared per story."""

MAX_CANDIDATES = 100
"""Maximum number of texts compared with a new text, those that share the most bands first."""

MAX_OVERLAPS = 100
"""Maximum number of overlaps stored for a text, which bounds the time needed to read them."""

MAX_SITES = 100
"""Maximum number of sites stored per text."""


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


def lock_stories(session: Session) -> None:
    """Prevent concurrent grouping until the end of the transaction, which must be short.

    Articles grouped concurrently would not see each other.
    """
    lock_briefly(session, AdvisoryLock.STORIES)


_IDS = bindparam("ids", type_=ARRAY(BigInteger))
_KEYED = text("""
    SELECT id, story_id, sites, shingles FROM story_texts
    WHERE key = :key AND seen_from <= :latest AND seen_to >= :earliest
    ORDER BY id LIMIT 1
""").columns(shingles=LargeBinary)


def text_with_key(
    session: Session, key: bytes, seen_at: datetime, window: timedelta
) -> KnownText | None:
    """Return the text with the given key, if it was seen within ``window`` of ``seen_at``."""
    between = {"key": key, "earliest": seen_at - window, "latest": seen_at + window}
    row = session.execute(_KEYED, between).one_or_none()
    return _known(row) if row is not None else None


_CANDIDATES = text("""
    SELECT id, story_id, sites, shingles
    FROM (
        -- Band by band, since the planner overestimates an array overlap and reads all texts.
        SELECT with_band.id, count(*) AS shared
        FROM unnest(CAST(:bands AS integer[])) AS asked (band) CROSS JOIN LATERAL (
            SELECT id, key FROM story_texts
            WHERE bands @> ARRAY[asked.band]
                AND seen_from <= :latest AND seen_to >= :earliest
            LIMIT :max_of_band
        ) AS with_band
        GROUP BY with_band.id, with_band.key
        ORDER BY shared DESC, with_band.key LIMIT :max_candidates
    ) AS nearest JOIN story_texts USING (id)
    ORDER BY shared DESC, key
""").columns(shingles=LargeBinary)


def texts_like(
    session: Session, bands: Sequence[int], seen_at: datetime, window: timedelta
) -> list[KnownText]:
    """Return texts that share any of the given bands, starting with those that share the most."""
    wanted = {"bands": list(bands), "earliest": seen_at - window, "latest": seen_at + window}
    most = {"max_of_band": MAX_OF_BAND, "max_candidates": MAX_CANDIDATES}
    return [_known(row) for row in session.execute(_CANDIDATES, wanted | most)]


def _known(row: Any) -> KnownText:
    text_id, story_id, sites, shingles = row
    return KnownText(text_id, story_id, sites, unpacked(shingles))


def packed(shingles: np.ndarray[Any, np.dtype[np.uint32]]) -> bytes:
    """Return shingles in their stored form."""
    return shingles.astype("<u4").tobytes()


def unpacked(stored: bytes) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return stored shingles as an array."""
    return np.frombuffer(stored, dtype="<u4").astype(np.uint32, copy=False)


_ADD_STORY = rows_only(insert(Story).returning(Story.id))
_ADD_TEXT = rows_only(insert(StoryText).returning(StoryText.id))
_ADD_OVERLAPS = rows_only(insert(StoryOverlap))


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


_FULL = text("""
    SELECT id FROM story_texts
    WHERE id = ANY (CAST(:ids AS bigint[])) AND :max_overlaps <= (
        SELECT count(*) FROM (
            SELECT FROM story_overlaps
            WHERE lower_id = story_texts.id OR higher_id = story_texts.id LIMIT :max_overlaps
        ) AS own
    )
""").bindparams(max_overlaps=MAX_OVERLAPS)


def full_texts(session: Session, text_ids: Collection[int]) -> set[int]:
    """Return the IDs of the given texts that have the maximum number of stored overlaps."""
    return set(session.execute(_FULL, {"ids": sorted(text_ids)}).scalars().all())


_TOUCH_TEXT = text("""
    UPDATE story_texts SET sites = CAST(:sites AS bigint[]),
        seen_from = least(seen_from, :seen_at), seen_to = greatest(seen_to, :seen_at)
    WHERE id = :text_id
""")
_STORIES_OF = rows_only(select(StoryText.id, StoryText.story_id).where(StoryText.id == any_(_IDS)))


def touch_text(
    session: Session, text_id: int, *, sites: Collection[int], seen_at: datetime
) -> None:
    """Record that another article has the given text."""
    values = {"text_id": text_id, "sites": sorted(sites)[:MAX_SITES], "seen_at": seen_at}
    session.execute(_TOUCH_TEXT, values)


def stories_of(session: Session, text_ids: Collection[int]) -> dict[int, int]:
    """Return the story ID of each given text, by text ID, without texts that do not exist."""
    if not text_ids:
        return {}
    rows = session.execute(_STORIES_OF, {"ids": sorted(text_ids)})
    return dict(rows.all())


_TEXTS_OF_STORIES = text("""
    SELECT id, story_id, key, octet_length(shingles) / 4, sites, cardinality(bands) > 0
    FROM story_texts WHERE story_id = ANY (CAST(:ids AS bigint[])) LIMIT :most
""").columns(key=LargeBinary)
_TEXTS = text("""
    SELECT id, story_id, key, octet_length(shingles) / 4, sites, cardinality(bands) > 0
    FROM story_texts WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id
""").columns(key=LargeBinary)
_OVERLAPS = rows_only(
    select(StoryOverlap.lower_id, StoryOverlap.higher_id, StoryOverlap.common)
    .where(or_(StoryOverlap.lower_id == any_(_IDS), StoryOverlap.higher_id == any_(_IDS)))
    .limit(bindparam("most"))
)


def texts_of_stories(session: Session, story_ids: Collection[int], most: int) -> list[GroupedText]:
    """Return at most ``most`` texts of the given stories."""
    rows = session.execute(_TEXTS_OF_STORIES, {"ids": list(story_ids), "most": most})
    return [GroupedText(*row) for row in rows]


def texts_with_ids(session: Session, text_ids: Collection[int]) -> list[GroupedText]:
    """Return the texts with the given IDs."""
    if not text_ids:
        return []
    return [GroupedText(*row) for row in session.execute(_TEXTS, {"ids": sorted(text_ids)})]


def overlaps_with(
    session: Session, text_ids: Collection[int], most: int
) -> dict[tuple[int, int], int]:
    """Return the overlaps of the given texts with any other texts, at most ``most`` pairs."""
    rows = session.execute(_OVERLAPS, {"ids": sorted(text_ids), "most": most})
    return {(lower, higher): common for lower, higher, common in rows}


_MOVE = text("UPDATE story_texts SET story_id = :story_id WHERE id = ANY (CAST(:ids AS bigint[]))")
_REMOVE_STORIES = text("""
    DELETE FROM stories WHERE id = ANY (CAST(:ids AS bigint[]))
        AND NOT EXISTS (SELECT FROM story_texts WHERE story_id = stories.id)
""")


def move_texts(session: Session, text_ids: Collection[int], story_id: int) -> None:
    """Move texts to another story."""
    session.execute(_MOVE, {"ids": sorted(text_ids), "story_id": story_id})


def remove_empty_stories(session: Session, story_ids: Collection[int]) -> None:
    """Delete the given stories that have no texts."""
    session.execute(_REMOVE_STORIES, {"ids": sorted(story_ids)})


_SITES_OF_ARTICLES = text("""
    SELECT site_id FROM pages JOIN story_articles ON page_id = pages.id
    WHERE text_id = :text_id LIMIT :most
""").bindparams(most=MAX_SITES)
_REMOVE_TEXTS = text("DELETE FROM story_texts WHERE id = ANY (CAST(:ids AS bigint[]))")
_SET_SITES = text("UPDATE story_texts SET sites = CAST(:sites AS bigint[]) WHERE id = :text_id")


def review_text(session: Session, text_id: int) -> None:
    """After an article has lost a text, update the text's sites, or delete an unused text."""
    sites = list(session.execute(_SITES_OF_ARTICLES, {"text_id": text_id}).scalars())
    if not sites:
        session.execute(_REMOVE_TEXTS, {"ids": [text_id]})
    elif len(sites) < MAX_SITES:
        session.execute(_SET_SITES, {"text_id": text_id, "sites": sorted(set(sites))})


_OLD = text("""
    SELECT old.id, story_texts.id
    FROM (
        SELECT id FROM stories WHERE changed_at <= now() - :window
        ORDER BY changed_at LIMIT :most
    ) AS old LEFT JOIN story_texts ON story_id = old.id
    LIMIT :most
""")


def remove_old_stories(session: Session, window: timedelta, most: int) -> int:
    """Delete stories with no new article within ``window``, and their texts.

    The story entries of articles remain. Call `lock_stories` first. Returns the number of rows
    processed, at most ``most``.
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
