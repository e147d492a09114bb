"""Article texts, and the stories into which they are grouped."""

import logging
from collections.abc import Collection, Iterable, Sequence
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
    select,
    text,
)
from sqlalchemy.orm import Session

from models.tables import Story, StoryText
from worker.store.database import AdvisoryLock, lock_briefly, rows_only

logger = logging.getLogger(__name__)

MAX_OF_BAND = 50
"""Maximum number of texts examined per band: as many as are compared per story."""

MAX_CANDIDATES = 100
"""Maximum number of texts compared with a new text; those that share the most bands are used."""

MAX_SITES = 100
"""Maximum number of sites stored per text."""


class KnownText(NamedTuple):
    """A text with its shingles; see `StoryText`."""

    id: int
    story_id: int
    key: bytes
    sites: list[int]
    received_at: datetime
    shingles: np.ndarray[Any, np.dtype[np.uint32]]


def lock_stories(session: Session) -> None:
    """Prevent concurrent grouping until the end of the transaction, which must be short.

    Articles grouped concurrently would not see each other.
    """
    lock_briefly(session, AdvisoryLock.STORIES)


_IDS = bindparam("ids", type_=ARRAY(BigInteger))
_LIKE = text("""
    WITH asked AS MATERIALIZED (
        SELECT * FROM unnest(CAST(:keys AS bytea[]), CAST(:seen AS timestamptz[]))
            WITH ORDINALITY AS asked (key, seen_at, place)
    ), same AS MATERIALIZED (
        SELECT place, found.id FROM asked CROSS JOIN LATERAL (
            SELECT id FROM story_texts
            WHERE key = asked.key
                AND seen_from <= seen_at + :window AND seen_to >= seen_at - :window
            ORDER BY id LIMIT 1
        ) AS found
    ), found AS (
        SELECT place, id, NULL AS shared FROM same
        UNION ALL
        SELECT place, nearest.* FROM asked CROSS JOIN LATERAL (
            -- Band by band, since the planner overestimates an array overlap and reads all texts.
            SELECT with_band.id, count(*) AS shared
            FROM unnest((CAST(:bands AS integer[]))[place:place]) AS own (band) CROSS JOIN LATERAL (
                SELECT id, key FROM story_texts
                WHERE bands @> ARRAY[own.band]
                    AND seen_from <= seen_at + :window AND seen_to >= seen_at - :window
                LIMIT :max_of_band
            ) AS with_band
            GROUP BY with_band.id, with_band.key
            ORDER BY shared DESC, with_band.key LIMIT :max_candidates
        ) AS nearest
        WHERE place NOT IN (SELECT place FROM same)
    )
    SELECT place, shared IS NULL, id, story_id, key, sites, received_at, shingles
    FROM found JOIN story_texts USING (id)
    ORDER BY place, shared DESC, key
""").columns(key=LargeBinary, shingles=LargeBinary)


class AskedText(NamedTuple):
    """A text to search for; all have the same number of bands."""

    key: bytes
    bands: Sequence[int]
    seen_at: datetime


class LikeTexts(NamedTuple):
    """The stored text with the same key or, if there is none, the texts that share any bands.

    Those that share the most come first.
    """

    same: KnownText | None
    others: list[KnownText]


def texts_like(session: Session, wanted: Sequence[AskedText], window: timedelta) -> list[LikeTexts]:
    """Return, for each text, the texts like it that were seen within ``window`` of its time."""
    keys, bands, seen = zip(*wanted, strict=True)
    asked = {"keys": list(keys), "bands": [list(each) for each in bands], "seen": list(seen)}
    most = {"window": window, "max_of_band": MAX_OF_BAND, "max_candidates": MAX_CANDIDATES}
    found = [LikeTexts(None, []) for _ in wanted]
    for place, is_same, *row in session.execute(_LIKE, asked | most):
        if is_same:
            found[place - 1] = LikeTexts(known_text(row), [])
        else:
            found[place - 1].others.append(known_text(row))
    return found


def known_text(row: Any) -> KnownText:
    """Return the text of a row with the columns of `KnownText`."""
    return KnownText._make([*row[:-1], unpacked(row[-1], f"text {row[0]}")])


def packed(shingles: np.ndarray[Any, np.dtype[np.uint32]]) -> bytes:
    """Return shingles in their stored form."""
    return shingles.astype("<u4").tobytes()


