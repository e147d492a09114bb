"""Requests to process a single page again."""

from sqlalchemy import select

from models.tables import Site, StoredPage
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.workflow.extraction_requests import ask_again


def revisions(tasks: Tasks) -> dict[str, int]:
    return {url: article["revision"] for url, article in tasks.articles().items()}


def clustered(tasks: Tasks) -> list[int]:
    site = tasks.publish("news.example", [(f"{n}", article_html(n)) for n in range(4)])
    tasks.group(site)
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}
    found: list[int] = tasks.ask(select(StoredPage.id).order_by(StoredPage.url))
    return found


def test_only_the_requested_page_gets_a_new_revision(tasks: Tasks) -> None:
    pages = clustered(tasks)
    assert tasks.read(lambda session: ask_again(session, pages[2], "extract"))
    tasks.settle()
    assert revisions(tasks) == {"https://news.example/2": 2}


def test_a_page_parsed_again_gets_a_new_revision_after_the_next_clustering(tasks: Tasks) -> None:
    pages = clustered(tasks)
    assert tasks.read(lambda session: ask_again(session, pages[1], "parse"))
    tasks.settle()
    tasks.group(tasks.ask(select(Site.id))[0])
    tasks.settle()
    assert revisions(tasks) == {"https://news.example/1": 2}


def test_a_missing_page_cannot_be_requested(tasks: Tasks) -> None:
    assert not tasks.read(lambda session: ask_again(session, 1, "extract"))
