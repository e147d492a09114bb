"""Extracted articles that are waiting to be grouped into stories."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, LargeBinary, exists, or_, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from detourage.duplicates.fingerprint import Fingerprint
from models.tables import Story, StoryArrival, StoryArticle, StoryText
from worker.store.database import BRIEF_LIMITS, AdvisoryLock
from worker.store.stories import packed, unpacked
from worker.store.story_articles import ArticleStory


@dataclass(frozen=True)
class Arrival:
    """An extracted article.

    `site` is the site key, and `wire` the news agency that the article names. `seen_at` is
    `fetched_at` or, if that is unknown, the time of extraction. `received_at`, which a crawler
    cannot backdate, determines which of two articles is the first of their story.
    """

    page_id: int
    site_id: int
    site: str
    url: str
    fingerprint: Fingerprint
    fetched_at: datetime | None
    seen_at: datetime
    received_at: datetime
    wire: str | None


class WaitingArticle(NamedTuple):
    """A page whose article is waiting (see `StoryArrival`), as read before any lock is taken.

    `arrival` is None if the page lost its article, and `before` the article's story so far.
    `newest` is the ID of the newest stored text at that time, or 0.
    """

    page_id: int
    arrived_at: datetime
    arrival: Arrival | None
    before: ArticleStory | None
    newest: int


_ADD = text("""
    WITH new AS (
        SELECT * FROM unnest(
            CAST(:page_ids AS bigint[]), CAST(:keys AS bytea[]), CAST(:shingles AS bytea[]),
            CAST(:fetched AS timestamptz[]), CAST(:seen AS timestamptz[]),
            CAST(:received AS timestamptz[]), CAST(:wires AS text[]), CAST(:told AS text[]),
            CAST(:are_sent AS boolean[]), CAST(:are_held_back AS boolean[])
        ) AS new (
            page_id, key, shingles, fetched_at, seen_at, received_at, wire, told, is_sent,
            is_held_back
        )
    ), arrived AS (
        INSERT INTO story_arrivals (
            page_id, key, shingles, fetched_at, seen_at, received_at, wire, arrived_at
        )
        SELECT page_id, key, shingles, fetched_at, seen_at, received_at, wire, clock_timestamp()
        FROM new
        ON CONFLICT (page_id) DO UPDATE SET
            (key, shingles, fetched_at, seen_at, received_at, wire, arrived_at) = (
                excluded.key, excluded.shingles, excluded.fetched_at, excluded.seen_at,
                excluded.received_at, excluded.wire, excluded.arrived_at
            )
        RETURNING page_id
    )
    INSERT INTO story_articles (
        page_id, key, fetched_at, received_at, wire, told, sent, is_held_back
    )
    SELECT page_id, key, fetched_at, received_at, wire, CAST(told AS jsonb),
        CASE WHEN is_sent THEN CAST(told AS jsonb) END, is_held_back
    -- Joined because the task that groups an article locks its arrival first, too.
    FROM new JOIN arrived USING (page_id)
    ON CONFLICT (page_id) DO UPDATE SET
        (sent, is_held_back) = (excluded.sent, excluded.is_held_back)
    WHERE excluded.sent IS NOT NULL
""")
_ADD_GONE = text("""
    INSERT INTO story_arrivals (page_id, arrived_at)
    SELECT page_id, clock_timestamp() FROM story_articles
    WHERE page_id = ANY (CAST(:ids AS bigint[]))
    ON CONFLICT (page_id) DO UPDATE SET key = NULL, shingles = NULL, fetched_at = NULL,
        seen_at = NULL, received_at = NULL, wire = NULL, arrived_at = excluded.arrived_at
