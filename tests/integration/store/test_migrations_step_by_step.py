"""Applying the migrations one by one to filled tables loses no rows, and blocks no one for long."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, Table, event, func, insert, inspect, select, text
from sqlalchemy import types as sql

from tests.services import Services, temporary_database
from tests.versions import is_current
from worker.store.database import Database
from worker.store.migrations import _config, migrate
from worker.store.revisions import MARK

VERSIONS = [
    script.revision
    for script in reversed(list(ScriptDirectory.from_config(_config()).walk_revisions()))
]

ROWS = {"sites": 2, "trees": 2, "pages": 2, "story_texts": 2}
"""Number of rows of each table to which a single row of another table refers twice. All other
tables get one row."""

VALUES: dict[tuple[str, str], Any] = {
    ("pages", "url"): "https://news.example/{row}",
    ("page_contents", "compressed"): b"bytes",
    ("distances", "higher_tree_id"): 2,
    ("story_texts", "story_id"): 1,
    ("story_overlaps", "higher_id"): 2,
    ("outbox", "task"): "detourage.extract",
    ("outbox", "arguments"): {},
}
"""Values for columns that need a specific value; other columns get an arbitrary one of their type.
"""

FIRST_ONLINE = "0028"
"""First migration that neither reads nor writes rows while it locks out other writers."""

_BLOCKING = text("""
    SELECT DISTINCT relation::regclass::text FROM pg_locks
    WHERE pid = pg_backend_pid() AND relation::regclass::text = ANY(:tables)
        AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        AND EXISTS (
            SELECT FROM pg_stat_xact_user_tables
            WHERE relname = ANY(:tables) AND (seq_tup_read, n_tup_ins, n_tup_upd, n_tup_del)
                <> (0, 0, 0, 0)
        )
""")
"""The tables that a transaction locks against writers while its duration depends on their rows."""

_MARK = text(f"SELECT set_config('{MARK}', :version, true)")


@pytest.fixture
def database(services: Services) -> Iterator[Database]:
    with temporary_database(services) as url:
        database = Database(url)
        yield database
        database.dispose()


def tables(database: Database) -> list[Table]:
    metadata = MetaData()
    metadata.reflect(database.engine)
    return [each for each in metadata.sorted_tables if each.name != "alembic_version"]


def value_of(table: str, name: str, kind: Any, row: int) -> Any:
    known = VALUES.get((table, name))
    if known is not None:
        return known.format(row=row) if isinstance(known, str) else known
    match kind:
        case sql.Boolean():
            return False
        case sql.Integer():
            return row
        case sql.Float():
            return 0.5
        case sql.DateTime():
            return datetime(2024, 5, row, tzinfo=UTC)
        case sql.LargeBinary():
            return b"bytes"
        case sql.JSON():
            return {"key": row}
        case sql.ARRAY():
            return [1, 2]
        case sql.UUID():
            return UUID(int=row)
        case _:
            return f"{name} {row}"


def fill(database: Database, version: str = VERSIONS[-1]) -> None:
    """Fill every empty table with the number of rows in ``ROWS``, as a process of a version."""
    for table in tables(database):
        with database.engine.begin() as connection:
            if connection.scalar(select(func.count()).select_from(table)):
                continue
            connection.execute(_MARK, {"version": version})
            for row in range(1, 1 + ROWS.get(table.name, 1)):
                values = {
                    column.name: value_of(table.name, column.name, column.type, row)
                    for column in table.columns
                    if (not column.nullable and column.computed is None)
                    or (table.name, column.name) in VALUES
                }
                connection.execute(insert(table).values(values))


@contextmanager
def blocking_noted(database: Database) -> Iterator[set[str]]:
    """Yield a set of the filled tables that transactions lock against writers; see `_BLOCKING`."""
    existing = [each.name for each in tables(database)]
    found: set[str] = set()

    def note(connection: Connection) -> None:
        found.update(connection.scalars(_BLOCKING, {"tables": existing}))

    # A connection may keep the statistics of its earlier transactions for a second.
    database.engine.dispose()
    event.listen(database.engine, "commit", note)
    yield found
    event.remove(database.engine, "commit", note)


def counts(database: Database) -> dict[str, int]:
    names = sorted({*inspect(database.engine).get_table_names()} - {"alembic_version"})
    if not names:
        return {}
    # Use a single statement, because reflecting the tables would take ten times as long.
    each = ", ".join(f'(SELECT count(*) FROM "{name}")' for name in names)
    with database.engine.connect() as connection:
        (found,) = connection.execute(text(f"SELECT {each}")).all()
    return dict(zip(names, found, strict=True))


def test_every_version_is_upgraded_to_the_next_with_all_rows(database: Database) -> None:
    blocked = {}
    for version in VERSIONS:
        before = counts(database)
        with blocking_noted(database) as blocked[version]:
            migrate(database, version)
        after = counts(database)
        assert {table: after.get(table) for table in before} == before, version
        fill(database, version)
        assert all(counts(database).values()), version
    assert is_current(database)
    # The earlier migrations show what the check finds: an index, and a filled column.
    assert blocked["0025"] == {"pages"}
    assert "addresses" in blocked["0027"]
    assert not any(blocked[version] for version in VERSIONS if version >= FIRST_ONLINE), blocked


def test_every_migration_can_be_reverted_and_applied_again(database: Database) -> None:
    migrate(database)
    fill(database)
    for newer, older in pairwise(reversed(VERSIONS)):
        filled = counts(database)
        migrate(database, older)
        left = counts(database)
        assert left.items() <= filled.items(), older
        migrate(database, newer)
        assert left.items() <= counts(database).items(), newer
        migrate(database, older)
    assert not is_current(database)
    assert counts(database)["pages"] == 2
    migrate(database)
    assert is_current(database)


def test_all_migrations_can_be_reverted_in_one_step(database: Database) -> None:
    migrate(database)
    fill(database)
    migrate(database, VERSIONS[0])
    assert not is_current(database)
    assert "reprocessings" not in counts(database)
    migrate(database)
    assert is_current(database)
    assert counts(database)["pages"] == 2
