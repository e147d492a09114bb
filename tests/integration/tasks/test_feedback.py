"""Feedback on articles: taken from its queue, stored once, and shown to operators."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner
from kombu import Producer
from sqlalchemy import delete, insert, select

from detourage.limits import MAX_BODY_BYTES
from models.tables import Article, Feedback, OutboxEntry, StoredPage
from tests.inline_tasks import Tasks
from tests.integration.waiting import wait_until
from tests.pages import article_html
from worker.cli import main
from worker.messaging.broker import connect, messages_waiting
from worker.messaging.headers import REASON
from worker.messaging.task_names import PageStage
from worker.service.quarantine import browse
from worker.settings import Settings
from worker.store import feedback
from worker.store.outbox import unpacked_body
from worker.tasks.feedback import store_feedback
from worker.tasks.reprocess import reprocess
from worker.workflow.process import process_state

SITE = "news.example"
PAGES = 6


@pytest.fixture
def sent(tasks: Tasks, declared: Settings) -> Iterator[dict[str, dict[str, Any]]]:
    """The articles of a clustered site, by URL; the deployment has its own queues."""
    tasks.restart(queue_prefix=declared.queue_prefix)
    tasks.group(tasks.publish(SITE, [(f"{n}", article_html(n)) for n in range(PAGES)]))
    tasks.settle()
    yield tasks.articles()
    topology = process_state().topology
    with connect(declared) as connection, connection.channel() as channel:
        for queue in (topology.feedback, topology.quarantines["feedback"]):
            channel.queue_purge(queue)


def give(*messages: object, **options: Any) -> None:
    """Publish feedback as a recogniser does."""
    state = process_state()
    with connect(state.settings) as connection, connection.channel() as channel:
        producer = Producer(channel)
        for message in messages:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            exchange = state.topology.feedback_exchange.name
            producer.publish(body, exchange=exchange, routing_key="", delivery_mode=2, **options)


def feedback_of(article: dict[str, Any], entities: int, **values: object) -> dict[str, Any]:
    return {"version": 1, "article": article["id"], "entities": entities, **values}


def waiting() -> tuple[int, int]:
    """Return how many messages are in the queue and in its quarantine."""
    state = process_state()
    names = state.topology.feedback, state.topology.quarantines["feedback"]
    queue, quarantine = (messages_waiting(state.settings, name) for name in names)
    return queue, quarantine


def usable(**changed: object) -> bytes:
    """Return a valid message, with some of its values changed."""
    return json.dumps(
        {"version": 1, "article": str(UUID(int=1)), "entities": 1, **changed}
    ).encode()


def command(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def stored(tasks: Tasks) -> dict[str, tuple[int, str | None, str | None]]:
    query = select(Feedback.article_id, Feedback.entities, Feedback.verdict, Feedback.note)
    return {str(row[0]): row[1:] for row in tasks.ask(query)}


def test_feedback_is_stored_with_site_group_and_method_of_its_article(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    first, second, *_ = sent.values()
    give(
        feedback_of(first, 3, verdict="good", note="schön", unknown=1),
        feedback_of(second, 0, verdict=None, note=None),
    )
    store_feedback()
    assert stored(tasks) == {first["id"]: (3, "good", "schön"), second["id"]: (0, None, None)}
    columns = (StoredPage.url, StoredPage.site_id == Feedback.site_id)
    joined = select(*columns, Feedback.group_number, Feedback.method).join(
        Feedback, Feedback.page_id == StoredPage.id
    )
    assert sorted(tasks.ask(joined)) == sorted(
        (article["url"], True, article["template"]["group"], article["method"])
        for article in (first, second)
    )
    assert waiting() == (0, 0)


def test_the_latest_feedback_replaces_earlier_feedback_and_redelivery_changes_nothing(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    article = next(iter(sent.values()))
    give(feedback_of(article, 3), feedback_of(article, 0, verdict="bad"))
    store_feedback()
    assert stored(tasks) == {article["id"]: (0, "bad", None)}
    times = tasks.ask(select(Feedback.received_at))
    give(feedback_of(article, 0, verdict="bad"))
    store_feedback()
    assert tasks.ask(select(Feedback.received_at)) == times
    give(feedback_of(article, 2))
    store_feedback()
    assert stored(tasks) == {article["id"]: (2, None, None)}


def test_feedback_on_unknown_and_pruned_articles_is_dropped_and_counted(
    tasks: Tasks, sent: dict[str, dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    kept, pruned, *_ = sent.values()
    give(feedback_of(pruned, 5))
    store_feedback()
    with tasks.database.transaction() as session:
        session.execute(delete(Article).where(Article.id == UUID(pruned["id"])))
    assert stored(tasks) == {}
    give(feedback_of(pruned, 5), feedback_of({"id": str(uuid4())}, 5), feedback_of(kept, 5))
    caplog.set_level("INFO", logger="worker.tasks.feedback")
    store_feedback()
    assert stored(tasks) == {kept["id"]: (5, None, None)}
    assert "stored feedback on 1 article, dropped feedback on 2 unknown or pruned" in caplog.text
    assert waiting() == (0, 0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\xff\xfe", "not-json"),
        (b"[]", "invalid-message"),
        (usable(version=2), "unsupported-version"),
        (usable(article="1-1"), "invalid-message"),
        (usable(entities=-1), "invalid-message"),
        (usable(entities=1_000_001), "invalid-message"),
        (usable(entities=True), "invalid-message"),
        (usable(verdict="ugly"), "invalid-message"),
        (usable(note="a" * 1_001), "invalid-message"),
        (usable(note="\x00"), "invalid-message"),
    ],
)
def test_an_unusable_message_goes_to_quarantine_with_its_reason_and_blocks_nothing(
    tasks: Tasks, sent: dict[str, dict[str, Any]], body: bytes, reason: str
) -> None:
    article = next(iter(sent.values()))
    give(body, feedback_of(article, 1), message_id="m-1")
    store_feedback()
    assert stored(tasks) == {article["id"]: (1, None, None)}
    columns = (OutboxEntry.routing_key, OutboxEntry.body, OutboxEntry.message_id)
    ((queue, found, message_id, headers),) = tasks.ask(
        select(*columns, OutboxEntry.headers).where(OutboxEntry.exchange == "")
    )
    assert queue == process_state().topology.quarantines["feedback"]
    assert (unpacked_body(found), message_id, headers[REASON]) == (body, "m-1", reason)
    assert waiting() == (0, 0)


def test_oversized_messages_are_moved_to_quarantine_by_the_broker(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    article = next(iter(sent.values()))
    give(b" " * (MAX_BODY_BYTES + 1), b" " * 70_000, feedback_of(article, 1))
    store_feedback()
    assert stored(tasks) == {article["id"]: (1, None, None)}
    wait_until(lambda: waiting() == (0, 2))
    held = browse(process_state().settings, "feedback")
    assert [each.reason for each in held] == ["oversized", "oversized"]


def test_a_run_takes_at_most_a_thousand_messages(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    first, second, *_ = sent.values()
    give(*[feedback_of(first, n) for n in range(1_000)], feedback_of(second, 1))
    store_feedback()
    assert stored(tasks) == {first["id"]: (999, None, None)}
    assert waiting() == (1, 0)
    store_feedback()
    assert stored(tasks)[second["id"]] == (1, None, None)


def test_messages_stay_in_the_queue_if_they_cannot_be_stored(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    give(*[feedback_of(article, 1) for article in sent.values()])
    with tasks.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE feedback RENAME TO away")
    try:
        with pytest.raises(Exception, match="feedback"):
            store_feedback()
    finally:
        with tasks.database.transaction() as session:
            session.connection().exec_driver_sql("ALTER TABLE away RENAME TO feedback")
    store_feedback()
    assert len(stored(tasks)) == PAGES


Given = tuple[int, str | None]
"""Number of entities and the verdict of a feedback message."""

GOOD: Given = (5, None)
NONE: Given = (0, None)
BAD: Given = (5, "bad")


def record(tasks: Tasks, given: list[Given], *, hours_ago: float = 1) -> None:
    """Store feedback on further articles of the site, oldest first."""
    page_id, site_id = tasks.ask(select(StoredPage.id, StoredPage.site_id).limit(1))[0]
    start = datetime.now(UTC) - timedelta(hours=hours_ago)
    ids = [uuid4() for _ in given]
    articles = [
        {
            "id": article_id,
            "page_id": page_id,
            "revision": 1_000 + number,
            "content_digest": "",
            "message": {},
        }
        for number, article_id in enumerate(ids)
    ]
    rows = [
        {
            "article_id": article_id,
            "page_id": page_id,
            "site_id": site_id,
            "method": "m",
            "entities": entities,
            "verdict": verdict,
            "received_at": start + timedelta(seconds=number),
        }
        for number, (article_id, (entities, verdict)) in enumerate(zip(ids, given, strict=True))
    ]
    with tasks.database.transaction() as session:
        session.execute(insert(Article), articles)
        session.execute(insert(Feedback), rows)


@pytest.mark.parametrize(
    ("given", "is_silent"),
    [
        ([GOOD] * 200 + [NONE] * 20, True),
        ([GOOD] * 200 + [BAD] * 10 + [NONE] * 10, True),
        ([GOOD] * 200 + [NONE] * 16 + [GOOD] * 4, True),
        ([GOOD] * 200 + [NONE] * 15 + [GOOD] * 5, False),
        ([GOOD] * 120 + [BAD] * 80 + [NONE] * 20, True),
        ([GOOD] * 119 + [BAD] * 81 + [NONE] * 20, False),
        # Only the last 220 articles count.
        ([NONE] * 300 + [GOOD] * 200 + [NONE] * 20, True),
        ([GOOD] + [NONE] * 20, True),
        ([GOOD] * 4 + [NONE] * 15, False),
        ([NONE] * 20, False),
        ([NONE] * 220, False),
        ([GOOD] * 220, False),
    ],
)
@pytest.mark.usefixtures("sent")
def test_a_site_is_silent_if_its_articles_suddenly_yield_nothing(
    tasks: Tasks, given: list[Given], is_silent: bool
) -> None:
    record(tasks, given)
    assert bool(tasks.read(feedback.silent_sites)) == is_silent


@pytest.mark.usefixtures("sent")
def test_a_site_without_feedback_in_the_last_day_is_not_silent(tasks: Tasks) -> None:
    record(tasks, [GOOD] * 200 + [NONE] * 20, hours_ago=25)
    assert tasks.read(feedback.silent_sites) == set()


def test_status_shows_feedback_by_group_and_method_and_names_silent_sites(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    first, second, third, *_ = sent.values()
    give(feedback_of(first, 0), feedback_of(second, 4, verdict="bad"), feedback_of(third, 8))
    store_feedback()
    found = json.loads(command("status", SITE, "--json"))
    assert not found["sites"][0]["silent"]
    counts = {
        "articles": 3,
        "mean_entities": 4.0,
        "without_entities": pytest.approx(1 / 3),
        "bad": pytest.approx(1 / 3),
    }
    group, method = first["template"]["group"], first["method"]
    assert found["feedback"] == [
        {"about": "site", "group": None, "method": None, **counts},
        {"about": "group", "group": group, "method": None, **counts},
        {"about": "method", "group": None, "method": method, **counts},
    ]
    shown = [line.split() for line in command("status", SITE).splitlines()]
    told = ["3", "│", "4.0", "│", "33%", "│", "33%", "│"]
    assert ["│", "all", "articles", "│", *told] in shown
    assert ["│", "group", str(group), "│", *told] in shown
    assert ["│", "method", method, "│", *told] in shown

    record(tasks, [GOOD] * 200 + [NONE] * 20, hours_ago=-0.5)
    shown_for_all = command("status")
    assert "with suddenly no entities: 1 site" in shown_for_all
    assert f"{SITE}: its latest articles suddenly yield no entities" in shown_for_all
    metrics = command("metrics")
    assert "detourage_sites_silent 1.0" in metrics
    assert "detourage_articles_with_feedback 223.0" in metrics
    assert "detourage_articles_without_entities 21.0" in metrics


def test_status_counts_only_the_latest_article_of_a_page(
    tasks: Tasks, sent: dict[str, dict[str, Any]]
) -> None:
    article = next(iter(sent.values()))
    give(feedback_of(article, 0))
    store_feedback()
    tasks.reprocess(SITE)
    tasks.settle()
    revised = tasks.articles()[article["url"]]
    assert json.loads(command("status", SITE, "--json"))["feedback"] == []
    give(feedback_of(revised, 5))
    store_feedback()
    (row, *_) = json.loads(command("status", SITE, "--json"))["feedback"]
    assert (row["articles"], row["mean_entities"]) == (1, 5.0)


@pytest.mark.parametrize("stage", ["extract", "parse"])
def test_only_pages_whose_latest_article_is_fruitless_are_reprocessed(
    tasks: Tasks, sent: dict[str, dict[str, Any]], stage: PageStage
) -> None:
    none, bad, good, *_ = sent.values()
    give(feedback_of(none, 0), feedback_of(bad, 9, verdict="bad"), feedback_of(good, 9))
    store_feedback()
    reprocess(SITE, stage, without_entities=True)
    tasks.settle()
    tasks.group(tasks.ask(select(StoredPage.site_id).limit(1))[0])
    tasks.settle()
    again = tasks.articles()
    assert {url: article["revision"] for url, article in again.items()} == {
        none["url"]: 2,
        bad["url"]: 2,
    }
    # The latest articles of the pages have no feedback yet.
    reprocess(SITE, stage, without_entities=True)
    tasks.settle()
    assert tasks.articles() == {}
