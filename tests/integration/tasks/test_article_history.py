"""The revisions of an article, and its history."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import delete, select

from models.tables import OutboxEntry, Receipt, StoredPage
from tests.inline_tasks import Tasks, message_of
from tests.pages import article_html
from worker.cli import main

URL = "https://news.example/story"
START = datetime(2026, 3, 1, tzinfo=UTC)
GOOD = article_html(7)
EDITED = GOOD.replace("Note 7-1.", "Note 7-1, corrected.", 1)


@pytest.fixture
def site(tasks: Tasks) -> Tasks:
    """The tasks, with a clustered site that has published an article at `URL`."""
    tasks.group(tasks.publish("news.example", [(f"{n}", article_html(n)) for n in range(4)]))
    tasks.settle()
    fetch(tasks, GOOD)
    sent(tasks)
    return tasks


def fetch(tasks: Tasks, html: str, hour: int = 0) -> None:
    moment = (START + timedelta(hours=hour)).isoformat()
    tasks.send([{"version": 1, "url": URL, "html": html, "fetched_at": moment}])
    tasks.settle()


def sent(tasks: Tasks) -> list[tuple[str | None, dict[str, Any]]]:
    """Consume the messages in the outbox; return their exchanges and bodies in order."""
    with tasks.database.transaction() as session:
        rows = session.execute(
            delete(OutboxEntry)
            .where(OutboxEntry.routing_key.is_not(None))
            .returning(OutboxEntry.id, OutboxEntry.exchange, OutboxEntry.body)
        ).all()
    return [(exchange, message_of(body)) for _, exchange, body in sorted(rows)]


def test_an_article_that_returns_after_its_removal_is_sent_whole(site: Tasks) -> None:
    for hour in (1, 2):
        moment = (START + timedelta(hours=hour)).isoformat()
        gone = {"version": 1, "url": URL, "html": "<p>Gone", "status": 410, "fetched_at": moment}
        site.send([gone])
        site.settle()
    fetch(site, GOOD, 3)
    assert [(exchange, body["withdrawn"] is None) for exchange, body in sent(site)] == [
        ("articles", False),
        ("articles", True),
    ]


def test_reprocessing_sends_an_unchanged_article_whole(site: Tasks) -> None:
    site.reprocess("news.example", "extract")
    site.settle()
    exchanges = {exchange for exchange, body in sent(site) if body["url"] == URL}
    assert exchanges == {"articles"}


def test_history_lists_fetches_and_revisions(site: Tasks) -> None:
    with site.database.transaction() as session:
        page_id = session.scalar(select(StoredPage.id).where(StoredPage.url == URL))
        session.add(Receipt(result="stored", page_id=page_id, received_at=START))
    fetch(site, EDITED, 1)
    found = CliRunner().invoke(main, ["status", URL])
    assert found.exit_code == 0, found.output
    lines = [line.partition("  ")[2] for line in found.output.splitlines() if line[0] != " "]
    events = [line.partition("  ")[2] for line in lines]
    assert events == ["fetched: stored", "revision 1", "revision 2"]
    lines = CliRunner().invoke(main, ["status", URL, "--json"]).output.splitlines()
    assert json.loads(lines[-1])["revision"] == 2


def test_history_of_an_unknown_address_is_an_error(tasks: Tasks) -> None:
    found = CliRunner().invoke(main, ["status", URL])
    assert found.exit_code == 1
    assert "no page with this address is stored" in found.output
