"""Fixtures of the tests on real services."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from tests.inline_tasks import Tasks
from tests.services import Services
from worker.settings import load_settings
from worker.tasks import assign, compare, context, extract
from worker.tasks.known_templates import KnownTemplates
from worker.tasks.stored_trees import CACHED_NODES, TreeCache


@pytest.fixture
def tasks(
    services: Services, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Tasks]:
    """The tasks on a database without pages."""
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", database_url)
    monkeypatch.setenv("DETOURAGE_BROKER_URL", services.broker_url)
    # Ids begin anew in each module's database, so nothing may be remembered of another's.
    unpacked = TreeCache(CACHED_NODES)
    for module in (assign, compare):
        monkeypatch.setattr(module, "stored_trees", unpacked)
    monkeypatch.setattr(extract, "_templates", KnownTemplates())
    load_settings.cache_clear()
    context._database_of.cache_clear()
    with context.database().transaction() as session:
        session.execute(text("TRUNCATE sites, trees, outbox CASCADE"))
    yield Tasks(context.database())
    context.database().dispose()
    context._database_of.cache_clear()
    load_settings.cache_clear()
