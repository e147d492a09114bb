"""Batches are stored like single messages, and the intake pauses if later stages are behind."""

import random
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from detourage.messages import PageMessage
from models.tables import PageContent, StoredPage
from tests.inline_tasks import Tasks
from tests.integration.conftest import RunAlone
from tests.object_stores import Folder
from tests.pages import article_html, message
from worker.messaging import task_names
from worker.messaging.broker import connect, messages_waiting
from worker.service.intake import CHECK_MESSAGES
from worker.service.quarantine import browse
from worker.settings import Settings
from worker.store import outbox
from worker.store.fetched_pages import ChangedMeanwhileError, unchanged_pages
from worker.store.pages import FetchedPage, ParsedPage
from worker.workflow.parsing import parse_or_reject, store_pages


def read_message(body: bytes) -> tuple[FetchedPage, ParsedPage]:
    """Return the page in a page message, and its parsed content."""
    fetched = FetchedPage.of(PageMessage.model_validate_json(body))
    return fetched, parse_or_reject(fetched.content, fetched.url, fetched.content_type)


def bodies(sites: int, pages: int, *, day: int = 1, prefix: str = "") -> list[bytes]:
    """Return page messages of several sites, fetched on a day in November.

    Each site has one page that is refused: a frameset, identical on all days.
    """
    return [
        message(
            f"https://{prefix}{site}.example/{page}",
            article_html(page + day, template="plain" if page % 2 else "table")
            if page
            else "<frameset><frame src='a'></frameset>",
            fetched_at=f"2026-11-{day:02}T00:00:00Z",
        )
        for site in range(sites)
        for page in range(pages)
    ]


@pytest.mark.parametrize("size", [1, 5, 100])
def test_pages_stored_in_a_batch_equal_pages_stored_one_by_one(tasks: Tasks, size: int) -> None:
    results: Counter[str] = Counter()
    for number, day in enumerate([1, 1, 3, 2]):
        fetches = [read_message(body) for body in bodies(4, 5, day=day)]
        random.Random(number).shuffle(fetches)
        for first in range(0, len(fetches), size):
            with tasks.database.transaction() as session:
                recorded = store_pages(session, fetches[first : first + size])
            results.update(each.result for each in recorded)
        with tasks.database.transaction() as session:
            unread = StoredPage.outcome.is_(None)
            session.execute(update(StoredPage).where(unread).values(outcome="article"))
    # The refused pages are the same on all days, so they count as duplicates.
    assert results == {"accepted": 20, "duplicate": 28, "updated": 16, "superseded": 16}
    found = tasks.query(
        select(StoredPage.url, StoredPage.content_digest, StoredPage.outcome, StoredPage.tree_id)
        .join(PageContent, PageContent.page_id == StoredPage.id)
        .order_by(StoredPage.url)
    )
    assert [row[:2] for row in found] == sorted(
        (fetched.url, fetched.content_digest)
        for fetched, _ in map(read_message, bodies(4, 5, day=3))
    )
    assert sum(outcome == "frameset" for *_, outcome, _ in found) == 4
    assert all((tree_id is None) == (outcome == "frameset") for *_, outcome, tree_id in found)


def test_a_page_that_changes_after_the_lookup_has_to_be_parsed(tasks: Tasks) -> None:
    first, other, again = (
        read_message(message("https://a.example/1", article_html(seed), fetched_at=f"{day}T00:00Z"))
        for day, seed in (("2026-11-01", 1), ("2026-11-02", 2), ("2026-11-03", 1))
    )
    known: list[ParsedPage] = []
    for each in (first, other):
        tasks.database.run(store_pages, [each])
        tasks.execute(update(StoredPage).values(outcome="article"))
        known += tasks.database.run(unchanged_pages, [again[0]]).values()
    with pytest.raises(ChangedMeanwhileError):
        tasks.database.run(store_pages, [(again[0], known[0])])