""")


class NewArrival(NamedTuple):
    """An article to be grouped, with its story until then.

    `is_sent` is set if the page has a new revision, which contains this story, and `is_held_back`
    if that revision was held back as a repeat.
    """

    arrival: Arrival
    told: Mapping[str, Any]
    is_sent: bool
    is_held_back: bool


def add(session: Session, new: Collection[NewArrival]) -> None:
    """Enqueue articles to be grouped, and record their stories; their pages must be locked.

    The story of an article that has been grouped before changes only when it is grouped again.
    """
    if not new:
        return
    ordered = sorted(new, key=lambda each: each.arrival.page_id)
    arrivals = [each.arrival for each in ordered]
    values = {
        "page_ids": [each.page_id for each in arrivals],
        "keys": [each.fingerprint.key for each in arrivals],
        "shingles": [packed(each.fingerprint.shingles) for each in arrivals],
        "fetched": [each.fetched_at for each in arrivals],
        "seen": [each.seen_at for each in arrivals],
        "received": [each.received_at for each in arrivals],
        "wires": [each.wire for each in arrivals],
        "told": [json.dumps(each.told) for each in ordered],
        "are_sent": [each.is_sent for each in ordered],
        "are_held_back": [each.is_held_back for each in ordered],
    }
    session.execute(_ADD, values)


def add_gone(session: Session, page_ids: Collection[int]) -> bool:
    """Enqueue locked pages that lost their articles; return whether any article had a story."""
    if not page_ids:
        return False
    noted: Any = session.execute(_ADD_GONE, {"ids": sorted(page_ids)})
    return bool(noted.rowcount)


_LOAD = """
    SELECT (SELECT coalesce(max(id), 0) FROM story_texts) AS newest,
        page_id, arrived_at, site_id, sites.key AS site_key, url, story_arrivals.key, shingles,
        story_arrivals.fetched_at, seen_at, story_arrivals.received_at, story_arrivals.wire,
        story_articles.page_id IS NOT NULL AS is_known, text_id, story_articles.key AS told_key,
        story_articles.fetched_at AS told_fetched_at,
        story_articles.received_at AS told_received_at, story_articles.wire AS told_wire, told,
        is_held_back
    FROM story_arrivals
    JOIN pages ON pages.id = page_id
    JOIN sites ON sites.id = site_id
    LEFT JOIN story_articles USING (page_id)
    WHERE
"""
_TYPES = {"key": LargeBinary, "shingles": LargeBinary, "told_key": LargeBinary}
_LOAD_NEXT = text(f"{_LOAD} page_id > :after ORDER BY page_id LIMIT :most").columns(**_TYPES)
_LOAD_ONE = text(f"{_LOAD} page_id = :page_id").columns(**_TYPES)
_LOCK = text(f"""
    WITH locked AS MATERIALIZED (
        SELECT page_id FROM story_arrivals
        JOIN unnest(CAST(:ids AS bigint[]), CAST(:times AS timestamptz[]))
            AS asked (page_id, arrived_at) USING (page_id, arrived_at)
        ORDER BY page_id FOR UPDATE OF story_arrivals SKIP LOCKED
    ), limits AS MATERIALIZED ({BRIEF_LIMITS})
    SELECT ids, pg_advisory_xact_lock(:lock, 0)
    FROM (SELECT array_agg(page_id) AS ids FROM locked) AS found, limits
    WHERE ids IS NOT NULL
""").bindparams(lock=AdvisoryLock.STORIES.value)  # noqa: S608
_REMOVE = text("DELETE FROM story_arrivals WHERE page_id = ANY (CAST(:ids AS bigint[]))")
_ARE_WAITING = text("""
    SELECT EXISTS (SELECT FROM story_arrivals)
        OR EXISTS (SELECT FROM stories WHERE retold_to IS NOT NULL)
