"""A deployment that has processed a sample crawl, and HTTP clients of its inspector."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests
from sqlalchemy import select

from examples.sample_crawl import generate
from inspector.application import create_app
from inspector.deployment import Deployment
from inspector.serving import address_of, bound_socket, running_server
from inspector.settings import InspectorSettings
from models.tables import Site, StoredPage
from tests.deployment import own_queues, own_settings
from tests.inline_tasks import Tasks
from tests.services import Services, temporary_database
from worker.messaging.broker import connect, topology_of
from worker.settings import Settings
from worker.store.database import Database
from worker.workflow.process_state import configure, process_state

SITES = ("harbour-post.example", "sada-almina.example")
"""Two sites of the sample crawl: the first is redesigned, and the second is in Arabic."""


@dataclass(frozen=True)
class Client:
    """An HTTP client of an inspector that follows redirects and stores cookies.

    `base` is the URL of the inspector.
    """

    base: str
    session: requests.Session

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(urljoin(self.base, path), timeout=600, **options)

    def post(self, path: str, fields: dict[str, Any], **options: Any) -> requests.Response:
        return self.session.post(urljoin(self.base, path), data=fields, timeout=600, **options)

    def values(self, path: str) -> dict[str, Any]:
        """Return the JSON object at a path."""
        response = self.get(path)
        assert response.status_code == 200, response.text
        values: dict[str, Any] = json.loads(response.content)
        return values


@contextmanager
def crawled_deployment(
    services: Services, template: str, directory: Path, *, pages_per_template: int = 4
) -> Iterator[Settings]:
    """Yield the settings of a deployment that has processed a sample crawl.

    `template` is the URL of a database with the current schema; it is copied.
    """
    with (
        temporary_database(services, template=template) as url,
        own_queues(own_settings(services, url, directory)) as settings,
    ):
        with connect(settings) as connection:
            topology_of(settings).declare(connection)
        fill(settings, pages_per_template)
        yield settings


def fill(settings: Settings, pages_per_template: int) -> None:
    """Process a sample crawl in two halves, clustering the sites after each half."""
    configure(settings)
    tasks = Tasks(process_state().database)
    messages = [
        page.message for page in generate(sites=SITES, pages_per_template=pages_per_template)
    ]
    half = len(messages) // 2
    for part in (messages[:half], messages[half:]):
        tasks.send(part)
        for site_id in tasks.query(select(Site.id)):
            tasks.cluster(site_id)
        tasks.run_all()
    tasks.take_articles()
    tasks.database.dispose()


def open_deployment(settings: Settings) -> Deployment:
    """Return the read-only access to a deployment that the inspector uses."""
    return Deployment(InspectorSettings.read(settings.environment()))


@contextmanager
def running_inspector(settings: Settings, *, token: str | None = None) -> Iterator[str]:
    """Run an inspector of the given deployment, and yield its URL."""
    with bound_socket("127.0.0.1", 0) as listener:
        app = create_app(open_deployment(settings), token=token)
        with running_server(app, listener):
            yield address_of(listener)


@contextmanager
def inspector_client(settings: Settings, *, token: str | None = None) -> Iterator[Client]:
    """Run an inspector of the given deployment, and yield a client of it."""
    with running_inspector(settings, token=token) as base, requests.Session() as session:
        yield Client(base, session)


def page_ids(settings: Settings, outcome: str = "article") -> list[int]:
    """Return the IDs of the pages with the given outcome, in ascending order."""
    query = select(StoredPage.id).where(StoredPage.outcome == outcome).order_by(StoredPage.id)
    with Database(settings.require_database_url()) as database, database.transaction() as session:
        return list(session.scalars(query))
