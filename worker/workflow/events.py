"""Events of articles, which are looked up during extraction and decided later in a fixed order.

During extraction, the event that an article reports is looked up without a lock, for its message.
The task that groups articles into stories later decides the events, one article at a time.
"""

import logging
import time
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from sqlalchemy.orm import Session

from detourage import messages
from detourage.html import site_name
from worker.events.clustering import (
    Event,
    TermCounts,
    Weights,
    event_of,
    independent_sources,
    leading_terms,
    with_article,
)
from worker.store import events
from worker.store.database import is_connection_lost
from worker.store.events import MAX_SOURCES, Arrival, ArticleEvent
from worker.workflow.process import ProcessState

logger = logging.getLogger(__name__)

DECIDED_AT_ONCE: Final = 500
"""Maximum number of articles whose events are decided per task."""

CLOSED_AT_ONCE: Final = 100
"""Maximum number of old events closed per transaction, which blocks decisions meanwhile."""

_EVENTS = uuid5(NAMESPACE_URL, "detourage:events")


class _Choice(NamedTuple):
    """The event that an article joins (None if it starts one), and the basis for this choice."""

    event: Event | None
    weights: Weights
    terms: list[int]
    counts: TermCounts


def provisional_events(
    session: Session, arrivals: Collection[Arrival], stories: Mapping[int, str], window: timedelta
) -> dict[int, messages.Event]:
    """Return the provisional events of articles by page ID, and enqueue the decisions.

    The pages must be locked, and the grouping of their articles into stories requested. `stories`
    has the articles' stories by page ID.
    """
    if not arrivals:
        return {}
    known = events.events_of_pages(session, [each.page_id for each in arrivals])
    # Counts do not change during the lookups, and take 32 kB.
    counts = {
        language: events.term_counts(session, language)
        for language in sorted({each.language for each in arrivals})
    }
    found = {
        each.page_id: _look_up(
            session,
            each,
            stories[each.page_id],
            known.get(each.page_id),
            counts[each.language],
            window,
        )
        for each in arrivals
    }
    events.add(session, arrivals, {page_id: UUID(each.id) for page_id, each in found.items()})
    return found


def decide_waiting(state: ProcessState, ends: float) -> None:
    """Decide the events of waiting articles, until the monotonic time `ends`.

    Only one process may do so at a time.
    """
    for page_id in state.database.run(lambda session: events.waiting(session, DECIDED_AT_ONCE)):
        _decide_alone(state, page_id)
        if time.monotonic() > ends:
            break


def close_old_events(state: ProcessState) -> None:
    """Close events that no article can join any more."""

    def close(session: Session) -> int:
        events.lock_events(session)
        return events.close_old_events(session, state.event_window, CLOSED_AT_ONCE)

    while state.database.run(close) == CLOSED_AT_ONCE:
        pass


def _decide_alone(state: ProcessState, page_id: int) -> None:
    try:
        state.database.run(lambda session: decide(session, page_id, state.event_window))
    except Exception as error:
        if is_connection_lost(error):
            raise
        # A bug triggered by one article must not prevent decisions on others.
        logger.exception("the event of page %d could not be decided; it has none", page_id)
        state.database.run(lambda session: events.remove_arrival(session, page_id))


def decide(session: Session, page_id: int, window: timedelta) -> None:
    """Decide the event of a page's waiting article."""
    arrival = events.take(session, page_id)
    if arrival is None:
        return
    events.lock_events(session)
    former = events.events_of_pages(session, [page_id]).get(page_id)
    event_id = _kept(session, arrival, former)
    if event_id is None:
        counts = events.term_counts(session, arrival.language)
        event_id = _join(
            session, arrival, _choose(session, arrival, former, counts, window), former
        )
    else:
        events.note_seen(session, event_id, arrival.fetched_at)
    events.decide(session, arrival, event_id)
    if former is not None and former.event_id not in (None, event_id):
        events.remove_empty(session, [former.event_id])


def _kept(session: Session, arrival: Arrival, former: ArticleEvent | None) -> int | None:
    """Return the event of an article's previous revision, unless it has to be chosen again."""
    if former is None or former.event_id is None:
        return None
    is_same = former.key == arrival.key
    # A closed event cannot be compared.
    is_kept = is_same or events.open_event(session, former.event_id) is None
    return former.event_id if is_kept else None


def _join(session: Session, arrival: Arrival, choice: _Choice, former: ArticleEvent | None) -> int:
    event = choice.event
    if event is None:
        _count(session, arrival, choice.counts)
        identity = _identity(arrival)
        return events.add_event(session, arrival, identity, choice.weights, choice.terms)
    is_former = former is not None and former.event_id == event.id
    if not is_former and len(event.sites) < MAX_SOURCES and _is_source(session, event, arrival):
        _count(session, arrival, choice.counts)
        centroid = with_article(event.centroid, choice.weights, len(event.sites))
        events.add_source(session, event.id, arrival, centroid, leading_terms(centroid))
    else:
        events.note_seen(session, event.id, arrival.fetched_at)
    return event.id


def _count(session: Session, arrival: Arrival, counts: TermCounts) -> None:
    # Copies, and further articles from one site, would make the words of an event appear common.
    if counts.counts_next(arrival.key, arrival.site_id):
        changed = counts.with_document(arrival.terms, arrival.site_id)
        events.save_term_counts(session, arrival.language, changed)


def _choose(
    session: Session,
    arrival: Arrival,
    former: ArticleEvent | None,
    counts: TermCounts,
    window: timedelta,
) -> _Choice:
    weights = counts.weights_of(arrival.terms)
    terms = leading_terms(weights)
    near = {each.id: each for each in events.events_like(session, arrival, terms, window)}
    own_id = former.event_id if former is not None else None
    if own_id is not None and (own := events.open_event(session, own_id)) is not None:
        near[own_id] = own
    chosen = event_of(weights, arrival.language, arrival.site_id, list(near.values()), own_id)
    return _Choice(chosen, weights, terms, counts)


def _is_source(session: Session, event: Event, arrival: Arrival) -> bool:
    """Return whether an article adds an independent source to an event."""
    others, own = events.sources_of(session, event.id, arrival.page_id)
    return independent_sources(others | own) > independent_sources(others)


def _identity(arrival: Arrival) -> UUID:
    """Return the ID of an event by its first article, the same on every machine."""
    site = site_name(arrival.site)
    return uuid5(_EVENTS, f"{arrival.key.hex()}\n{site}\n{arrival.url}")


def _look_up(
    session: Session,
    arrival: Arrival,
    story: str,
    former: ArticleEvent | None,
    counts: TermCounts,
    window: timedelta,
) -> messages.Event:
    event_id = _kept(session, arrival, former)
    if event_id is None:
        chosen = _choose(session, arrival, former, counts, window).event
        event_id = None if chosen is None else chosen.id
    known = None if event_id is None else events.known_event(session, event_id)
    if known is None:
        return messages.Event(id=str(_identity(arrival)), first_seen=arrival.fetched_at, sources=1)
    others, _ = events.sources_of(session, known.id, arrival.page_id)
    times = [each for each in (known.first_seen, arrival.fetched_at) if each is not None]
    return messages.Event(
        id=str(known.identity),
        first_seen=min(times, default=None),
        sources=independent_sources(others | {(arrival.site_id, story)}),
    )