""")


def load_next(session: Session, after: int, most: int) -> list[WaitingArticle]:
    """Return the next waiting articles, by page ID, of the pages ``after`` the given one."""
    rows = session.execute(_LOAD_NEXT, {"after": after, "most": most})
    return [_waiting(*row) for row in rows]


def load(session: Session, page_id: int) -> WaitingArticle | None:
    """Return the waiting article of a page, if any."""
    row = session.execute(_LOAD_ONE, {"page_id": page_id}).one_or_none()
    return None if row is None else _waiting(*row)


def _waiting(
    newest: int,
    page_id: int,
    arrived_at: datetime,
    site_id: int,
    site_key: str,
    url: str,
    key: bytes | None,
    shingles: bytes | None,
    fetched_at: datetime | None,
    seen_at: datetime | None,
    received_at: datetime | None,
    wire: str | None,
    is_known: bool,
    *before: Any,
) -> WaitingArticle:
    arrival = None
    if key and shingles is not None and seen_at is not None and received_at is not None:
        known = Fingerprint(key, unpacked(shingles, f"page {page_id}"))
        arrival = Arrival(
            page_id, site_id, site_key, url, known, fetched_at, seen_at, received_at, wire
        )
    return WaitingArticle(
        page_id, arrived_at, arrival, ArticleStory(*before) if is_known else None, newest
    )


def lock(session: Session, waiting: Collection[WaitingArticle]) -> set[int]:
    """Try to lock waiting articles, then lock all stories; return the IDs of the articles' pages.

    Articles that another transaction has locked or replaced are skipped. If none is left, the
    stories are not locked. They are locked last, and like by `worker.store.stories.lock_stories`,
    since their holder must never wait for an extraction.
    """
    asked = {
        "ids": [each.page_id for each in waiting],
        "times": [each.arrived_at for each in waiting],
    }
    row = session.execute(_LOCK, asked).one_or_none()
    return set() if row is None else set(row.ids)


_TELL_UNRELATED = text("""
    WITH new AS MATERIALIZED (
        SELECT asked.*
        FROM unnest(
            CAST(:page_ids AS bigint[]), CAST(:site_ids AS bigint[]), CAST(:keys AS bytea[]),
            CAST(:shingles AS bytea[]), CAST(:seen AS timestamptz[]),
            CAST(:fetched AS timestamptz[]), CAST(:received AS timestamptz[]),
            CAST(:wires AS text[]), CAST(:told AS text[])
        ) WITH ORDINALITY AS asked (
            page_id, site_id, key, shingles, seen_at, fetched_at, received_at, wire, told, place
        )
        -- A newer text may be one that they repeat.
        WHERE :newest = (SELECT coalesce(max(id), 0) FROM story_texts)
    ), added_stories AS (
        INSERT INTO stories (first_page_id)
        SELECT page_id FROM new WHERE shingles IS NOT NULL ORDER BY place
        RETURNING id, first_page_id
    ), added_texts AS (
        INSERT INTO story_texts (
            story_id, key, shingles, bands, sites, seen_from, seen_to, received_at
        )
        SELECT added_stories.id, key, shingles,
            ARRAY(SELECT unnest((CAST(:bands AS integer[]))[place:place])),
            ARRAY[site_id], seen_at, seen_at, received_at
        FROM new JOIN added_stories ON first_page_id = page_id
        ORDER BY place
        RETURNING id, story_id
    ), told AS (
        INSERT INTO story_articles (page_id, text_id, key, fetched_at, received_at, wire, told)
        SELECT page_id, added_texts.id, key, fetched_at, received_at, wire, CAST(told AS jsonb)
        FROM new
        LEFT JOIN added_stories ON first_page_id = page_id
        LEFT JOIN added_texts ON story_id = added_stories.id
        ON CONFLICT (page_id) DO UPDATE SET
            (text_id, key, fetched_at, received_at, wire, told) = (
                excluded.text_id, excluded.key, excluded.fetched_at, excluded.received_at,
                excluded.wire, excluded.told
            )
        RETURNING page_id
    )
    DELETE FROM story_arrivals USING told
    WHERE story_arrivals.page_id = told.page_id
    RETURNING story_arrivals.page_id
""")


def tell_unrelated(
    session: Session, new: Sequence[tuple[Arrival, Mapping[str, Any]]], newest: int
) -> set[int]:
    """Store articles that repeat no text, each with its story, and end their wait.

    Each comparable text gets a story of its own. The articles and the stories must be locked.
    Returns the IDs of their pages, or nothing if there is a newer text than ``newest``.
    """
    # The bands are addressed by place, and only comparable texts are stored with bands.
    ordered = sorted(new, key=lambda each: not each[0].fingerprint.is_comparable)
    arrivals = [arrival for arrival, _ in ordered]
    comparable = [each.fingerprint for each in arrivals if each.fingerprint.is_comparable]
    values = {
        "page_ids": [each.page_id for each in arrivals],
        "site_ids": [each.site_id for each in arrivals],
        "keys": [each.fingerprint.key for each in arrivals],
        "shingles": [
            packed(each.fingerprint.shingles) if each.fingerprint.is_comparable else None
            for each in arrivals
        ],
        "bands": [each.bands.tolist() for each in comparable],
        "seen": [each.seen_at for each in arrivals],
        "fetched": [each.fetched_at for each in arrivals],
        "received": [each.received_at for each in arrivals],
        "wires": [each.wire for each in arrivals],
        "told": [json.dumps(told) for _, told in ordered],
        "newest": newest,
    }
    return set(session.execute(_TELL_UNRELATED, values).scalars())


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
