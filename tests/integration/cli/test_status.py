"""`detourage status` on a real PostgreSQL and broker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import event, insert
from sqlalchemy.engine import Engine

from models.tables import Generation, Site, StoredPage, TemplateGroup
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.cli import main
from worker.store.progress import site_statuses

HOSTILE = "[/x]\x1b[31m\nforged"
"""Markup that closes nothing, an order to the terminal, and a line of its own."""


def status(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["status", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def add_sites(tasks: Tasks, number: int) -> None:
    """Store sites of one page each, the even ones with an article of a first clustering."""
    keys = [f"s{each:04}.example" for each in range(number)]
    with tasks.database.transaction() as session:
        ids = list(
            session.scalars(
                insert(Site).returning(Site.id, sort_by_parameter_order=True),
                [{"key": key} for key in keys],
            )
        )
        pages = [
            {
                "site_id": site_id,
                "url": f"https://{key}/",
                "url_digest": key,
                "content_digest": "",
                "outcome": None if index % 2 else "article",
            }
            for index, (site_id, key) in enumerate(zip(ids, keys, strict=True))
        ]
        page_ids = list(
            session.scalars(
                insert(StoredPage).returning(StoredPage.id, sort_by_parameter_order=True), pages
            )
        )
        done = list(zip(ids, page_ids, strict=True))[::2]
        generations = [
            {"site_id": site_id, "number": number, "site_version": number, "method": "none"}
            for site_id, _ in done
            for number in (1, 2)
        ]
        session.execute(insert(Generation), generations)
        groups = [
            {
                "site_id": site_id,
                "generation": 2,
                "number": 1,
                "size": 1,
                "representative_id": page_id,
            }
            for site_id, page_id in done
        ]
        session.execute(insert(TemplateGroup), groups)


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


def test_a_hundred_sites_take_no_more_statements_than_two(tasks: Tasks) -> None:
    counts = []
    for number in (2, 100):
        with tasks.database.transaction() as session:
            for table in (TemplateGroup, Generation, StoredPage, Site):
                session.query(table).delete()
        add_sites(tasks, number)
        with statements(tasks.database.engine) as seen:
            found = tasks.read(site_statuses)
        counts.append(len(seen))
        assert [each.pending for each in found] == [0, 1] * (number // 2)
        assert [each.generation for each in found] == [2, 0] * (number // 2)
        assert [each.groups for each in found] == [{1: 1}, {}] * (number // 2)
    assert counts[0] == counts[1]


def test_totals_come_first_and_what_is_not_shown_is_counted(tasks: Tasks) -> None:
    add_sites(tasks, 50)
    lines = status("--top", "3").output.splitlines()
    assert lines[0] == "50 sites, 50 pages, 25 pending, 25 groups, 0 outliers"
    assert lines[1] == "outcomes: article 25, pending 25"
    assert sum(".example" in line for line in lines) == 3
    assert "and 47 sites more" in lines
    assert max(map(len, lines)) <= 80


def test_only_sites_that_wait_are_shown_when_asked_for(tasks: Tasks) -> None:
    add_sites(tasks, 4)
    found = json.loads(status("--pending", "--json").output)
    assert [site["key"] for site in found["sites"]] == ["s0001.example", "s0003.example"]
    assert found["totals"]["sites"] == 4


@pytest.mark.usefixtures("tasks")
def test_queues_alone() -> None:
    assert set(json.loads(status("--queues", "--json").output)) == {"queues"}
    assert "crawler.pages" in status("--queues").output


def test_the_name_of_a_site_gives_no_orders(tasks: Tasks) -> None:
    tasks.publish(HOSTILE, [("a", article_html(1))])
    for arguments in ((), (HOSTILE,), ("--json",)):
        shown = status(*arguments).output
        assert "\x1b[31m" not in shown
        assert "\nforged" not in shown
    assert "[/x]" in status().output
