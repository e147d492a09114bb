"""Fixtures for tests with a real database and a real broker."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from zlib import crc32

import pytest
from sqlalchemy import delete

from models.tables import Base
from tests.inline_tasks import Tasks
from tests.services import URL_SCHEMES, Services, with_scheme
from worker.settings import load_settings
from worker.store.database import Database
from worker.workflow.process import configure, process_state


class KeptDatabase(Database):
    """A database whose connections and compiled statements outlast the tests that dispose of it.

    Building them again for each test takes a sixth of the CPU time of the tests, and more on the
    server.
    """

    def dispose(self) -> None:
        """Keep the connections."""


@pytest.fixture(scope="module")
def kept_database(database_url: str) -> Iterator[Callable[[str], Database]]:
    """Return a function that gives the same connections for a URL to all tests of a module."""
    kept: list[Database] = []

    @cache
    def in_process(url: str, _process: int) -> Database:
        kept.append(KeptDatabase(url))
        return kept[-1]

    yield lambda url: in_process(url, os.getpid())
    for each in kept:
        each.engine.dispose()


@pytest.fixture
def tasks(
    services: Services,
    database_url: str,
    kept_database: Callable[[str], Database],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Tasks]:
    """The tasks, with an empty database; each test module spells the database URL differently."""
    spelling = URL_SCHEMES[crc32(request.path.name.encode()) % len(URL_SCHEMES)]
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", with_scheme(database_url, spelling))
    monkeypatch.setenv("DETOURAGE_BROKER_URL", services.broker_url)
    monkeypatch.setattr("worker.workflow.process.Database", kept_database)
    load_settings.cache_clear()
    # In each module's database, IDs start at 1, so no cache may outlive the module.
    configure(load_settings())
    database = process_state().database
    with database.transaction() as session:
        # The tables have few rows, so deleting them is ten times as fast as truncating the tables.
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(delete(table))
    yield Tasks(database)
    configure(load_settings())
    load_settings.cache_clear()
