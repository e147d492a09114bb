"""Events (groups of articles on the same news, in different words), and their term counts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    and_,
    exists,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from detourage import messages
from models.tables import Event as EventRow
from models.tables import (
    EventArrival,
    EventArticle,
    EventTermCounts,
    StoredPage,
    StoryArrival,
)
from worker.events.clustering import (
    WEIGHT,
    Event,
    TermCounts,
    Weights,
    independent_sources,
    no_counts,
)
from worker.events.terms import TERM, Terms
from worker.store.database import lock_briefly, rows_only
from worker.store.locks import AdvisoryLock
from worker.store.pages import has_article

MAX_OF_TERM: Final = 50
"""Maximum number of events examined per term, separately for events with one and more sources."""

MAX_CANDIDATES: Final = 16
"""Maximum number of events compared with an article; those that share the most terms are used."""

MAX_SOURCES: Final = 32
"""Maximum number of sources that contribute to the centroid of an event."""

MAX_COUNTED: Final = 500
"""Maximum number of articles of an event that are counted for its sources."""


@dataclass(frozen=True)
class Arrival:
    """An extracted article whose event is to be decided.

    `key` is the key of the text's fingerprint. `seen_at` is `fetched_at` or, if that is unknown,
    the time of extraction.
    """

    page_id: int
    site_id: int
    site: str
    url: str
    language: str
    key: bytes
    terms: Terms
    fetched_at: datetime | None
    seen_at: datetime


class ArticleEvent(NamedTuple):
    """The event of a page's article; see `EventArticle`."""

    event_id: int | None
    key: bytes
    told: UUID


class KnownEvent(NamedTuple):
    """An event with its identity and earliest known fetch time."""

    id: int
    identity: UUID
    first_seen: datetime | None


def lock_events(session: Session) -> None:
    """Prevent concurrent decisions until the end of the transaction, which must be short."""
    lock_briefly(session, AdvisoryLock.EVENTS)


_COUNTS = text("""
    SELECT documents, counts, sites FROM event_term_counts WHERE language = :language
""").columns(counts=LargeBinary)


def term_counts(session: Session, language: str) -> TermCounts:
    """Return the term counts of a language."""
    row = session.execute(_COUNTS, {"language": language}).one_or_none()
    if row is None:
        return no_counts()
    documents, counts, sites = row
    return TermCounts(documents, np.frombuffer(counts, dtype="<u2"), tuple(sites))


def save_term_counts(session: Session, language: str, counts: TermCounts) -> None:
    """Store the term counts of a language."""
    values = {
        "documents": counts.documents,
        "counts": counts.counts.astype("<u2").tobytes(),
        "sites": list(counts.sites),
    }
    session.execute(
        upsert(EventTermCounts)
        .values(language=language, **values)
        .on_conflict_do_update(index_elements=[EventTermCounts.language], set_=values)
    )


_CANDIDATES = text("""
    SELECT id, centroid, sites
    FROM (
        -- Term by term, since the planner overestimates an array overlap and reads all events.
        SELECT with_term.id, count(*) AS shared
        FROM unnest(CAST(:terms AS integer[])) AS asked (term) CROSS JOIN LATERAL (
            (SELECT id FROM events
             WHERE terms @> ARRAY[asked.term] AND cardinality(sites) > 1
                AND language = :language AND seen_from <= :latest AND seen_to >= :earliest
             LIMIT :max_of_term)
            UNION ALL
            (SELECT id FROM events
             WHERE terms @> ARRAY[asked.term] AND cardinality(sites) = 1
                AND language = :language AND seen_from <= :latest AND seen_to >= :earliest
             LIMIT :max_of_term)
        ) AS with_term
        GROUP BY with_term.id ORDER BY shared DESC, with_term.id LIMIT :max_candidates
    ) AS nearest JOIN events USING (id)
    WHERE centroid IS NOT NULL
""").columns(centroid=LargeBinary)


def events_like(
    session: Session, arrival: Arrival, terms: Sequence[int], window: timedelta
) -> list[Event]:
    """Return the events with which an article is compared, by its leading terms."""
    asked = {
        "terms": list(terms),
        "language": arrival.language,
        "earliest": arrival.seen_at - window,
        "latest": arrival.seen_at + window,
        "max_of_term": MAX_OF_TERM,
        "max_candidates": MAX_CANDIDATES,
    }
    return [_event(row) for row in session.execute(_CANDIDATES, asked)]