REFUSE_POISON = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'this page cannot be stored'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON pages FOR EACH ROW
WHEN (NEW.url LIKE '%/poison') EXECUTE FUNCTION refuse();
"""


def test_a_message_that_cannot_be_stored_does_not_affect_others(run_alone: RunAlone) -> None:
    with run_alone("intake") as deployment:
        valid = bodies(3, 10)
        poison = message("https://1.example/poison", "<p>Never stored.")
        with deployment.database.transaction() as session:
            session.execute(text(REFUSE_POISON))
        try:
            deployment.publish([*valid[:12], poison, *valid[12:]])
            deployment.wait_for_receipts(len(valid))
            quarantine = deployment.topology.quarantines["intake"]
            deployment.wait_until(lambda: messages_waiting(deployment.settings, quarantine) == 1)
        finally:
            with deployment.database.transaction() as session:
                session.execute(text("DROP FUNCTION refuse CASCADE"))
        [found] = browse(deployment.settings, "intake")
        assert found.body == poison
        assert deployment.receipts() == len(valid)
        deployment.check()


@pytest.mark.usefixtures("tasks")
def test_the_intake_pauses_while_too_many_pages_are_pending(run_alone: RunAlone) -> None:
    pages = 2 * CHECK_MESSAGES
    with run_alone("intake", pending_limit=10) as deployment:
        queue = deployment.topology.pages
        received = deployment.receipts()
        deployment.publish(message(f"https://full.example/{n}", f"<p>{n}") for n in range(pages))
        stored = select(func.count()).select_from(StoredPage)
        deployment.wait_until(lambda: not _consumer_count(deployment.settings, queue))
        stored_pages = deployment.count(stored)
        assert 10 <= stored_pages < pages
        while stored_pages < pages:
            with deployment.database.transaction() as session:
                # The limit does not count pages that are to be extracted again.
                session.execute(update(StoredPage).values(outcome="article", forced=True))
                repeated = [{"page_id": 0, "generation": 1}] * 20
                outbox.add_tasks(session, task_names.EXTRACT_AGAIN, repeated, site_id=1)
            before = stored_pages
            deployment.wait_until(lambda: deployment.count(stored) > before)  # noqa: B023
            deployment.wait_until(
                lambda: (
                    deployment.count(stored) == pages
                    or not _consumer_count(deployment.settings, queue)
                )
            )
            stored_pages = deployment.count(stored)
        deployment.wait_until(lambda: deployment.receipts() - received == pages)


def _consumer_count(settings: Settings, queue: str) -> int:
    with connect(settings) as connection, connection.channel() as channel:
        return int(channel.queue_declare(queue=queue, passive=True).consumer_count)


def test_a_page_that_takes_too_long_to_parse_fails_without_delaying_others(
    run_alone: RunAlone,
) -> None:
    with run_alone("intake", page_seconds=0.6) as deployment:
        slow = [message(f"https://slow.example/{n}", "<p>a" * 75_000 + f"<p>{n}") for n in range(2)]
        good = [message(f"https://quick.example/{n}", article_html(n)) for n in range(8)]
        before = deployment.receipts()
        deployment.publish([*slow, *good])
        deployment.wait_for_receipts(before + len(slow) + len(good))
        with deployment.database.transaction() as session:
            found = session.execute(
                select(StoredPage.outcome, StoredPage.outcome_detail, PageContent.page_id)
                .join(PageContent, PageContent.page_id == StoredPage.id)
                .where(StoredPage.url.startswith("https://slow.example/"))
            ).all()
            outcomes = select(StoredPage.outcome).where(StoredPage.url.contains("//quick.example/"))
            assert session.scalars(outcomes).all() == [None] * len(good)
        assert [row[0] for row in found] == ["failed"] * 2
        assert {row[1] for row in found} == {"parsing took more than 0.1 s of CPU time"}
        deployment.check()


def test_the_intake_waits_for_an_object_store_that_is_down(
    run_alone: RunAlone, tmp_path: Path
) -> None:
    store = Folder(tmp_path / "store")
    messages = bodies(2, 3, prefix="stored")
    in_store = select(func.count()).where(PageContent.compressed.is_(None))
    with run_alone("intake", pages=store.url) as deployment:
        before, stored_before = deployment.receipts(), deployment.count(in_store)
        deployment.publish(messages)
        deployment.wait_until(
            lambda: any(
                "waiting for the database" in line["event"] for line in deployment.logged("intake")
            )
        )
        assert deployment.receipts() == before
        with store:
            deployment.wait_for_receipts(before + len(messages))
            # There are fewer objects than pages, because both sites have the same refused page.
            assert 0 < len(store.objects()) < len(messages)
        assert deployment.count(in_store) == stored_before + len(messages)
        assert deployment.quarantined() == []
