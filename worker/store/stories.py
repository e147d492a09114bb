"""Article texts, their overlaps, and the stories into which they are grouped."""

import logging
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

logger = logging.getLogger(__name__)

MAX_OF_BAND = 50
"""Maximum number of texts examined per band: as many as are compared per story."""

MAX_CANDIDATES = 100
"""Maximum number of texts compared with a new text; those that share the most bands are used."""

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
    SELECT place, shared IS NULL, id, story_id, sites, shingles
    FROM found JOIN story_texts USING (id)
    ORDER BY place, shared DESC, key
""").columns(shingles=LargeBinary)


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
            found[place - 1] = LikeTexts(_known(row), [])
        else:
            found[place - 1].others.append(_known(row))
    return found


def _known(row: Any) -> KnownText:
    text_id, story_id, sites, shingles = row
    return KnownText(text_id, story_id, sites, unpacked(shingles, f"text {text_id}"))


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
    """A text to store; `common` has its overlaps by text ID. See `StoryText`."""

    story_id: int
    key: bytes
    shingles: np.ndarray[Any, np.dtype[np.uint32]]
    bands: Sequence[int]
    site_id: int
    seen_at: datetime
    common: Mapping[int, int] = {}


_ADD_STORIES = rows_only(insert(Story).returning(Story.id, sort_by_parameter_order=True))
_ADD_TEXTS = rows_only(insert(StoryText).returning(StoryText.id, sort_by_parameter_order=True))
_ADD_OVERLAPS = rows_only(insert(StoryOverlap))


def add_texts(session: Session, new: Sequence[NewText]) -> list[int]:
    """Store texts, and return their IDs."""
    rows = [
        {
            "story_id": each.story_id,
            "key": each.key,
            "shingles": packed(each.shingles),
            "bands": list(each.bands),
            "sites": [each.site_id],
            "seen_from": each.seen_at,
            "seen_to": each.seen_at,
        }
        for each in new
    ]
    text_ids = list(session.execute(_ADD_TEXTS, rows).scalars())
    overlaps = [
        {"lower_id": min(text_id, other), "higher_id": max(text_id, other), "common": number}
        for text_id, each in zip(text_ids, new, strict=True)
        for other, number in sorted(each.common.items())
    ]
    if overlaps:
        session.execute(_ADD_OVERLAPS, overlaps)
    return text_ids


def add_stories(session: Session, first_page_ids: Sequence[int | None]) -> list[int]:
    """Store stories without texts, one for each first page, and return their IDs."""
    rows = [{"first_page_id": each} for each in first_page_ids]
    return list(session.execute(_ADD_STORIES, rows).scalars())


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
    """Return the story ID of each given text that exists, by text ID."""
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
    return {text_id: unpacked(stored, f"text {text_id}") for text_id, stored in rows}
