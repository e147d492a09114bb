"""Persistence and idempotence of the store, with a real PostgreSQL."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from detourage.outcomes import UnusableReason
from inspector.reads.details import revisions_of
from models.tables import Site, StoredPage
from tests.trees import tree_of
from worker.outcomes import ReceiptResult
from worker.store import articles, groups, outbox, pages, trees
from worker.store.articles import NewRevision
from worker.store.clusterings import SettleTimes, due_sites
from worker.store.outbox import NewMessage, Places
from worker.store.pages import FetchedPage, NewReceipt, ReadPage
from worker.store.progress import run_progress, site_statuses
from worker.store.recording import record_pages

MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def fetched(content: bytes | str = b"<p>a</p>", **changes: Any) -> FetchedPage:
    values: dict[str, Any] = {
        "site": "news.example",
        "url": "https://news.example/a",
        "content": content,
        "crawler_id": None,
        "content_type": None,
        "fetched_at": None,
        "extra": "{}",
        **changes,
    }
    return FetchedPage(**values)


def record(session: Session, *fetches: FetchedPage) -> tuple[list[str], StoredPage]:
    results: list[str] = []
    for each in fetches:
        site_id = pages.lock_site(session, each.site)
        (recorded,) = record_pages(session, [(site_id, each, ReadPage())])
        results.append(recorded.result)
        session.flush()
    return results, session.get_one(StoredPage, recorded.page_id)


@pytest.mark.parametrize("content", [b"\xff\x00<p>bytes", "text with \x00 and \ud800"])
def test_content_is_returned_unchanged(session: Session, content: bytes | str) -> None:
    _, page = record(session, fetched(content))
    assert pages.load_content(session, page.id) == content


def test_the_latest_fetch_wins_in_any_order(session: Session) -> None:
    fetches = [
        fetched(f"<p>{day}</p>".encode(), fetched_at=MOMENT + timedelta(days=day))
        for day in range(3)
    ]
    kept = set()
    for number, order in enumerate(permutations(fetches)):
        _, page = record(session, *(replace(each, site=f"s{number}") for each in order))
        kept.add(pages.load_content(session, page.id))
    assert kept == {b"<p>2</p>"}


def test_the_same_one_of_two_simultaneous_fetches_wins_in_any_order(session: Session) -> None:
    a, b = fetched(b"a", fetched_at=MOMENT), fetched(b"b", fetched_at=MOMENT)
    _, first = record(session, replace(a, site="s1"), replace(b, site="s1"))
    _, second = record(session, replace(b, site="s2"), replace(a, site="s2"))
    assert pages.load_content(session, first.id) == pages.load_content(session, second.id)


def test_the_latest_undated_fetch_wins(session: Session) -> None:
    results, page = record(session, fetched(b"a", fetched_at=MOMENT), fetched(b"b"))
    assert results == ["accepted", "updated"]
    assert pages.load_content(session, page.id) == b"b"


def test_equal_fetches_get_the_lowest_crawler_id_in_any_order(session: Session) -> None:
    kept = set()
    for number, order in enumerate(permutations(["2", "1", "3"])):
        _, page = record(session, *(fetched(site=f"s{number}", crawler_id=each) for each in order))
        kept.add(page.crawler_id)
    assert kept == {"1"}


def test_a_url_longer_than_an_index_row_is_stored(session: Session) -> None:
    url = "https://news.example/" + "".join(f"{number:x}" for number in range(2000))
    _, page = record(session, fetched(url=url))
    assert page.url == url


def test_a_page_claimed_for_another_site_is_a_separate_page(session: Session) -> None:
    _, own = record(session, fetched(b"own"))
    _, claimed = record(session, fetched(b"claimed", site="other.example"))
    assert own.id != claimed.id
    assert pages.load_content(session, own.id) == b"own"


def test_equal_trees_are_stored_once(session: Session) -> None:
    tree = tree_of("{a{b}{c}}")
    [first] = trees.save_trees(session, [tree]).values()
    assert trees.save_trees(session, [tree_of("{a{b}{c}}")]) == {tree.digest: first}
    assert trees.load_trees(session, [first]) == ({first: tree}, {})


def test_stored_distances_are_not_overwritten(session: Session) -> None:
    saved = trees.save_trees(session, [tree_of(f"{{{n}}}") for n in "abc"])
    ids = sorted(saved.values())
    stored: dict[tuple[int, int], int | None] = {(ids[0], ids[1]): 4, (ids[0], ids[2]): None}
    trees.save_distances(session, stored)
    trees.save_distances(session, {(ids[0], ids[1]): 5})
    assert trees.known_distances(session, ids, ids) == stored
    assert trees.known_distances(session, [ids[2]], [ids[0]]) == {(ids[0], ids[2]): None}
    trees.forget_distances(session, ids)
    assert trees.known_distances(session, ids, ids) == {}


def test_a_site_is_due_once_it_has_changed_and_settled(session: Session) -> None:
    site_id = pages.lock_site(session, "news.example")
    record(session, fetched())
    pages.touch_site(session, site_id)

    def due(settle: float, longest: float = 3600) -> bool:
        times = SettleTimes(settle, settle, longest, longest)
        found = due_sites(session, times, patience_seconds=600)
        return site_id in [site.id for site in found]

    assert due(0)
    assert not due(60)
    session.execute(text("UPDATE pages SET received_at = now() - interval '2 hours'"))
    assert due(60)
    version = session.scalars(select(Site.version).where(Site.id == site_id)).one()
    groups.save_generation(
        session,
        site_id=site_id,
        number=1,
        site_version=version,
        method="mds_kmeans",
        silhouette=None,
        groups=[],
        memberships=[],
    )
    assert not due(0)
    pages.touch_site(session, site_id)
    assert due(0)


def test_the_outbox_returns_entries_in_order_and_removes_sent_ones(session: Session) -> None:
    outbox.add_tasks(session, "task", [{"n": 1}, {"n": 2}], site_id=1)
    outbox.add_message(session, exchange="", routing_key="q", body=b"\xff", headers={"x": 1})
    assert set(outbox.lanes_waiting(session, ["task", "other", ""])) == {"task", ""}
    wanted = {"task": Places(10, 5), "": Places(10, 5)}
    taken = outbox.take_next(session, wanted, max_bytes=1000)
    first, second = taken["task"]
    assert [first.arguments, second.arguments] == [{"n": 1}, {"n": 2}]
    (plain,) = taken[""]
    assert (plain.task, plain.body, plain.headers) == (None, b"\xff", {"x": 1})
    outbox.remove(session, [first.id, plain.id])
    assert outbox.lanes_waiting(session, ["task", "other", ""]) == ["task"]
    assert outbox.take_next(session, wanted, max_bytes=1000) == {"task": [second], "": []}


@pytest.mark.parametrize("length", [10, 10_000, 1_000_000])
def test_messages_of_any_length_are_returned_unchanged(session: Session, length: int) -> None:
    body = json.dumps("text " * (length // 5)).encode()
    for number in range(2):
        message = NewMessage("articles", "en", body, str(number))
        outbox.add_messages(session, [message])
    wanted = {"articles": Places(10, 5)}
    (taken,) = outbox.take_next(session, wanted, max_bytes=length).values()
    assert {outbox.unpacked_body(each.body or b"") for each in taken} == {body}
    outbox.refuse(session, taken[0].id, "too large")
    (left,) = outbox.refused(session)
    assert outbox.unpacked_body(left.body or b"") == body


def test_articles_are_returned_unchanged(session: Session) -> None:
    _, page = record(session, fetched())
    message: dict[str, Any] = {
        "id": str(UUID(int=1)),
        "revision": 1,
        "comments": [],
        "text": "Élise 🙂 spoke.\n\nShe left.",
        "blocks": [
            {"text": "Élise 🙂 spoke.", "start": 0, "end": 14, "type": "paragraph"},
            {"text": "of elsewhere", "start": 16, "end": 25, "type": "quote"},
        ],
    }
    outgoing = NewMessage("articles", "en", b"", message["id"])
    articles.save_articles(session, [NewRevision(page.id, "", message, outgoing)])
    assert articles.last_article(session, page.id) == (message, "")
    [revision] = revisions_of(session, page.id, limit=1, with_messages=[1])
    assert revision.message == message
    stored = session.scalar(text("SELECT message::text FROM articles")) or ""
    assert stored.count("Élise") == 1


def test_progress_counts_each_message_of_the_run_once(session: Session) -> None:
    _, page = record(session, fetched())
    for message_id, result in (
        ("run-1-0", ReceiptResult.ACCEPTED),
        ("run-1-0", ReceiptResult.DUPLICATE),
        ("run-1-1", ReceiptResult.QUARANTINED),
        ("run-10-0", ReceiptResult.ACCEPTED),
        (None, ReceiptResult.ACCEPTED),
    ):
        reason = UnusableReason.NOT_JSON if result is ReceiptResult.QUARANTINED else None
        page_id = None if reason else page.id
        pages.add_receipts(session, [NewReceipt(message_id, result, reason, page_id)])
    progress = run_progress(session, "run-1-")
    assert progress.results == {"accepted": 1, "quarantined": 1}
    assert progress.quarantine_reasons == {"not-json": 1}
    assert (progress.pages, progress.pending) == (1, 1)


def test_the_status_of_an_unknown_site_is_empty(session: Session) -> None:
    assert site_statuses(session, ["unknown.example"]) == []
