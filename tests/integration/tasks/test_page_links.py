"""Links that are sent to the crawler."""

import json
from typing import Any

import pytest
from sqlalchemy import delete, select

from detourage.links import LinksMessage
from models.tables import OutboxEntry, PageLinks, StoredPage
from tests.fronts import front_html, listed
from tests.inline_tasks import Tasks, message_of
from tests.pages import article_html


@pytest.fixture(autouse=True)
def _links_are_asked_for(tasks: Tasks) -> None:
    tasks.restart(send_links=True)


def show(tasks: Tasks, html: str) -> None:
    """Send a page and run all tasks that result from it."""
    tasks.publish("a", [("town/", html)])
    tasks.settle()


def sent(tasks: Tasks) -> list[tuple[str, dict[str, Any]]]:
    """Return and remove the pending links messages, each with its routing key."""
    with tasks.database.transaction() as session:
        rows = session.execute(
            delete(OutboxEntry)
            .where(OutboxEntry.exchange == "links")
            .returning(OutboxEntry.id, OutboxEntry.routing_key, OutboxEntry.body)
        ).all()
    return [(key or "", message_of(body)) for _, key, body in sorted(rows)]


def settled(tasks: Tasks, html: str) -> list[tuple[str, dict[str, Any]]]:
    site_id = tasks.publish("a", [("town/", html)])
    tasks.group(site_id)
    tasks.settle()
    return sent(tasks)


def test_a_front_page_has_no_article_and_its_links_are_sent(tasks: Tasks) -> None:
    ((key, message),) = settled(tasks, front_html(range(9), next_page="/town/?page=2"))
    assert key == "menu.a"
    assert message["links"] == listed(range(9))
    assert message["next"] == "https://news.example/town/?page=2"
    assert (message["kind"], message["site"]) == ("menu", "a")
    assert message["url"] == "https://news.example/town/"
    assert LinksMessage.model_validate(message).to_json() == message
    assert tasks.ask(select(StoredPage.outcome)) == ["menu"]
    assert tasks.articles() == {}


def test_an_unchanged_front_page_is_sent_once(tasks: Tasks) -> None:
    ((_, first),) = settled(tasks, front_html(range(9)))
    show(tasks, front_html(range(9)).replace("<main>", "<p>Monday</p><main>"))
    assert sent(tasks) == []
    show(tasks, front_html(range(3, 12)))
    ((_, second),) = sent(tasks)
    assert second["links"] == listed(range(3, 12))
    assert first["id"] != second["id"]
    show(tasks, front_html(range(9)))
    ((_, again),) = sent(tasks)
    assert again == first


def test_reprocessing_sends_links_again(tasks: Tasks) -> None:
    before = settled(tasks, front_html(range(9)))
    tasks.reprocess("a")
    tasks.settle()
    assert sent(tasks) == before


def test_links_of_an_article_are_not_sent(tasks: Tasks) -> None:
    site_id = tasks.publish("a", [(f"{n}", article_html(n)) for n in range(4)])
    tasks.group(site_id)
    tasks.settle()
    assert sent(tasks) == []
    assert len(tasks.articles()) == 4


def test_links_are_neither_stored_nor_sent_unless_configured(tasks: Tasks) -> None:
    tasks.restart(send_links=False)
    assert settled(tasks, front_html(range(9))) == []
    assert tasks.ask(select(PageLinks.page_id)) == []


def test_a_links_message_is_cut_to_the_message_size_limit(tasks: Tasks) -> None:
    tasks.restart(max_message_bytes=1024 * 1024)
    long = "a" * 7_000
    items = "".join(f'<h2><a href="/{long}/{n}">{n} is the story</a></h2>' for n in range(400))
    ((_, message),) = settled(tasks, front_html(range(9)).replace("<main>", f"<main>{items}"))
    assert 100 < len(message["links"]) < 400
    assert len(json.dumps(message)) <= 1024 * 1024