_OPEN_EVENT = text("""
    SELECT id, centroid, sites FROM events WHERE id = :event_id AND centroid IS NOT NULL
""").columns(centroid=LargeBinary)


def open_event(session: Session, event_id: int) -> Event | None:
    """Return an event, or None if it is closed."""
    row = session.execute(_OPEN_EVENT, {"event_id": event_id}).one_or_none()
    return None if row is None else _event(row)


def _event(row: Any) -> Event:
    event_id, centroid, sites = row
    return Event(event_id, np.frombuffer(centroid, dtype=WEIGHT), frozenset(sites))


_KNOWN_EVENT = text("SELECT id, identity, first_seen FROM events WHERE id = :event_id")


def known_event(session: Session, event_id: int) -> KnownEvent | None:
    """Return an event's identity and first time, or None if it no longer exists."""
    row = session.execute(_KNOWN_EVENT, {"event_id": event_id}).one_or_none()
    return None if row is None else KnownEvent(*row)


_ADD_EVENT = rows_only(insert(EventRow).returning(EventRow.id))


def add_event(
    session: Session, arrival: Arrival, identity: UUID, weights: Weights, terms: Sequence[int]
) -> int:
    """Store a new event with its first article, and return its ID."""
    values = {
        "identity": identity,
        "language": arrival.language,
        "first_seen": arrival.fetched_at,
        "seen_from": arrival.seen_at,
        "seen_to": arrival.seen_at,
        "sites": [arrival.site_id],
        "terms": list(terms),
        "centroid": weights.tobytes(),
    }
    return int(session.execute(_ADD_EVENT, values).scalar_one())


_NOTE_SEEN = text("""
    UPDATE events SET first_seen = least(first_seen, :fetched_at)
    WHERE id = :event_id AND first_seen IS DISTINCT FROM least(first_seen, :fetched_at)
""")
_ADD_SOURCE = text("""
    UPDATE events SET centroid = :centroid, terms = CAST(:terms AS integer[]),
        sites = sites || CAST(:site_id AS bigint), changed_at = now(),
        first_seen = least(first_seen, :fetched_at),
        seen_from = least(seen_from, :seen_at), seen_to = greatest(seen_to, :seen_at)
    WHERE id = :event_id
""")


def note_seen(session: Session, event_id: int, fetched_at: datetime | None) -> None:
    """Record the fetch time of another article of an event."""
    session.execute(_NOTE_SEEN, {"event_id": event_id, "fetched_at": fetched_at})


def add_source(
    session: Session, event_id: int, arrival: Arrival, centroid: Weights, terms: Sequence[int]
) -> None:
    """Store an event's centroid after another independent source was added."""
    values = {
        "event_id": event_id,
        "centroid": centroid.tobytes(),
        "terms": list(terms),
        "site_id": arrival.site_id,
        "seen_at": arrival.seen_at,
        "fetched_at": arrival.fetched_at,
    }
    session.execute(_ADD_SOURCE, values)


_SOURCES = text("""
    SELECT DISTINCT site_id, coalesce(story_articles.told ->> 'id', url),
        page_id = :page_id AS is_own
    FROM (
        (SELECT page_id FROM event_articles
         WHERE event_id = :event_id AND page_id <> :page_id ORDER BY page_id LIMIT :most)
        UNION ALL SELECT CAST(:page_id AS bigint)
    ) AS own JOIN pages ON pages.id = page_id LEFT JOIN story_articles USING (page_id)
""").bindparams(most=MAX_COUNTED)


def sources_of(
    session: Session, event_id: int, page_id: int
) -> tuple[set[tuple[int, str]], set[tuple[int, str]]]:
    """Return the sites and stories of an event's other articles, and those of a page's article."""
    others, own = set[tuple[int, str]](), set[tuple[int, str]]()
    for site_id, story, is_own in session.execute(
        _SOURCES, {"event_id": event_id, "page_id": page_id}
    ):
        (own if is_own else others).add((site_id, story))
    return others, own


