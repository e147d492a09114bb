"""Fixtures of the tests on real services."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from tests.inline_tasks import Tasks
from tests.services import Services
from worker.settings import load_settings
from worker.tasks.process import configure, process_state


@pytest.fixture
def tasks(
    services: Services, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Tasks]:
    """The tasks on a database without pages."""
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", database_url)
    monkeypatch.setenv("DETOURAGE_BROKER_URL", services.broker_url)
    load_settings.cache_clear()
    # Ids begin anew in each module's database, so nothing may be remembered of another's.
    configure(load_settings())
    database = process_state().database
    with database.transaction() as session:
        session.execute(text("TRUNCATE sites, trees, outbox CASCADE"))
    yield Tasks(database)
    database.dispose()
    configure(load_settings())
    load_settings.cache_clear()
