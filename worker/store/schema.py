"""Whether a database has the schema of this code.

Without Alembic, which imports languages of templates and the colours of three dozen programming
languages: as long as all else that a command of an operator waits for.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Select, Text, column, func, select, table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from worker.errors import ExpectedError, cause, without_passwords
from worker.store.database import REFUSALS, Database, ForeignSchemaError, is_connection_lost
from worker.store.revisions import known_revisions, newest_revision

BEHIND = "older than this version: run `detourage migrate`"
"""What is wrong with a schema that is behind, and what helps, for a person."""

COMMAND_CONNECT_SECONDS = 3
"""Time that a server has to take a connection of a command, for which a person waits."""

_VERSION_TABLE = "alembic_version"
_REVISION: Select[str] = select(column("version_num", Text)).select_from(table(_VERSION_TABLE))

_HAS_ADMITTED = text("SELECT to_regproc('admitted_schemas')")
_ADMITTED = text("SELECT admitted_schemas()")


def is_behind(database: Database) -> bool:
    """Tell whether the schema is older than this code."""
    with database.engine.connect() as connection:
        return revision_of(connection) != newest_revision()


def check_current(database: Database) -> None:
    """Raise as `require_current` does, and if the database does not answer."""
    with database.engine.connect() as connection:
        _require_current(connection)


class DatabaseIsAwayError(ExpectedError):
    """The database does not answer, or lets this process not in."""

    def __init__(self, error: DBAPIError) -> None:
        told = without_passwords(cause(error))
        super().__init__(
            f"the database refuses: {told}: check user, password and database in"
            " DETOURAGE_DATABASE_URL"
            if REFUSALS.search(str(error.orig))
            else f"the database does not answer: {told}: check DETOURAGE_DATABASE_URL, and whether"
            " it runs"
        )


class SchemaIsBehindError(ExpectedError):
    """The database was not brought to the schema of this version."""

    def __init__(self) -> None:
        super().__init__(f"schema: {BEHIND}")


class UnknownSchemaError(ExpectedError):
    """A version of the schema that this code does not know, and whose database refuses it."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"schema: {version} is none that this version of the service knows, up to"
            f" {newest_revision()}"
        )


def require_current(database: Database) -> None:
    """Raise if the schema is not of this code; waits for a database that is away.

    Raises
    ------
    SchemaIsBehindError
        If it is older.
    UnknownSchemaError
        If it is newer.
    DatabaseRefusesError
        If waiting does not help.
    """
    database.wait()
    database.run(lambda session: _require_current(session.connection()))


@contextmanager
def current_database(url: str) -> Iterator[Database]:
    """Give a database of this version's schema to a command; closes its connections at the end.

    Raises
    ------
    DatabaseIsAwayError
        If it does not answer now. One that goes away later is waited for.
    SchemaIsBehindError, UnknownSchemaError
        If its schema is older than this code, or newer.
    """
    database = Database(url, connect_seconds=COMMAND_CONNECT_SECONDS)
    try:
        try:
            check_current(database)
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            raise DatabaseIsAwayError(error) from error
        yield database
    finally:
        database.dispose()


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database, None where it was never migrated."""
    if connection.scalar(select(func.to_regclass(_VERSION_TABLE))) is None:
        return None
    return connection.scalar(_REVISION)


def _require_current(connection: Connection) -> None:
    current = revision_of(connection)
    if current == newest_revision():
        return
    if current is None or current in known_revisions():
        raise SchemaIsBehindError
    if not _is_admitted(connection):
        raise UnknownSchemaError(current)


def require_admitted(session: Session) -> None:
    """Raise where the database no longer admits this version, before what cannot be taken back.

    Raises
    ------
    ForeignSchemaError
        See `worker.store.database`.
    """
    if not _admits(session.connection()):
        raise ForeignSchemaError(f"the database does not admit version {newest_revision()} of it")


def _is_admitted(connection: Connection) -> bool:
    return connection.scalar(_HAS_ADMITTED) is not None and _admits(connection)


def _admits(connection: Connection) -> bool:
    oldest, newest = connection.scalar(_ADMITTED)
    return bool(oldest <= newest_revision() <= newest)