_OF_PAGES = text("""
    SELECT page_id, event_id, key, told FROM event_articles
    WHERE page_id = ANY (CAST(:ids AS bigint[]))
""").columns(key=LargeBinary)


def events_of_pages(session: Session, page_ids: Collection[int]) -> dict[int, ArticleEvent]:
    """Return the events of the pages' articles, by page ID."""
    rows = session.execute(_OF_PAGES, {"ids": sorted(page_ids)})
    return {page_id: ArticleEvent(*rest) for page_id, *rest in rows}


def current_event(session: Session, page_id: int) -> messages.Event | None:
    """Return the event of a page's article with its current number of sources, if decided."""
    told = events_of_pages(session, [page_id]).get(page_id)
    known = None
    if told is not None and told.event_id is not None:
        known = known_event(session, told.event_id)
    if known is None:
        return None
    others, own = sources_of(session, known.id, page_id)
    return messages.Event(
        id=str(known.identity),
        first_seen=known.first_seen,
        sources=independent_sources(others | own),
    )


_OTHERS = text("""
    SELECT other.page_id, url
    FROM event_articles AS own
    JOIN event_articles AS other ON other.event_id = own.event_id AND other.page_id <> own.page_id
    JOIN pages ON pages.id = other.page_id
    WHERE own.page_id = :page_id ORDER BY other.page_id LIMIT :most
""")


def other_articles(session: Session, page_id: int, most: int) -> list[tuple[int, str]]:
    """Return page ID and URL of other articles of the event that a page's article reports."""
    rows = session.execute(_OTHERS, {"page_id": page_id, "most": most})
    return [(other, url) for other, url in rows]


_ADDING = upsert(EventArrival).values(arrived_at=func.clock_timestamp())
_ADD = rows_only(
    _ADDING.on_conflict_do_update(
        index_elements=[EventArrival.page_id],
        set_={
            name: _ADDING.excluded[name]
            for name in ("language", "key", "terms", "fetched_at", "seen_at", "arrived_at")
        },
    )
    # Without RETURNING, SQLAlchemy sends an upsert once per row.
    .returning(EventArrival.page_id)
)
_ADD_ARTICLE = rows_only(
    upsert(EventArticle).on_conflict_do_nothing().returning(EventArticle.page_id)
)


def add(session: Session, arrivals: Collection[Arrival], provisional: Mapping[int, UUID]) -> None:
    """Enqueue articles, whose pages must be locked, and record their provisional events.

    `provisional` has the events' identities by page ID.
    """
    ordered = sorted(arrivals, key=lambda each: each.page_id)
    session.execute(
        _ADD_ARTICLE,
        [
            {"page_id": each.page_id, "key": each.key, "told": provisional[each.page_id]}
            for each in ordered
        ],
    )
    session.execute(
        _ADD,
        [
            {
                "page_id": each.page_id,
                "language": each.language,
                "key": each.key,
                "terms": each.terms.tobytes(),
                "fetched_at": each.fetched_at,
                "seen_at": each.seen_at,
            }
            for each in ordered
        ],
    )


_FORGET = text("""
    WITH arrivals AS (DELETE FROM event_arrivals WHERE page_id = ANY (CAST(:ids AS bigint[])))
    DELETE FROM event_articles WHERE page_id = ANY (CAST(:ids AS bigint[]))
""")


def forget(session: Session, page_ids: Collection[int]) -> None:
    """Remove locked pages without articles from their events."""
    if page_ids:
        session.execute(_FORGET, {"ids": sorted(page_ids)})


_WAITING = rows_only(
    select(EventArrival.page_id)
    .where(EventArrival.page_id.not_in(select(StoryArrival.page_id)))
    .order_by(EventArrival.seen_at, EventArrival.key, EventArrival.page_id)
)
_TAKE = text("""
    SELECT page_id, site_id, sites.key AS site, url, language, event_arrivals.key, terms,
        event_arrivals.fetched_at, seen_at
    FROM event_arrivals
    JOIN pages ON pages.id = page_id
    JOIN sites ON sites.id = site_id
    WHERE page_id = :page_id
    FOR UPDATE OF event_arrivals SKIP LOCKED
""").columns(key=LargeBinary, terms=LargeBinary)


