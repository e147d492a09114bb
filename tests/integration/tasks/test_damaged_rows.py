"""Damaged bytes in a row of the database affect no page but the one to which they belong."""

from collections.abc import Callable
from functools import cache
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import func, inspect, select, text, update

from detourage.packed_bytes import pack
from models.tables import PageContent, PageKnowledge, StoredPage, StoredTree, TemplateGroup
from tests.inline_tasks import Tasks
from tests.pages import article_html
from tests.waiting import wait_until
from worker.messaging import task_names
from worker.tasks.extract import extract
from worker.workflow import comparison_plan

PAGES = [(str(number), article_html(number, number=number + 2)) for number in range(5)]


def flip_bit(data: bytes) -> bytes:
    """Return bytes with a flipped bit in the middle."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@cache
def decompression_bomb() -> bytes:
    """Return a few kilobytes that unpack to 1 GiB."""
    return pack(bytes(2**30), 1)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flipped": flip_bit,
    "cut": lambda data: data[:-3],
    "emptied": lambda _: b"",
    "appended": lambda data: data + b"more",
    "exchanged": lambda _: b"nothing that was ever packed",
    "bomb": lambda _: decompression_bomb(),
}


def damage(tasks: Tasks, column: Any, condition: Any, damage_value: Callable[[Any], Any]) -> int:
    """Damage a column of the rows that meet a condition, and return their number."""
    key = inspect(column.class_).primary_key[0]
    rows = tasks.query(select(key, column).where(condition))
    for identity, value in rows:
        changed = update(column.class_).where(key == identity)
        tasks.execute(changed.values({column.key: damage_value(value)}))
    return len(rows)


def page_ids(tasks: Tasks, *paths: str) -> list[int]:
    """Return the IDs of the pages with the given URL paths."""
    urls = [f"https://news.example/{path}" for path in paths]
    found: list[int] = tasks.query(select(StoredPage.id).where(StoredPage.url.in_(urls)))
    return found


def process_twice(tasks: Tasks, site_id: int) -> None:
    """Process a site, including a second clustering, which repairs what the first one found."""
    tasks.process_site(site_id)
    tasks.process_site(site_id)


@pytest.mark.parametrize("damage_name", DAMAGES)
def test_only_a_damaged_page_fails_and_its_error_has_advice(tasks: Tasks, damage_name: str) -> None:
    site_id = tasks.cluster(tasks.publish("a", PAGES))
    damage(
        tasks,
        PageContent.compressed,
        PageContent.page_id.in_(page_ids(tasks, "3")),
        DAMAGES[damage_name],
    )
    tasks.run_all()
    found = tasks.outcomes()
    outcome, detail = found.pop("3")
    assert outcome == "failed"
    assert "the stored HTML is damaged" in (detail or "")
    assert "send the page again" in (detail or "")
    assert set(found.values()) == {("article", None)}
    assert len(tasks.take_articles()) == 4
    # Following the advice repairs the page.
    tasks.publish("a", PAGES[3:4])
    tasks.reprocess("a", "parse")
    process_twice(tasks, site_id)
    assert set(tasks.outcomes().values()) == {("article", None)}


@pytest.mark.parametrize(
    ("damage_name", "limit"), [*((name, 400) for name in DAMAGES), ("flipped", 3)]
)
def test_a_page_whose_tree_is_damaged_is_parsed_again(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch, damage_name: str, limit: int
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", limit)
    site_id = tasks.publish("a", PAGES)
    some_trees = StoredTree.id.in_(tree_ids(tasks, "1", "3"))
    assert damage(tasks, StoredTree.packed, some_trees, DAMAGES[damage_name]) == 2
    process_twice(tasks, site_id)
    assert set(tasks.outcomes().values()) == {("article", None)}
    assert len(tasks.take_articles()) == 5
    assert {group for group, _, _ in tasks.groups(site_id).values()} == {1}
    assert len(tasks.trees(site_id)) == 5


def test_damaged_trees_do_not_stop_the_assignment_of_other_pages(tasks: Tasks) -> None:
    site_id = tasks.publish("a", PAGES)
    process_twice(tasks, site_id)
    new = [(str(number), article_html(number, number=number + 2)) for number in range(5, 9)]
    unlike_pages = [(f"odd/{n}", article_html(n, number=n, template="table")) for n in range(2, 6)]
    tasks.restart()
    tasks.publish("a", [*new, *unlike_pages])
    some_trees = StoredTree.id.in_(tree_ids(tasks, "1", "3", "6", "odd/3"))
    assert damage(tasks, StoredTree.packed, some_trees, flip_bit) == 4
    process_twice(tasks, site_id)
    assert set(tasks.outcomes().values()) == {("article", None)}
    assert len(tasks.take_articles()) == 13
    assert len(tasks.trees(site_id)) == 13


def tree_ids(tasks: Tasks, *paths: str) -> list[int]:
    """Return the IDs of the trees of pages."""
    found: list[int] = tasks.query(
        select(StoredPage.tree_id).where(StoredPage.id.in_(page_ids(tasks, *paths)))
    )
    return found


@pytest.mark.parametrize("damage_name", DAMAGES)
def test_damaged_knowledge_is_learned_again(tasks: Tasks, damage_name: str) -> None:
    site_id = tasks.publish("a", PAGES)
    process_twice(tasks, site_id)
    before = tasks.take_articles()
    learned = tasks.query(select(PageKnowledge.packed).order_by(PageKnowledge.page_id))
    all_rows = PageKnowledge.page_id > 0
    assert damage(tasks, PageKnowledge.packed, all_rows, DAMAGES[damage_name]) == len(learned)
    tasks.restart()
    tasks.reprocess("a")
    tasks.run_all()
    articles = tasks.take_articles()
    assert {url: each["text"] for url, each in articles.items()} == {
        url: each["text"] for url, each in before.items()
    }
    assert tasks.query(select(PageKnowledge.packed).order_by(PageKnowledge.page_id)) == learned


@pytest.mark.parametrize("damaged", ["[[", "[1]", "[[2], 0, 1]", "[null, 1e999, 0]", "[" * 99_999])
def test_a_damaged_comment_pattern_stops_nothing(tasks: Tasks, damaged: str) -> None:
    site_id = tasks.publish("a", PAGES)
    some_pages = StoredPage.id.in_(page_ids(tasks, "1", "3"))
    assert damage(tasks, StoredPage.comment_vote, some_pages, lambda _: damaged) == 2
    process_twice(tasks, site_id)
    assert set(tasks.outcomes().values()) == {("article", None)}
    tasks.execute(update(TemplateGroup).values(comment_pattern=damaged))
    tasks.reprocess("a")
    tasks.run_all()
    assert set(tasks.outcomes().values()) == {("article", None)}
    assert len(tasks.take_articles()) == 5


def test_an_attempt_after_a_crash_counts_before_anything_is_read(tasks: Tasks) -> None:
    tasks.cluster(tasks.publish("a", PAGES))
    first, *_ = tasks.take(task_names.EXTRACT)

    def extract_again() -> None:
        extract.push_request(delivery_info={"redelivered": True})
        extract.run(**first)

    # The redelivery counts the attempt that crashed, in addition to its own.
    attempts = select(func.count()).where(StoredPage.attempts == 2)
    with tasks.database.transaction() as session:
        session.execute(text("LOCK TABLE page_contents, page_knowledge IN ACCESS EXCLUSIVE MODE"))
        extraction = Thread(target=extract_again)
        extraction.start()
        wait_until(lambda: tasks.query(attempts) == [1])
    extraction.join()
    done = select(StoredPage.outcome).where(StoredPage.id == first["page_id"])
    assert tasks.query(done) == ["article"]
