"""Articles in different words about the same happening share an event."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from models.tables import (
    Event,
    EventArrival,
    EventArticle,
    EventTermCounts,
    OutboxEntry,
    StoredPage,
)
from tests.inline_tasks import Tasks, message_of
from worker.events.clustering import BUCKETS, TermCounts, no_counts
from worker.events.terms import terms_of
from worker.store import events
from worker.tasks.stories import correct_stories

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

COLLAPSE = (
    "The railway bridge at Crosshaven collapsed on Friday morning, minutes after a freight train"
    " had crossed the river, the fire brigade of Aldermouth said.",
    "Three workers fell into the water and were rescued by a ferry; two of them are in hospital"
    " with broken legs.",
    "The bridge was built in 1931 and was inspected in March, when engineers found cracks in two"
    " pillars and demanded a speed limit for freight trains.",
    "The railway company closed the line between Aldermouth and Stonehithe until further notice,"
    " and buses replace the trains.",
)
SAME_EVENT = (
    "Divers searched the river at Crosshaven on Friday after a railway bridge gave way behind a"
    " freight train and threw three workers into the water.",
    "Passengers of a ferry pulled the workers out. The hospital of Aldermouth treats two of them"
    " for fractures.",
    "Cracks in the pillars of the bridge, which dates from 1931, had been known to the railway"
    " company since an inspection by engineers this spring.",
    "No trains run between Stonehithe and Aldermouth; commuters were told to take buses.",
)
OTHER = (
    "The museum of Stonehithe shows paintings of the sea by forty painters of the last century from"
    " Saturday on.",
    "Visitors under twenty pay nothing, and guides explain the colours and the storms in four"
    " languages each afternoon.",
    "The curator borrowed a third of the canvases from private collectors, who had never lent them"
    " to anyone before.",
    "A catalogue with essays on light, sails and harbours costs thirty crowns at the entrance.",
)


def page(
    site: str, title: str, body: Sequence[str], hours: float, name: str = "1"
) -> dict[str, Any]:
    """Return the message for a page."""
    html = "".join(f"<p>{each}</p>" for each in body)
    return {
        "version": 1,
        "url": f"https://{site}/news/{name}",
        "fetched_at": (NOON + timedelta(hours=hours)).isoformat(),
        "html": f"<!doctype html><html lang='en'><head><title>{title}</title></head><body>"
        f"<h1>{title}</h1><div class='story'>{html}</div></body></html>",
    }


FIRST = page("post.example", "Railway bridge at Crosshaven collapses", COLLAPSE, 0)
SECOND = page("echo.example", "Bridge gives way behind freight train", SAME_EVENT, 2)
UNRELATED = page("arts.example", "Forty painters of the sea", OTHER, 1)


def process(tasks: Tasks, *messages: dict[str, Any]) -> None:
    for message in messages:
        tasks.group(tasks.send([message]))
        tasks.settle()


def sent(tasks: Tasks) -> list[dict[str, Any]]:
    """Return the pending article messages, in order."""
    bodies = tasks.ask(
        select(OutboxEntry.body)
        .where(OutboxEntry.routing_key.is_not(None))
        .order_by(OutboxEntry.id)
    )
    return [message_of(body) for body in bodies]


COMMON = (
    "a after an and at behind by costs each for forty from had have in is last month of on said"
    " saturday show shows stonehithe that the their them they three to two until was were when"
    " which who with"
)


def count_documents(tasks: Tasks) -> None:
    """Count a thousand documents, as if the service had been running for some time."""
    counts = no_counts()
    common = terms_of(None, None, COMMON)
    counts.counts[common["term"] % BUCKETS] = 800
    with tasks.database.transaction() as session:
        events.save_term_counts(session, "en", TermCounts(2000, counts.counts))


@pytest.fixture
def with_events(tasks: Tasks) -> Tasks:
    tasks.restart(events=True)
    return tasks


def test_the_article_of_a_second_site_names_the_event(with_events: Tasks) -> None:
    process(with_events, FIRST, UNRELATED, SECOND)
    first, unrelated, second = [each["event"] for each in sent(with_events)]
    assert (first["sources"], unrelated["sources"], second["sources"]) == (1, 1, 2)
    assert first["id"] == second["id"] != unrelated["id"]
    assert first["first_seen"] == second["first_seen"] == "2026-05-01T12:00:00Z"


def test_by_default_there_are_no_events(tasks: Tasks) -> None:
    process(tasks, FIRST, SECOND)
    assert all("event" not in each for each in sent(tasks))
    for table in (Event, EventArticle, EventArrival, EventTermCounts):
        assert tasks.ask(select(func.count()).select_from(table)) == [0]


def test_copies_of_one_text_count_as_one_source(with_events: Tasks) -> None:
    copies = [page(f"copy{n}.example", "Bridge collapses", COLLAPSE, n) for n in range(1, 4)]
    process(with_events, FIRST, *copies, SECOND)
    said = [each["event"] for each in sent(with_events)]
    assert len({each["id"] for each in said}) == 1
    assert [each["sources"] for each in said] == [1, 1, 1, 1, 2]


def test_further_articles_do_not_resend_the_first(with_events: Tasks) -> None:
    process(with_events, FIRST, SECOND)
    correct_stories()
    with_events.settle()
    assert [each["revision"] for each in sent(with_events)] == [1, 1]


def test_articles_extracted_at_the_same_time_get_one_event(with_events: Tasks) -> None:
    sites = [with_events.send([each]) for each in (FIRST, SECOND)]
    for site in sites:
        with_events.group(site)
    with_events.run("detourage.extract")
    assert len({each["event"]["id"] for each in sent(with_events)}) == 2
    with_events.settle()
    correct_stories()
    messages = sent(with_events)
    last = {each["url"]: each["event"] for each in messages}
    assert len({each["id"] for each in last.values()}) == 1
    assert [each["revision"] for each in messages] == [1, 1, 2]
    correct_stories()
    assert len(sent(with_events)) == 3


def test_events_do_not_depend_on_the_order_in_which_waiting_articles_arrived(
    with_events: Tasks,
) -> None:
    results = []
    for order in ((FIRST, SECOND, UNRELATED), (UNRELATED, SECOND, FIRST)):
        for site in [with_events.send([each]) for each in order]:
            with_events.group(site)
        with_events.run("detourage.extract")
        with_events.settle()
        query = select(StoredPage.url, EventArticle.told).join(EventArticle)
        results.append(dict(with_events.ask(query)))
        with with_events.database.transaction() as session:
            for table in ("pages", "events", "event_term_counts", "story_texts", "stories"):
                session.execute(text(f"TRUNCATE {table} CASCADE"))
    assert results[0] == results[1]


def test_a_revision_keeps_its_event_unless_it_was_rewritten(with_events: Tasks) -> None:
    process(with_events, FIRST, SECOND)
    update_of_second = page(
        "echo.example", "Bridge gives way behind freight train", [*SAME_EVENT, COLLAPSE[3]], 5
    )
    process(with_events, update_of_second)
    first, _, updated = sent(with_events)
    assert updated["revision"] == 2
    assert updated["event"]["id"] == first["event"]["id"]
    assert updated["event"]["sources"] == 2
    process(with_events, page("echo.example", "Forty painters of the sea", OTHER, 6))
    rewritten = sent(with_events)[-1]
    assert rewritten["event"]["id"] != first["event"]["id"]
    assert rewritten["event"]["sources"] == 1


def test_an_article_outside_the_window_begins_an_event(with_events: Tasks) -> None:
    late = page("echo.example", "Bridge gives way behind freight train", SAME_EVENT, 24 * 3.5)
    process(with_events, FIRST, late)
    first, second = [each["event"] for each in sent(with_events)]
    assert first["id"] != second["id"]


def test_old_events_are_closed_and_empty_ones_removed(with_events: Tasks) -> None:
    process(with_events, FIRST, UNRELATED)
    with with_events.database.transaction() as session:
        session.execute(update(Event).values(changed_at=NOON - timedelta(days=400)))
        session.execute(
            text(
                "DELETE FROM event_articles USING pages"
                " WHERE page_id = pages.id AND url LIKE '%arts%'"
            )
        )
    correct_stories()
    assert with_events.ask(select(Event.centroid, Event.terms)) == [(None, [])]


def test_a_site_that_floods_an_event_of_others_cannot_steer_it(with_events: Tasks) -> None:
    count_documents(with_events)
    process(with_events, FIRST)
    words = " ".join(COLLAPSE)
    flood = [
        page(
            "flood.example",
            "Railway bridge at Crosshaven collapses",
            [f"{words} {' '.join(f'casino{number}x{n}' for n in range(60))}." * 3],
            number / 10,
            str(number),
        )
        for number in range(12)
    ]
    process(with_events, *flood)
    process(with_events, SECOND)
    messages = sent(with_events)
    first, second = messages[0]["event"], messages[-1]["event"]
    assert second["id"] == first["id"]
    assert second["sources"] <= 3
    sites = with_events.ask(select(Event.sites).where(Event.identity == first["id"]))
    assert len(sites[0]) == len(set(sites[0])) <= 3


def test_keyword_stuffing_joins_at_most_one_event(with_events: Tasks) -> None:
    count_documents(with_events)
    process(with_events, FIRST, UNRELATED)
    stuffed = page("stuffed.example", "Bridge and museum", [*COLLAPSE, *OTHER] * 20, 2)
    process(with_events, stuffed, SECOND)
    first, unrelated, _, second = [each["event"]["id"] for each in sent(with_events)]
    assert first != unrelated
    assert second == first
