"""The schema of a database. Alembic, whose import is slow, is only loaded for a migration."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from detourage.expected_errors import ExpectedError
from worker.error_reports import cause, without_passwords
from worker.store.advisory_locks import AdvisoryLock
from worker.store.database import REFUSALS, Database, is_transient_failure, refusal

if TYPE_CHECKING:
    from alembic.config import Config

COMMAND_CONNECT_SECONDS = 3  # connection timeout for commands, so that users do not have to wait


def known_revisions() -> list[str]:
    """Return the schema revisions known to this code in order: the prefixes of its migrations."""
    names = (each.name for each in files("migrations").joinpath("versions").iterdir())
    return sorted(name.partition("_")[0] for name in names if name[0].isdigit())


REVISION: Final = known_revisions()[-1]  # schema revision of this version


def check_current(database: Database) -> None:
    """Require the schema of this code like `require_current`, but do not wait for the database."""
    with database.engine.connect() as connection:
        _require_current(connection)


class DatabaseUnreachableError(ExpectedError):
    """The database does not respond, or refuses this process."""

    def __init__(self, error: DBAPIError) -> None:
        reason = without_passwords(cause(error))
        super().__init__(
            f"{refusal(error)}: check user, password and database in DETOURAGE_DATABASE_URL"
            if REFUSALS.search(str(error.orig))
            else f"the database is not responding: {reason}: check DETOURAGE_DATABASE_URL, and"
            " that the database is running"
        )


class SchemaIsBehindError(ExpectedError):
    """The database has not been migrated to the schema of this version."""


class SchemaIsForeignError(ExpectedError):
    """The database has a schema that this version of the service does not know."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"the database schema {revision} is unknown to this version, which requires {REVISION};"
            " install the version that migrated the database"
        )


def require_current(database: Database) -> None:
    """Wait for the database, and require that its schema is that of this code."""
    database.wait()
    database.run(lambda session: _require_current(session.connection()))


@contextmanager
def current_database(url: str) -> Iterator[Database]:
    """Yield a connection pool for a command, if the schema is that of this code."""
    with Database(url, connect_seconds=COMMAND_CONNECT_SECONDS) as database:
        try:
            check_current(database)
        except DBAPIError as error:
            if not is_transient_failure(error):
                raise
            raise DatabaseUnreachableError(error) from error
        yield database


def revision_of(connection: Connection) -> str | None:
    """Return the schema revision of a database, or None if it was never migrated."""
    if connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _require_current(connection: Connection) -> None:
    current = revision_of(connection)
    if current == REVISION:
        return
    if current is None or current in known_revisions():
        is_old = "the database schema is older than this version requires"
        problem = is_old if current else "the database has no tables yet"
        raise SchemaIsBehindError(f"{problem}; run `detourage migrate`")
    raise SchemaIsForeignError(current)


def migrate(database: Database) -> None:
    """Migrate the schema in one transaction, while no process of the service runs."""
    import alembic.command

    with database.transaction_without_timeouts() as session:
        lock = {"class": AdvisoryLock.MIGRATION.value}
        session.execute(text("SELECT pg_advisory_xact_lock(:class, 0)"), lock)
        connection = session.connection()
        current = revision_of(connection)
        if current is not None and current not in known_revisions():
            raise SchemaIsForeignError(current)
        config = alembic_config()
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, REVISION)


def alembic_config() -> "Config":
    """Return the configuration with which Alembic finds the migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    return config
