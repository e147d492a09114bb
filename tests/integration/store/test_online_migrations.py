"""A migration lets the service work while it waits, and can be killed and repeated."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from models.tables import Base
from tests.integration.waiting import wait_until
from tests.services import Services, temporary_database
from tests.versions import go_to, is_current
from worker.store.database import Database

OLDER = "0027"
"""Version before the first migration that lets the service work."""

_TABLES = text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname = ANY(:models)")
_INVALID = text("SELECT count(*) FROM pg_index WHERE NOT indisvalid")
_STATEMENT = text("""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'
        AND query LIKE 'CREATE INDEX CONCURRENTLY%'
""")


@pytest.fixture
def database(services: Services) -> Iterator[Database]:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, OLDER)
        yield database
        database.dispose()


@contextmanager
def migrating(database: Database) -> Iterator[subprocess.Popen[str]]:
    """Run `detourage migrate`."""
    url = database.engine.url.render_as_string(hide_password=False)
    process = subprocess.Popen(
        [sys.executable, "-m", "worker.cli", "migrate"],
        env={**os.environ, "DETOURAGE_DATABASE_URL": url},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def write_everywhere(database: Database, *, seconds: int = 60) -> Callable[[], None]:
    """Lock every table like a writer, waiting a limited time, and return how to end that."""
    connection = database.engine.connect()
    connection.execute(text(f"SET LOCAL lock_timeout TO '{seconds}s'"))
    names = connection.scalars(_TABLES, {"models": list(Base.metadata.tables)}).all()
    for name in sorted(names):
        connection.execute(text(f"LOCK TABLE {name} IN ROW EXCLUSIVE MODE"))
    return connection.close


def test_writers_do_not_wait_for_a_migration_that_waits(database: Database) -> None:
    go_to(database, "0028")
    finish = write_everywhere(database)
    with migrating(database) as process:
        assert process.stderr is not None
        for _ in range(2):
            assert "did not get a lock" in process.stderr.readline()
            write_everywhere(database, seconds=10)()
        finish()
        assert process.wait() == 0
    assert is_current(database)


def test_a_killed_migration_is_completed_by_the_next(database: Database) -> None:
    finish = write_everywhere(database)
    with migrating(database) as process, database.statement_by_statement() as connection:
        wait_until(lambda: connection.scalar(_STATEMENT))
        process.send_signal(signal.SIGKILL)
        assert connection.scalar(_INVALID) == 1
        with migrating(database) as second:
            assert second.stderr is not None
            finish()
            assert second.wait() == 0
        assert connection.scalar(_INVALID) == 0
    assert is_current(database)
