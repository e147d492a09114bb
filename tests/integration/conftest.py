"""Fixtures of the tests with real services."""

from collections.abc import Iterator
from zlib import crc32

import pytest
from sqlalchemy import Table, delete

from models.tables import Base
from tests.inline_tasks import Tasks
from tests.services import SPELLINGS, Services, spelled
from worker.settings import load_settings
from worker.workflow.process import configure, process_state

ALONE = ("sites", "trees", "outbox", "clustering_requests", "stories")
"""Tables without foreign keys to the others."""


def tables_of_pages() -> list[Table]:
    """Return the tables of pages, trees and messages and their dependants, dependants first."""
    found: dict[str, Table] = {}
    for table in Base.metadata.sorted_tables:
        referred = {key.column.table.name for key in table.foreign_keys}
        if table.name in ALONE or referred & found.keys():
            found[table.name] = table
    return list(found.values())[::-1]


@pytest.fixture
def tasks(
    services: Services,
    database_url: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Tasks]:
    """The tasks with an empty database; each test module chooses the form of its URL."""
    spelling = SPELLINGS[crc32(request.path.name.encode()) % len(SPELLINGS)]
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", spelled(database_url, spelling))
    monkeypatch.setenv("DETOURAGE_BROKER_URL", services.broker_url)
    load_settings.cache_clear()
    # Ids start again in each module's database, so no cache may outlive it.
    configure(load_settings())
    database = process_state().database
    with database.transaction() as session:
        # They hold few rows: TRUNCATE of twenty tables would take ten times as long.
        for table in tables_of_pages():
            session.execute(delete(table))
    yield Tasks(database)
    database.dispose()
    configure(load_settings())
    load_settings.cache_clear()
