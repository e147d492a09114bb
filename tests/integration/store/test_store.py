"""Persistence and idempotence of the store, with a real PostgreSQL."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from detourage.outcomes import UnusableReason
from inspector.reads.details import revisions_of
from models.tables import StoredPage
from worker.outcomes import ReceiptResult
from worker.store import articles, outbox, pages
from worker.store.articles import NewRevision
from worker.store.fetched_pages import record_pages
from worker.store.outbox import LaneQuota
from worker.store.pages import FetchedPage, NewReceipt, ParsedPage
from worker.store.progress import run_progress

MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def fetched_page(content: bytes | str = b"<p>a</p>", **changes: Any) -> FetchedPage:
    """Return a fetched page with default values except for the given ones."""
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


def record_fetches(session: Session, *fetches: FetchedPage) -> tuple[list[str], StoredPage]:
    """Record fetches of a page one by one; return the result of each, and the stored page."""
    results: list[str] = []
    for each in fetches:
        site_id = pages.lock_site(session, each.site)
        (recorded,) = record_pages(session, [(site_id, each, ParsedPage())])
        results.append(recorded.result)
        session.flush()
    return results, session.get_one(StoredPage, recorded.page_id)


@pytest.mark.parametrize("content", [b"\xff\x00<p>bytes", "text with \x00 and \ud800"])
def test_stored_html_is_returned_unchanged(session: Session, content: bytes | str) -> None:
    _, page = record_fetches(session, fetched_page(content))
    assert pages.load_contents(session, [page.id]).get(page.id) == content


def test_the_order_of_simultaneous_fetches_has_no_effect(session: Session) -> None:
    a, b = fetched_page(b"a", fetched_at=MOMENT), fetched_page(b"b", fetched_at=MOMENT)
    _, first = record_fetches(session, replace(a, site="s1"), replace(b, site="s1"))
    _, second = record_fetches(session, replace(b, site="s2"), replace(a, site="s2"))
    assert len({*pages.load_contents(session, [first.id, second.id]).values()}) == 1


def test_the_latest_undated_fetch_wins(session: Session) -> None:
    results, page = record_fetches(
        session, fetched_page(b"a", fetched_at=MOMENT), fetched_page(b"b")
    )
    assert results == ["accepted", "updated"]
    assert pages.load_contents(session, [page.id]).get(page.id) == b"b"


def test_equal_fetches_get_the_lowest_crawler_id_in_any_order(session: Session) -> None:
    crawler_ids = set()
    for number, order in enumerate(permutations(["2", "1", "3"])):
        _, page = record_fetches(
            session, *(fetched_page(site=f"s{number}", crawler_id=each) for each in order)
        )
        crawler_ids.add(page.crawler_id)
    assert crawler_ids == {"1"}


@pytest.mark.parametrize("length", [10, 10_000, 1_000_000])
def test_messages_of_any_length_are_returned_unchanged(session: Session, length: int) -> None:
    body = json.dumps("text " * (length // 5)).encode()
    for number in range(2):
        outbox.add_message(
            session, exchange="articles", routing_key="en", body=body, message_id=str(number)
        )
    quotas = {"articles": LaneQuota(10, 5)}
    (entries,) = outbox.take_next(session, quotas, max_bytes=length).values()
    assert {outbox.unpacked_body(each.body or b"") for each in entries} == {body}
    session.execute(outbox.SQL.refuse, {"id": entries[0].id, "refusal": "too large"})
    (refused,) = outbox.refused_entries(session)
    assert outbox.unpacked_body(refused.body or b"") == body


def test_stored_articles_are_returned_unchanged(session: Session) -> None:
    _, page = record_fetches(session, fetched_page())
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
    new = NewRevision(page.id, "", message, "articles", "en", b"", {})
    session.execute(articles.SQL.save_revisions, articles.revision_params([new]))
    assert session.execute(articles.LAST_ARTICLE, {"page_id": page.id}).one() == (message, "")
    [revision] = revisions_of(session, page.id, limit=1, with_messages=[1])
    assert revision.message == message
    stored = session.scalar(text("SELECT message::text FROM articles")) or ""
    assert stored.count("Élise") == 1


def test_progress_counts_each_message_of_the_run_once(session: Session) -> None:
    _, page = record_fetches(session, fetched_page())
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
