"""Deleting a site removes all of its data, and does not change other sites."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from detourage.messages import PageMessage
from models.tables import Site, StoredPage
from tests.addressed import FIVE_URLS, article_under_five_urls
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.pages import article_html
from tests.waiting import wait_until
from worker.store import first_extractions
from worker.store.extraction_jobs import TemplatePage
from worker.store.pages import FetchedPage, ParsedPage
from worker.store.retention import SiteDeletionError, delete_site
from worker.tasks.join_parts import join_parts
from worker.workflow.known_templates import KnownTemplates
from worker.workflow.parsing import store_pages


def page(seed: int, **other: Any) -> dict[str, Any]:
    """Return a page message of the site to be deleted, with an unknown key ``x``."""
    url = f"https://www.example.org/b-{seed}"
    return {"version": 1, "url": url, "html": article_html(seed), "status": 200, "x": "\0"} | other


PAGES = [
    *(
        {"version": 1, "url": url, "html": article_under_five_urls()[url], "id": f"of {url}"}
        for url in FIVE_URLS
    ),
    *(page(seed, fetched_at=f"2024-05-0{seed}T00:00:00Z") for seed in range(3, 8)),
]

DELETE = ("prune", "--site", "example.org", "--yes")


def process(tasks: Tasks, sent: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Process pages, with a clustering of their site, and return the articles sent, by URL."""
    tasks.process_site(tasks.send(sent))
    join_parts(settle_seconds=0)
    return tasks.take_articles()


def test_a_deleted_site_leaves_the_others_as_they_were(tasks: Tasks) -> None:
    # Both sites have the same five articles.
    process(tasks, PAGES)
    other = [
        {**each, "url": each["url"].replace("example.org", "other.example")} for each in PAGES[-5:]
    ]
    process(tasks, other)
    assert "6 pages of example.org deleted" in invoke(*DELETE).output
    assert "site 'example.org' is unknown" in invoke(*DELETE, code=1).output
    remaining_urls = tasks.query(select(StoredPage.url).order_by(StoredPage.id))
    assert remaining_urls == [each["url"] for each in other]
    tasks.run_all()
    assert process(tasks, PAGES) != {}


@pytest.fixture
def deletion(tasks: Tasks) -> Iterator[Callable[[], Future[int]]]:
    """Return a function that starts the deletion of the site in a thread.

    The site's first page must be locked; the function returns once the deletion waits for it.
    """

    def begin() -> Future[int]:
        future = pool.submit(delete_site, tasks.database, "example.org")
        wait_until(lambda: tasks.read(lambda session: session.scalar(_A_LOCK_IS_AWAITED)))
        return future

    with ThreadPoolExecutor() as pool:
        yield begin


_A_LOCK_IS_AWAITED = text("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")


def lock_first_page(session: Session) -> StoredPage:
    query = select(StoredPage).order_by(StoredPage.id).limit(1).with_for_update()
    return session.scalars(query).one()


def test_a_site_is_deleted_while_its_pages_are_grouped(
    tasks: Tasks, deletion: Callable[[], Future[int]]
) -> None:
    site_id = tasks.send(PAGES)
    with tasks.database.transaction() as session:
        page = lock_first_page(session)
        future = deletion()
        first_extractions.add_pages(session, [site_id], [page.id])
    assert future.result(timeout=600) == 6
    assert tasks.query(select(Site.id)) == []


def test_pages_that_arrive_while_their_site_is_deleted_are_reported(
    tasks: Tasks, deletion: Callable[[], Future[int]]
) -> None:
    tasks.send(PAGES)
    with tasks.database.transaction() as arriving:
        with tasks.database.transaction() as session:
            lock_first_page(session)
            future = deletion()
            fetched = FetchedPage.of(PageMessage.model_validate(page(9)))
            store_pages(arriving, [(fetched, ParsedPage())])
        # The new page is committed once the deletion of the site waits for it.
        wait_until(lambda: tasks.query(select(func.count(StoredPage.id))) == [0])
        wait_until(lambda: tasks.read(lambda session: session.scalar(_A_LOCK_IS_AWAITED)))
    with pytest.raises(
        SiteDeletionError, match="stop sending pages of the site, and delete it again"
    ):
        future.result(timeout=600)
    invoke(*DELETE)
    assert tasks.query(select(Site.id)) == []


def test_a_deleted_template_page_fails_one_task_only(tasks: Tasks) -> None:
    tasks.send(PAGES[:1])
    page = StoredPage
    columns = (page.id, page.url, page.content_type, page.content_digest)
    templates = KnownTemplates()
    with tasks.database.transaction() as session:
        (template_page,) = (TemplatePage(*row) for row in session.execute(select(*columns)))
        templates.load(session, [template_page])
        assert templates.get(template_page) is not None
        session.execute(delete(page))
    with pytest.raises(IntegrityError):
        tasks.database.run(templates.save)
    tasks.database.run(templates.save)