def waiting(session: Session, most: int) -> Sequence[int]:
    """Return the IDs of pages whose articles' stories are known and whose events are not.

    They are ordered by the time at which the articles were seen.
    """
    return session.execute(_WAITING.limit(most)).scalars().all()


def are_waiting(session: Session) -> bool:
    """Return whether any article is waiting for its event to be decided."""
    return bool(waiting(session, 1))


def take(session: Session, page_id: int) -> Arrival | None:
    """Lock the waiting article of a page; return None if another transaction has locked it."""
    row = session.execute(_TAKE, {"page_id": page_id}).one_or_none()
    if row is None:
        return None
    page_id, site_id, site, url, language, key, terms, fetched_at, seen_at = row
    known = np.frombuffer(terms, dtype=TERM)
    return Arrival(page_id, site_id, site, url, language, key, known, fetched_at, seen_at)


_DECIDE = text("""
    WITH decided AS (DELETE FROM event_arrivals WHERE page_id = :page_id)
    UPDATE event_articles SET event_id = :event_id, key = :key,
        told = (SELECT identity FROM events WHERE id = :event_id)
    WHERE page_id = :page_id
""")
_REMOVE_ARRIVAL = text("DELETE FROM event_arrivals WHERE page_id = :page_id")


def decide(session: Session, arrival: Arrival, event_id: int) -> None:
    """Record the event of a waiting article, which then no longer waits."""
    values = {"event_id": event_id, "key": arrival.key, "page_id": arrival.page_id}
    session.execute(_DECIDE, values)


def remove_arrival(session: Session, page_id: int) -> None:
    """Remove the waiting article of a page."""
    session.execute(_REMOVE_ARRIVAL, {"page_id": page_id})


_OLD = text("""
    SELECT id FROM events WHERE centroid IS NOT NULL AND changed_at <= now() - :window
    ORDER BY changed_at LIMIT :most
""")
_REMOVE = text("""
    DELETE FROM events WHERE id = ANY (CAST(:ids AS bigint[]))
        AND NOT EXISTS (SELECT FROM event_articles WHERE event_id = events.id)
""")
_CLOSE = text("""
    UPDATE events SET centroid = NULL, terms = '{}' WHERE id = ANY (CAST(:ids AS bigint[]))
""")


def close_old_events(session: Session, window: timedelta, most: int) -> int:
    """Close events with no new source within ``window``; delete those without articles.

    A closed event keeps its articles, but no new articles join it. Call `lock_events` first.
    Returns the number of events closed, at most ``most``.
    """
    ids = list(session.execute(_OLD, {"window": window, "most": most}).scalars())
    remove_empty(session, ids)
    session.execute(_CLOSE, {"ids": ids})
    return len(ids)


def remove_empty(session: Session, event_ids: Collection[int]) -> None:
    """Delete the given events that have no articles."""
    session.execute(_REMOVE, {"ids": sorted(event_ids)})


_NOTE_SENT = text("""
    UPDATE event_articles SET sent = given.event
    FROM unnest(CAST(:pages AS bigint[]), CAST(:events AS uuid[])) AS given (page_id, event)
    WHERE event_articles.page_id = given.page_id
""")


def note_sent(session: Session, sent: Mapping[int, str]) -> None:
    """Record the events in the latest revisions, by page ID."""
    if sent:
        session.execute(_NOTE_SENT, {"pages": list(sent), "events": list(sent.values())})


def is_told_otherwise() -> ColumnElement[bool]:
    """Condition: the event in an article's latest revision is not the one decided."""
    is_waiting = exists().where(EventArrival.page_id == EventArticle.page_id)
    return and_(EventArticle.sent != EventArticle.told, ~is_waiting)


def pages_to_correct(session: Session, limit: int) -> list[int]:
    """Return the IDs of pages whose latest revision has an outdated event."""
    return list(
        session.scalars(
            select(EventArticle.page_id)
            .join(StoredPage, StoredPage.id == EventArticle.page_id)
            .where(is_told_otherwise(), has_article())
            .order_by(EventArticle.page_id)
            .limit(limit)
        )
    )
