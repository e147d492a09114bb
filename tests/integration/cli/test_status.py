"""`detourage status` with a real PostgreSQL and a real broker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy import event, func, insert, select, update
from sqlalchemy.engine import Engine

from models.tables import Generation, Receipt, Site, StoredPage, TemplateGroup
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages
from worker.store.progress import site_statuses

FIRST_ID = 10_000
"""ID of the first added site, and of its page."""

HOSTILE_NAME = "[/x]\x1b[31m\nforged"
"""Site name with unbalanced markup, a terminal escape sequence and a line break."""

status = partial(invoke, "status")


def add_sites(tasks: Tasks, count: int) -> None:
    """Store sites with one page each; every other one is clustered, and its page has an article."""
    keys = {FIRST_ID + index: f"s{index:04}.example" for index in range(count)}
    page = {"content_digest": "", "outcome": "article"}
    pages = [
        page | {"id": site_id, "site_id": site_id, "url": f"https://{key}/", "url_digest": key}
        for site_id, key in keys.items()
    ]
    group = {"generation": 2, "number": 1, "size": 1}
    tasks.execute(
        insert(Site).values([{"id": site_id, "key": key} for site_id, key in keys.items()]),
        insert(StoredPage).values(pages),
        update(StoredPage).where(StoredPage.id % 2 == 1).values(outcome=None),
    )
    clustered = [*keys][::2]
    for each in (1, 2):
        generation = {"number": each, "site_version": each, "method": "none"}
        tasks.execute(
            insert(Generation).values([generation | {"site_id": site_id} for site_id in clustered])
        )
    groups = [group | {"site_id": site_id, "representative_id": site_id} for site_id in clustered]
    tasks.execute(insert(TemplateGroup).values(groups))


@contextmanager
def record_statements(engine: Engine) -> Iterator[list[str]]:
    """Yield a list to which each SQL statement that the engine executes is appended."""
    executed: list[str] = []

    def record(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        executed.append(statement)

    event.listen(engine, "before_cursor_execute", record)
    yield executed
    event.remove(engine, "before_cursor_execute", record)


def test_the_number_of_statements_does_not_depend_on_the_number_of_sites(tasks: Tasks) -> None:
    counts = []
    for number in (2, 100):
        with tasks.database.transaction() as session:
            for table in (TemplateGroup, Generation, StoredPage, Site):
                session.query(table).delete()
        add_sites(tasks, number)
        with record_statements(tasks.database.engine) as executed:
            statuses = tasks.read(site_statuses)
        counts.append(len(executed))
        assert [each.pending for each in statuses] == [0, 1] * (number // 2)
        assert [each.generation for each in statuses] == [2, 0] * (number // 2)
        assert [each.groups for each in statuses] == [{1: 1}, {}] * (number // 2)
    assert counts[0] == counts[1]


def test_totals_are_shown_first_and_hidden_sites_are_counted(tasks: Tasks) -> None:
    add_sites(tasks, 50)
    lines = status("--top", "3").output.splitlines()
    assert lines[0] == "50 sites, 50 pages, 25 groups, 0 outliers"
    assert lines[1] == "outcomes: article 25, pending 25"
    assert sum(".example" in line for line in lines) == 3
    assert "and 47 more sites (see --top)" in lines
    assert max(map(len, lines)) <= 80


def test_each_page_counts_in_one_column_and_no_header_is_truncated(tasks: Tasks) -> None:
    key = "a-rather-long-name-of-a-newspaper.example"
    numbers = {"article": 4200, "menu": 30, "failed": 5, None: 7}
    with tasks.database.transaction() as session:
        site_id = session.scalar(insert(Site).returning(Site.id), {"key": key})
        pages = [
            {
                "site_id": site_id,
                "url": f"https://{key}/{outcome}/{number}",
                "url_digest": f"{outcome} {number}",
                "content_digest": "",
                "outcome": outcome,
                "confidence": 0.1,
                "forced": outcome is not None and number < 3,
            }
            for outcome, times in numbers.items()
            for number in range(times)
        ]
        session.execute(insert(StoredPage), pages)
    lines = status().output.splitlines()
    assert max(map(len, lines)) <= 80
    assert "outcomes: article 4200, failed 5, menu 30, pending 7" in lines
    assert "being extracted again: 9 pages" in lines
    columns = next(line.split() for line in lines if line.startswith(" site "))
    assert columns[:6] == ["site", "pages", "articles", "other", "failed", "pending"]
    row = next(line.split() for line in lines if line.startswith(" a-rather"))
    assert row[1:6] == ["4242", "4200", "30", "5", "7"]
    assert "…" not in "".join(lines)
    [site] = json.loads(status("--json").output)["sites"]
    assert (site["pending"], site["again"], site["pages"]) == (7, 9, 4242)


def test_an_option_hides_sites_without_pending_pages(tasks: Tasks) -> None:
    add_sites(tasks, 4)
    found = json.loads(status("--pending", "--json").output)
    assert [site["key"] for site in found["sites"]] == ["s0001.example", "s0003.example"]
    assert found["totals"]["sites"] == 4


def test_a_site_whose_articles_are_mostly_doubtful_is_reported(tasks: Tasks) -> None:
    add_sites(tasks, 2)
    with tasks.database.transaction() as session:
        [site_id, other_id] = session.scalars(select(Site.id).order_by(Site.key))
        session.add_all(
            StoredPage(
                site_id=site_id if number < 8 else other_id,
                url=f"https://{number}.example/",
                url_digest=f"page {number}",
                content_digest="",
                outcome="article",
                confidence=0.2 if number < 6 or number == 8 else 0.95,
                asked_at=func.now(),
            )
            for number in range(12)
        )
    found = status("--json").output
    sites = {site["key"]: site for site in json.loads(found)["sites"]}
    assert sites["s0000.example"]["doubtful"] == 6
    assert sites["s0000.example"]["dark"]
    assert sites["s0001.example"]["doubtful"] == 1
    assert not sites["s0001.example"]["dark"]
    output = status().output
    assert "doubtful: 7 articles" in output
    assert "s0000.example: most articles from the last day are doubtful" in output
    metrics = status("--prometheus").output
    assert 'detourage_doubtful_articles{site="s0000.example"} 6.0' in metrics
    assert 'detourage_doubtful_articles{site="s0001.example"}' not in metrics


@pytest.mark.usefixtures("tasks")
def test_status_shows_only_the_queues_on_request() -> None:
    assert set(json.loads(status("--queues", "--json").output)) == {"queues"}
    assert "crawler.pages" in status("--queues").output


def test_site_names_cannot_control_the_terminal(tasks: Tasks) -> None:
    tasks.publish(HOSTILE_NAME, [("a", article_html(1))])
    for arguments in ((), (HOSTILE_NAME,), ("--json",)):
        output = status(*arguments).output
        assert "\x1b[31m" not in output
        assert "\nforged" not in output
    assert "[/x]" in status().output


def test_the_history_of_a_page_lists_fetches_and_revisions(tasks: Tasks) -> None:
    url = "https://news.example/7"
    assert "no page with this URL is stored" in status(url, code=1).output
    tasks.process_site(tasks.publish("a", [*article_pages(range(4, 8)), ("9", "<p>--")]))
    with tasks.database.transaction() as session:
        page_id = session.scalar(select(StoredPage.id).where(StoredPage.url == url))
        received_at = datetime(2026, 3, 1, tzinfo=UTC)
        session.add(Receipt(result="stored", page_id=page_id, received_at=received_at))
    tasks.publish("a", [("7", article_html(8))])
    tasks.run_all()
    assert "outcome: no-text: " in status("https://news.example/9").output
    lines = [line.partition("  ")[2] for line in status(url).output.splitlines() if line[0] != " "]
    events = [line.partition("  ")[2] for line in lines]
    assert events == ["fetched: stored", "revision 1", "revision 2"]
    assert json.loads(status(url, "--json").output.splitlines()[-1])["revision"] == 2