def unpacked(stored: bytes, of: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return stored shingles as an array; a text with damaged shingles is like no other."""
    shingles = np.frombuffer(stored[: len(stored) // 4 * 4], dtype="<u4")
    if len(stored) % 4 or (shingles[1:] <= shingles[:-1]).any():
        logger.error("the shingles of %s are damaged: it is compared with no other", of)
        return np.empty(0, np.uint32)
    return shingles.astype(np.uint32, copy=False)


class NewText(NamedTuple):
    """A text to store; see `StoryText`."""

    story_id: int
    key: bytes
    shingles: np.ndarray[Any, np.dtype[np.uint32]]
    bands: Sequence[int]
    site_id: int
    seen_at: datetime
    received_at: datetime


_ADD_STORIES = rows_only(insert(Story).returning(Story.id, sort_by_parameter_order=True))
_ADD_TEXT = rows_only(insert(StoryText).returning(StoryText.id))


def add_text(session: Session, new: NewText) -> int:
    """Store a text, and return its ID."""
    row = {
        "story_id": new.story_id,
        "key": new.key,
        "shingles": packed(new.shingles),
        "bands": list(new.bands),
        "sites": [new.site_id],
        "seen_from": new.seen_at,
        "seen_to": new.seen_at,
        "received_at": new.received_at,
    }
    return session.execute(_ADD_TEXT, row).scalar_one()


def add_stories(session: Session, first_page_ids: Sequence[int | None]) -> list[int]:
    """Store stories without texts, one for each first page, and return their IDs."""
    rows = [{"first_page_id": each} for each in first_page_ids]
    return list(session.execute(_ADD_STORIES, rows).scalars())


_NEWEST = rows_only(select(func.max(StoryText.id)))


def newest_text(session: Session) -> int:
    """Return the ID of the newest text, or 0 if there is none."""
    return session.scalar(_NEWEST) or 0


_TOUCH_TEXT = text("""
    UPDATE story_texts SET sites = CAST(:sites AS bigint[]),
        seen_from = least(seen_from, :seen_at), seen_to = greatest(seen_to, :seen_at),
        received_at = least(received_at, :received_at)
    WHERE id = :text_id
""")
_STORIES_OF = rows_only(select(StoryText.id, StoryText.story_id).where(StoryText.id == any_(_IDS)))


def touch_text(session: Session, same: KnownText, new: NewText) -> None:
    """Record that another article has the given text."""
    sites = [same.sites[0], new.site_id, *same.sites[1:]]
    if new.received_at < same.received_at:
        sites = [new.site_id, *same.sites]
    values = {
        "text_id": same.id,
        "sites": list(dict.fromkeys(sites))[:MAX_SITES],
        "seen_at": new.seen_at,
        "received_at": new.received_at,
    }
    session.execute(_TOUCH_TEXT, values)


def stories_of(session: Session, text_ids: Collection[int]) -> dict[int, int]:
    """Return the story ID of each given text that exists, by text ID."""
    if not text_ids:
        return {}
    rows = session.execute(_STORIES_OF, {"ids": sorted(text_ids)})
    return dict(rows.all())


_TEXTS_OF_STORIES = text("""
    SELECT oldest.id, story_id, key, sites, received_at, shingles
    FROM unnest(CAST(:ids AS bigint[])) AS story (id) CROSS JOIN LATERAL (
        SELECT * FROM story_texts WHERE story_id = story.id ORDER BY received_at, key LIMIT :most
    ) AS oldest
    ORDER BY received_at, key LIMIT :most
""").columns(key=LargeBinary, shingles=LargeBinary)


def texts_of_stories(session: Session, story_ids: Collection[int], most: int) -> list[KnownText]:
    """Return the oldest texts of the given stories, at most ``most``."""
    rows = session.execute(_TEXTS_OF_STORIES, {"ids": sorted(story_ids), "most": most})
    return [known_text(row) for row in rows]


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


_REMOVE_TEXTS = text("DELETE FROM story_texts WHERE id = ANY (CAST(:ids AS bigint[]))")
_REMOVE_STORY = text("DELETE FROM stories WHERE id = :story_id")


def remove_story(session: Session, story_id: int) -> None:
    """Delete a story with its texts."""
    session.execute(_REMOVE_STORY, {"story_id": story_id})


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
    return {text_id: unpacked(stored, f"text {text_id}") for text_id, stored in rows}
