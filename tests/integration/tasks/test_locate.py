"""`detourage locate` finds the text of an article in its stored page."""

import json

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from models.tables import Article, StoredPage
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.cli import main

HTML = article_html(7)
CHANGED = HTML.replace("Note 7-1.", "Note 7-1, corrected.", 1)
URL = "https://news.example/story"


def send(tasks: Tasks, html: str = HTML) -> None:
    tasks.send([{"version": 1, "url": URL, "html": html}])
    tasks.settle()


def articles(tasks: Tasks) -> list[Article]:
    """Return the revisions of the article at `URL`."""
    query = select(Article).join(StoredPage, StoredPage.id == Article.page_id)
    with tasks.database.transaction() as session:
        found = list(session.scalars(query.where(StoredPage.url == URL).order_by(Article.revision)))
        session.expunge_all()
    return found


@pytest.fixture
def text(tasks: Tasks) -> str:
    """Publish the page on a clustered site, and return the text of its article."""
    tasks.group(tasks.publish("news.example", [(f"{n}", article_html(n)) for n in range(4)]))
    tasks.settle()
    send(tasks)
    (article,) = articles(tasks)
    return str(article.message["text"])


def locate(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["locate", *map(str, arguments)])


def test_a_range_is_located_by_address_and_by_id(tasks: Tasks, text: str) -> None:
    start = text.index("Note 7-1")
    found = locate(URL, start, start + len("Note 7-1"), "--json")
    passage = json.loads(found.output)
    assert HTML.encode()[passage["byte_start"] : passage["byte_end"]] == b"Note 7-1"
    (article,) = articles(tasks)
    assert locate(article.id, start, start + len("Note 7-1"), "--json").output == found.output


def test_the_address_that_highlights_it_is_printed(text: str) -> None:
    start = text.index("Note 7-1")
    lines = locate(URL, start, start + len("Note 7-1")).output.splitlines()
    assert lines[0] == "Note 7-1"
    assert lines[-1].startswith(f"{URL}#:~:text=")
    assert "Note%207%2D1" in lines[-1]


def test_a_page_fetched_again_with_another_text_is_an_error(tasks: Tasks, text: str) -> None:
    send(tasks, CHANGED)
    start = text.index("Note 7-1.")
    assert locate(URL, start, start + 8).exit_code == 0
    found = locate(articles(tasks)[0].id, start, start + 9)
    assert found.exit_code == 1
    assert "fetched again after revision 1" in found.output


def test_errors_say_what_is_missing(tasks: Tasks, text: str) -> None:
    assert "no article with this ID" in locate("https://news.example/other", 0, 5).output
    assert "not part of a block" in locate(URL, len(text), len(text) + 5).output


def test_a_new_location_alone_sends_no_revision(tasks: Tasks, text: str) -> None:
    send(tasks, HTML.replace("<body", "<!-- another advertisement --><body", 1))
    assert len(articles(tasks)) == 1
