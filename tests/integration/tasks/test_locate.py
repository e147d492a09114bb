"""The text of an article is found in its stored page."""

import pytest
from sqlalchemy import select

from detourage.messages import ArticleMessage
from detourage.reader.locations import LocationError, Passage, locate_in_message
from models.tables import Article, StoredPage
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.store.pages import load_content, load_page

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


def locate(tasks: Tasks, start: int, end: int, *, revision: int = -1) -> list[Passage]:
    """Return the passages of a range of a revision's text in the page as it is now."""
    article = articles(tasks)[revision]
    content = tasks.read(lambda session: load_content(session, article.page_id))
    page = tasks.read(lambda session: load_page(session, article.page_id))
    assert content is not None
    assert page is not None
    message = ArticleMessage.model_validate(article.message)
    return locate_in_message(content, page.content_type, message, start, end)


def test_a_range_is_located(tasks: Tasks, text: str) -> None:
    start = text.index("Note 7-1")
    (passage,) = locate(tasks, start, start + len("Note 7-1"))
    assert HTML.encode()[passage.byte_start : passage.byte_end] == b"Note 7-1"


def test_a_page_fetched_again_with_another_text_is_an_error(tasks: Tasks, text: str) -> None:
    send(tasks, CHANGED)
    start = text.index("Note 7-1.")
    assert [each.text for each in locate(tasks, start, start + 8)] == ["Note 7-1"]
    with pytest.raises(LocationError):
        locate(tasks, start, start + 9, revision=0)


def test_a_range_outside_of_the_blocks_is_an_error(tasks: Tasks, text: str) -> None:
    with pytest.raises(LocationError, match="not part of a block"):
        locate(tasks, len(text), len(text) + 5)


def test_a_new_location_alone_sends_no_revision(tasks: Tasks, text: str) -> None:
    send(tasks, HTML.replace("<body", "<!-- another advertisement --><body", 1))
    assert len(articles(tasks)) == 1
