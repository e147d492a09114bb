"""Fixtures for tests with a real database and a real broker."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from sqlalchemy import delete, text

from models.tables import Base, OutboxEntry
from tests.deployment import Deployment, own_queues
from tests.inline_tasks import Tasks
from tests.services import URL_SCHEMES, Services, with_scheme
from worker.settings import Settings, load_settings
from worker.store.database import Database
from worker.workflow.process_state import configure, process_state

EMPTY_TABLES = "; ".join(f"DELETE FROM {each}" for each in reversed(Base.metadata.sorted_tables))


class PersistentDatabase(Database):
    """A database that keeps its connections and compiled statements when a test disposes of it.

    Building them again for each test takes a sixth of the CPU time of the tests, and more on the
    server.
    """

    def dispose(self) -> None:
        """Keep the connections."""


@pytest.fixture(scope="module")
def shared_database(database_url: str) -> Iterator[Callable[[str], Database]]:
    """Return a function that returns the same `Database` for a URL to all tests of a module."""
    databases: list[Database] = []

    # Forked processes must not share connections, so the process ID is a part of the key.
    @cache
    def database_in_process(url: str, _pid: int) -> Database:
        databases.append(PersistentDatabase(url))
        return databases[-1]

    yield lambda url: database_in_process(url, os.getpid())
    for each in databases:
        each.engine.dispose()


@pytest.fixture
def tasks(
    services: Services,
    database_url: str,
    shared_database: Callable[[str], Database],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Tasks]:
    """Tasks on an empty database. The test module determines the scheme of the database's URL."""
    scheme = URL_SCHEMES[crc32(request.path.name.encode()) % len(URL_SCHEMES)]
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", with_scheme(database_url, scheme))
    monkeypatch.setenv("DETOURAGE_BROKER_URL", services.broker_url)
    monkeypatch.setattr("worker.workflow.process_state.Database", shared_database)
    load_settings.cache_clear()
    # Configure the process again, because cached IDs are not valid in another module's database.
    configure(load_settings())
    database = process_state().database
    with database.transaction() as session:
        # With so few rows, deleting them is ten times as fast as truncating the tables.
        session.execute(text(EMPTY_TABLES))
    yield Tasks(database)
    configure(load_settings())
    load_settings.cache_clear()


RunAlone = Callable[..., AbstractContextManager[Deployment]]


@pytest.fixture
def run_alone(settings: Settings, tmp_path: Path) -> RunAlone:
    """Return a function that runs a single process of the service, with some settings changed."""

    @contextmanager
    def run(process: str, **changes: Any) -> Iterator[Deployment]:
        prefix = f"{settings.queue_prefix}{process}."
        heartbeats = tmp_path / "heartbeats"
        changed = settings.model_copy(
            update={"queue_prefix": prefix, "heartbeat_directory": heartbeats, **changes}
        )
        deployment = Deployment(changed, tmp_path, processes=[process])
        with deployment.database.transaction() as session:
            # Delete messages of other tests, whose queues no longer exist.
            session.execute(delete(OutboxEntry))
        with own_queues(changed), deployment:
            yield deployment

    return run
