"""Bringing the schema of a database to the version of this code."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import alembic.command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import migrations
from worker.errors import ExpectedError
from worker.store.database import Database

BEHIND = "older than this version: run `detourage migrate`"
"""What is wrong with a schema that is behind, and what helps, for a person."""


def migrate(database: Database) -> None:
    """Bring the schema to the newest version; what is stored stays."""
    with database.engine.begin() as connection:
        config = _config()
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, "head")


def is_behind(database: Database) -> bool:
    """Tell whether the schema is older than this code."""
    with database.engine.connect() as connection:
        return _is_behind(connection)


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
    """Give a database of this version's schema; its connections are closed at the end.

    Raises
    ------
    SchemaIsBehindError
        If its schema is older than this code.
    """
    database = Database(url)
    try:
        require_current(database)
        yield database
    finally:
        database.dispose()


def _is_behind(connection: Connection) -> bool:
    current = MigrationContext.configure(connection).get_current_heads()
    return set(current) != set(ScriptDirectory.from_config(_config()).get_heads())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
