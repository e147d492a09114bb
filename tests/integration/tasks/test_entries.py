"""Entries of live reports that are fetched repeatedly."""

from typing import Any

from sqlalchemy import func, select

from models.tables import Article
from tests.inline_tasks import Tasks
from tests.pages import article_html
from tests.unit.article.live_pages import SAID, TITLES, blocks, declared, live_html

URL = "https://news.example/live"


def fetch(tasks: Tasks, *numbers: int, said: tuple[str, ...] = SAID) -> dict[str, Any] | None:
    """Store a report with the given entries; return the article if one was sent."""
    html = live_html(blocks(numbers, said=said), head=declared(numbers[:2]))
    site_id = tasks.publish("a", [("live", html)])
    tasks.group(site_id)
    tasks.settle()
    return tasks.articles().get(URL)


def what_is_new(article: dict[str, Any] | None) -> dict[str, tuple[bool | None, bool | None]]:
    assert article is not None
    return {each["title"]: (each["is_new"], each["is_changed"]) for each in article["entries"]}


def test_a_revision_marks_the_entries_that_are_new_or_changed(tasks: Tasks) -> None:
    tasks.publish("a", [(f"{n}", article_html(n)) for n in range(3)])
    first = fetch(tasks, 2, 3, 4)
    assert what_is_new(first) == dict.fromkeys(TITLES[2:], (None, None))
    assert fetch(tasks, 2, 3, 4) is None
    corrected = (*SAID[:4], "Good evening from the river, where the bridge is still to open today.")
    later = fetch(tasks, 0, 1, 2, 3, 4, said=corrected)
    assert later is not None
    assert what_is_new(later) == {
        TITLES[0]: (True, False),
        TITLES[1]: (True, False),
        TITLES[2]: (False, False),
        TITLES[3]: (False, False),
        TITLES[4]: (False, True),
    }
    assert later["revision"] == 2
    assert fetch(tasks, 0, 1, 2, 3, 4, said=corrected) is None
    tasks.reprocess("a")
    tasks.settle()
    assert set(what_is_new(tasks.articles()[URL]).values()) == {(False, False)}


def test_entries_are_not_marked_as_new_if_the_earlier_message_had_no_entries(tasks: Tasks) -> None:
    tasks.publish("a", [(f"{n}", article_html(n)) for n in range(3)])
    fetch(tasks, 1, 2, 3)
    with tasks.database.transaction() as session:
        for article in session.scalars(select(Article)):
            article.message = {
                key: value for key, value in article.message.items() if key != "entries"
            }
    assert set(what_is_new(fetch(tasks, 0, 1, 2, 3)).values()) == {(None, None)}
    assert tasks.ask(select(func.max(Article.revision))) == [2]
