"""Whether a database has the schema of this code.

Without Alembic, which imports languages of templates and the colours of three dozen programming
languages: as long as all else that a command of an operator waits for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

from sqlalchemy import Connection, Select, Text, column, func, select, table
from sqlalchemy.exc import DBAPIError

from worker.errors import ExpectedError, cause, without_passwords
from worker.store.database import Database, is_connection_lost

BEHIND = "older than this version: run `detourage migrate`"
"""What is wrong with a schema that is behind, and what helps, for a person."""

COMMAND_CONNECT_SECONDS = 3
"""Time that a server has to take a connection of a command, for which a person waits."""

_VERSION_TABLE = "alembic_version"
_REVISION: Select[str] = select(column("version_num", Text)).select_from(table(_VERSION_TABLE))


def is_behind(database: Database) -> bool:
    """Tell whether the schema is older than this code."""
    with database.engine.connect() as connection:
        return _is_behind(connection)


class DatabaseIsAwayError(ExpectedError):
    """The database does not answer."""

    def __init__(self, error: DBAPIError) -> None:
        super().__init__(f"the database does not answer: {without_passwords(cause(error))}")


class SchemaIsBehindError(ExpectedError):
    """The database was not brought to the schema of this version."""

    def __init__(self) -> None:
        super().__init__(f"schema: {BEHIND}")


def require_current(database: Database) -> None:
    """Raise if the schema is older than this code; waits for a database that is away.

    Raises
    ------
    SchemaIsBehindError
        If it is.
    """
    if database.run(lambda session: _is_behind(session.connection())):
        raise SchemaIsBehindError


@contextmanager
def current_database(url: str) -> Iterator[Database]:
    """Give a database of this version's schema to a command; closes its connections at the end.

    Raises
    ------
    DatabaseIsAwayError
        If it does not answer now. One that goes away later is waited for.
    SchemaIsBehindError
        If its schema is older than this code.
    """
    database = Database(url, connect_seconds=COMMAND_CONNECT_SECONDS)
    try:
        try:
            behind = is_behind(database)
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            raise DatabaseIsAwayError(error) from error
        if behind:
            raise SchemaIsBehindError
        yield database
    finally:
        database.dispose()


@cache
def newest_revision() -> str:
    """Return the newest revision of this code, with which the name of its migration begins."""
    names = (each.name for each in files("migrations").joinpath("versions").iterdir())
    return max(name.partition("_")[0] for name in names if name[0].isdigit())


def _is_behind(connection: Connection) -> bool:
    if connection.scalar(select(func.to_regclass(_VERSION_TABLE))) is None:
        return True
    return connection.scalars(_REVISION).all() != [newest_revision()]
