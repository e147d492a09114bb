"""Views of a site before its first clustering, and of a site that is no longer clustered."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from models.tables import StoredPage
from tests.crawled import Client, inspector_client
from tests.inline_tasks import Tasks
from tests.pages import article_pages
from worker.settings import Settings
from worker.store import clusterings, first_extractions
from worker.workflow.process_state import configure, process_state

PAGES = 4


@pytest.fixture(scope="module")
def tasks(settings: Settings) -> Iterator[Tasks]:
    """Tasks on the database of this module."""
    configure(settings)
    tasks = Tasks(process_state().database)
    yield tasks
    tasks.database.dispose()


@pytest.fixture(scope="module")
def site_id(tasks: Tasks) -> int:
    """ID of a site that is not clustered yet; all but one of its pages were extracted early."""
    htmls = article_pages(range(PAGES))
    site_id = tasks.publish("news.example", htmls)
    with tasks.database.transaction() as session:
        pages = session.scalars(select(StoredPage.id)).all()
        first_extractions.add_pages(session, [site_id], pages[:-1])
    return site_id


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[Client]:
    with inspector_client(settings) as client:
        yield client


def test_pages_of_an_unclustered_site_are_shown_as_waiting(client: Client, site_id: int) -> None:
    [site] = client.values("/sites.json")["sites"]
    assert (site["id"], site["is_clustered"]) == (site_id, False)
    view = client.get("/sites").text
    assert "not clustered yet" in view
    assert "in none" not in view
    assert "alone" not in view


def test_a_site_view_shows_why_pages_are_in_no_group(client: Client, site_id: int) -> None:
    values = client.values(f"/sites/{site_id}.json")
    assert values["is_clustered"] is False
    reasons = {each["kind"]: each for each in values["without_group"]}
    assert {kind: each["pages"] for kind, each in reasons.items()} == {
        "outliers": PAGES - 1,
        "waiting": 1,
    }
    assert "as the site is not clustered yet" in reasons["outliers"]["reason"]
    assert "no new page has arrived for 3 s" in reasons["waiting"]["reason"]
    assert reasons["outliers"]["reason"] in client.get(f"/sites/{site_id}").text


def test_a_site_view_shows_that_the_site_is_in_quarantine(
    client: Client, tasks: Tasks, site_id: int
) -> None:
    with tasks.database.transaction() as session:
        attempt = {"site_id": site_id, "has_crashed": False, "pauses_seconds": []}
        session.execute(clusterings.SQL.begin, attempt)
        error = {"site_id": site_id, "error": "ValueError: not a matrix"}
        session.execute(clusterings.SQL.record_error, error)
        clusterings.quarantine_site(session, site_id)
    values = client.values(f"/sites/{site_id}.json")
    assert all("ValueError: not a matrix" in each["reason"] for each in values["without_group"])
    assert "not clustered yet" not in client.get("/sites").text
