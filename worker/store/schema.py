"""Check that a database's schema matches this code, without the slow import of Alembic."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakSet

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from worker.errors import ExpectedError, cause, without_passwords
from worker.store.database import REFUSALS, Database, ForeignSchemaError, is_connection_lost, sql
from worker.store.revisions import FIRST_COMPACT, known_revisions, newest_revision

BEHIND = "older than this version: run `detourage migrate`"
"""Message for an outdated schema, with the remedy."""

COMMAND_CONNECT_SECONDS = 3
"""Connection timeout for commands, so that users do not have to wait."""


def check_current(database: Database) -> None:
    """Raise the schema errors of `require_current`, without waiting for the database."""
    with database.engine.connect() as connection:
        _require_current(connection)


class DatabaseIsAwayError(ExpectedError):
    """The database does not respond, or refuses this process."""

    def __init__(self, error: DBAPIError) -> None:
        reason = without_passwords(cause(error))
        super().__init__(
            f"the database refused access: {reason}: check user, password and database in"
            " DETOURAGE_DATABASE_URL"
            if REFUSALS.search(str(error.orig))
            else f"the database does not answer: {reason}: check DETOURAGE_DATABASE_URL, and that"
            " it is running"
        )


class SchemaIsBehindError(ExpectedError):
    """The database has not been migrated to the schema of this version."""

    def __init__(self) -> None:
        super().__init__(f"schema: {BEHIND}")


class UnknownSchemaError(ExpectedError):
    """The database has a schema version unknown to this code, and does not admit this code."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"schema: version {version} is unknown to this version of the service, which knows"
            f" versions up to {newest_revision()}"
        )


def require_current(database: Database) -> None:
    """Wait for the database, and require that its schema admits this code.

    Raises `SchemaIsBehindError`, `UnknownSchemaError`, or `DatabaseRefusesError`.
    """
    database.wait()
    database.run(lambda session: _require_current(session.connection()))


@contextmanager
def current_database(url: str) -> Iterator[Database]:
    """Yield a connection pool for a command, if the schema admits this code.

    Raises `DatabaseIsAwayError` if the database does not respond at the start,
    `SchemaIsBehindError`, or `UnknownSchemaError`.
    """
    with Database(url, connect_seconds=COMMAND_CONNECT_SECONDS) as database:
        try:
            check_current(database)
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            raise DatabaseIsAwayError(error) from error
        yield database


def revision_of(connection: Connection) -> str | None:
    """Return the schema version of a database, or None if it was never migrated."""
    if connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _require_current(connection: Connection) -> None:
    current = revision_of(connection)
    if current == newest_revision():
        return
    if current is None or current in known_revisions():
        raise SchemaIsBehindError
    has_list = connection.scalar(text("SELECT to_regproc('admitted_schemas')")) is not None
    if not has_list or not _admits(connection.scalar(text("SELECT admitted_schemas()"))):
        raise UnknownSchemaError(current)


def require_admitted(admitted: Sequence[str]) -> None:
    """Raise `ForeignSchemaError` unless the database, by `admitted_schemas()`, admits this code.

    Call this before any step that cannot be undone.
    """
    if not _admits(admitted):
        raise ForeignSchemaError(f"the database does not admit version {newest_revision()}")


def may_store_compactly(session: Session) -> bool:
    """Return whether the database admits no version older than `FIRST_COMPACT`."""
    engine = session.get_bind().engine
    # A version that is no longer admitted is never admitted again while this one is running.
    if engine not in _COMPACT:
        oldest = session.execute(sql("SELECT (admitted_schemas())[1]")).scalar_one()
        if oldest < FIRST_COMPACT:
            return False
        _COMPACT.add(engine)
    return True


_COMPACT: WeakSet[Engine] = WeakSet()
"""The databases for which `may_store_compactly` is known to be true."""


def _admits(admitted: Sequence[str]) -> bool:
    oldest, newest = admitted
    return oldest <= newest_revision() <= newest
