"""Schema migrations, applied while the service reads and writes the tables.

Each migration runs in its own transaction and is retried if it cannot get its locks quickly,
because the service's statements would queue behind a waiting migration.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import alembic.command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

import migrations
from worker.errors import ExpectedError, cause
from worker.store.database import Database, is_pooled
from worker.store.locks import AdvisoryLock
from worker.store.revisions import MARK, OLDEST_NEIGHBOUR, known_revisions, newest_revision
from worker.store.schema import UnknownSchemaError, revision_of

logger = logging.getLogger(__name__)

LOCK_MILLISECONDS: Final = 500
"""Maximum time that a migration, and the statements queued behind it, wait for a lock."""

PAUSE_SECONDS: Final = 2.0
"""Pause before a migration is retried, so that the queued statements can run."""

_RETRIED: Final = {"55P03", "40P01"}
"""SQLSTATEs of a lock timeout and of a deadlock."""

_SETTINGS: Final = {
    "lock_timeout": LOCK_MILLISECONDS,
    # Filling columns may take longer than any of the service's transactions.
    "idle_in_transaction_session_timeout": 0,
    # If this process is killed, the server cancels its statement.
    "client_connection_check_interval": 1000,
}


class PooledConnectionError(ExpectedError):
    """The connection goes through a pooler, which loses a session's locks and settings."""

    def __init__(self) -> None:
        super().__init__(
            "`detourage migrate` needs a direct connection: set DETOURAGE_DATABASE_URL to the"
            " address of PostgreSQL instead of the connection pooler, for this command"
        )


def migrate(database: Database, version: str | None = None, *, finish: bool = False) -> None:
    """Migrate the schema to a version, by default the newest; a downgrade drops newer data.

    With ``finish``, the database then admits only the processes of that version, as does a new
    database.

    May be interrupted at any time and repeated. Raises `UnknownSchemaError` if the target or the
    current version is unknown, and `PooledConnectionError` behind a connection pooler.
    """
    wanted = version or newest_revision()
    with _migrating(database) as connection:
        current = revision_of(connection)
        if current is not None:
            _mark(connection, current)
        connection.commit()
        for each in (current, wanted):
            if each is not None and each not in known_revisions():
                raise UnknownSchemaError(each)
        is_downgrade = current is not None and wanted < current
        change = alembic.command.downgrade if is_downgrade else alembic.command.upgrade
        config = _config()
        config.attributes["connection"] = connection
        while True:
            try:
                change(config, wanted)
            except OperationalError as error:
                if getattr(error.orig, "pgcode", None) not in _RETRIED:
                    raise
                connection.rollback()
                # Completed migrations are not run again.
                logger.warning(
                    "migration after %s did not get a lock (%s): trying again in %g s; end long"
                    " transactions if this does not stop",
                    revision_of(connection) or "the beginning",
                    cause(error),
                    PAUSE_SECONDS,
                )
                connection.rollback()
                time.sleep(PAUSE_SECONDS)
            else:
                break
        if finish or current is None:
            _admit(connection, wanted, wanted)
            connection.commit()


@contextmanager
def _migrating(database: Database) -> Iterator[Connection]:
    """Yield a connection for migrations, once no other process has one."""
    with database.engine.connect() as connection:
        if is_pooled(connection):
            raise PooledConnectionError
        try:
            for name, value in _SETTINGS.items():
                connection.exec_driver_sql(f"SET {name} TO {value}")
            connection.commit()
            _wait_for_turn(connection)
            yield connection
        finally:
            # Otherwise, the pooled connection would keep the settings and the lock.
            connection.invalidate()


def _wait_for_turn(connection: Connection) -> None:
    """Lock the schema, so that no other process migrates it."""
    is_noted = False
    # Waiting in the database would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for that.
    while not connection.scalar(_TRY_LOCK, {"class": AdvisoryLock.MIGRATION.value}):
        connection.rollback()
        if not is_noted:
            logger.warning("another process is migrating this database: waiting until it ends")
        is_noted = True
        time.sleep(PAUSE_SECONDS)
    connection.commit()


_TRY_LOCK: Final = text("SELECT pg_try_advisory_lock(:class, 0)")


def admit(connection: Connection, revision: str) -> None:
    """Record which versions may use the new schema; see `worker.store.revisions`."""
    _mark(connection, revision)
    _admit(connection, min(OLDEST_NEIGHBOUR, revision), revision)


def _admit(connection: Connection, oldest: str, revision: str) -> None:
    if connection.scalar(text("SELECT to_regproc('admitted_schemas')")) is None:
        return
    # Versions that are no longer admitted cannot read what has been written since.
    before = connection.scalar(text("SELECT (admitted_schemas())[1]"))
    oldest = max(oldest, before) if before <= revision else oldest
    connection.execute(
        text(
            "CREATE OR REPLACE FUNCTION admitted_schemas() RETURNS text[] LANGUAGE sql IMMUTABLE"
            f" AS $$ SELECT ARRAY['{oldest}', '{revision}'] $$"
        )
    )


def _mark(connection: Connection, revision: str) -> None:
    """Declare the current revision of the schema, so that the next migration may write to it."""
    connection.execute(
        text("SELECT set_config(:name, :revision, false)"), {"name": MARK, "revision": revision}
    )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
