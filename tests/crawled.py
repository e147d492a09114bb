"""A deployment after a sample crawl, and its inspector over a real connection."""

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
from inspector.serving import address_of, bound_socket, served
from inspector.settings import InspectorSettings
from models.tables import Site, StoredPage
from tests.deployment import own_queues, own_settings
from tests.inline_tasks import Tasks
from tests.services import Services, temporary_database
from worker.messaging.broker import connect, topology_of
from worker.settings import Settings
from worker.store.database import Database
from worker.workflow.process import configure, process_state

SITES = ("harbour-post.example", "sada-almina.example")
"""Keys of two sites: one is redesigned, and the other is written from right to left."""


@dataclass(frozen=True)
class Client:
    """A minimal browser that follows redirects and stores cookies, but runs no scripts."""

    base: str
    session: requests.Session

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(urljoin(self.base, path), timeout=600, **options)

    def post(self, path: str, fields: dict[str, Any], **options: Any) -> requests.Response:
        return self.session.post(urljoin(self.base, path), data=fields, timeout=600, **options)

    def values(self, path: str) -> dict[str, Any]:
        """Return the values in the JSON version of a page."""
        response = self.get(path)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = json.loads(response.content)
        return found


@contextmanager
def crawled_deployment(
    services: Services, template: str, directory: Path, *, pages_per_template: int = 4
) -> Iterator[Settings]:
    """Yield the settings of a deployment that has processed a sample crawl in two halves."""
    with (
        temporary_database(services, template=template) as url,
        own_queues(own_settings(services, url, directory)) as settings,
    ):
        with connect(settings) as connection:
            topology_of(settings).declare(connection)
        fill(settings, pages_per_template)
        yield settings


def fill(settings: Settings, pages_per_template: int) -> None:
    """Have the service process a sample crawl and cluster it twice."""
    configure(settings)
    tasks = Tasks(process_state().database)
    messages = [
        page.message for page in generate(sites=SITES, pages_per_template=pages_per_template)
    ]
    half = len(messages) // 2
    for part in (messages[:half], messages[half:]):
        tasks.send(part)
        for site_id in tasks.ask(select(Site.id)):
            tasks.group(site_id)
        tasks.settle()
    tasks.articles()
    tasks.database.dispose()


def deployment_of(settings: Settings) -> Deployment:
    """Return the inspector's access to a deployment."""
    return Deployment(InspectorSettings.read(settings.environment()))


@contextmanager
def inspected(settings: Settings, *, token: str | None = None) -> Iterator[str]:
    """Yield the URL of an inspector for the given deployment."""
    with bound_socket("127.0.0.1", 0) as listening:
        app = create_app(deployment_of(settings), token=token)
        with served(app, listening):
            yield address_of(listening)


@contextmanager
def client_of(settings: Settings, *, token: str | None = None) -> Iterator[Client]:
    """Yield a scriptless browser connected to an inspector."""
    with (
        inspected(settings, token=token) as base,
        requests.Session() as session,
    ):
        yield Client(base, session)


def page_ids(settings: Settings, outcome: str = "article") -> list[int]:
    """Return the IDs of the pages with the given outcome."""
    found = select(StoredPage.id).where(StoredPage.outcome == outcome).order_by(StoredPage.id)
    with Database(settings.require_database_url()) as database, database.transaction() as session:
        return list(session.scalars(found))
