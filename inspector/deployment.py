"""Access to the inspected deployment, through read-only database connections."""

import re
from collections.abc import Callable
from importlib.resources import files
from threading import Lock
from time import monotonic
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from psycopg2.errors import QueryCanceled
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.orm import Session

from detourage.expected_errors import ExpectedError
from inspector.settings import InspectorSettings
from inspector.stored_page import LastReading, TooSlowError

P = ParamSpec("P")
T = TypeVar("T")

STATEMENT_SECONDS = 10
"""Time limit per statement."""

CACHE_SECONDS = 5.0
"""Maximum age of cached statistics about all stored pages."""

CONNECTIONS = 4
"""Number of pooled connections, and of concurrent views; other views are queued."""

CONNECT_OPTIONS: Final = {
    "connect_timeout": 10,
    "tcp_user_timeout": 25_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""Connection options that detect a failed database host within 25 seconds."""

# A password in a URL, such as "//user:secret@", or in a libpq connection string
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(?=@)|(\bpassword=)\S+")


class Deployment:
    """The inspected deployment: its settings, its database, and caches that all views share."""

    def __init__(self, settings: InspectorSettings) -> None:
        self.settings = settings
        self.last_reading = LastReading()
        self._cache_lock = Lock()
        self._cache: dict[Callable[[Session], Any], tuple[float, Any]] = {}
        self._engine = create_engine(
            settings.psycopg2_url,
            pool_size=CONNECTIONS,
            pool_pre_ping=True,
            connect_args=CONNECT_OPTIONS,
            isolation_level="REPEATABLE READ",
            execution_options={"postgresql_readonly": True},
        )

    def read(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Return the result of a query against one snapshot, without waiting or retries.

        Raise `TooSlowError` if a statement exceeds `STATEMENT_SECONDS`, or no connection is free.
        """
        milliseconds = str(1000 * STATEMENT_SECONDS)
        try:
            with Session(self._engine) as session:
                # The limits are set for the transaction, since a connection pooler may ignore
                # settings of the session.
                session.execute(_LIMITS, {"limit": milliseconds})
                return query(session, *args, **options)
        except NoConnectionError as error:
            raise TooSlowError("the database took too long") from error
        except DBAPIError as error:
            if isinstance(error.orig, QueryCanceled):
                raise TooSlowError("the database took too long") from error
            raise

    def read_cached(self, query: Callable[[Session], T]) -> T:
        """Return the result of an expensive query, which may be up to `CACHE_SECONDS` old."""
        with self._cache_lock:
            time, value = self._cache.get(query, (0.0, None))
            if query not in self._cache or monotonic() - time > CACHE_SECONDS:
                time, value = self._cache[query] = (monotonic(), self.read(query))
        result: T = value
        return result

    def require_schema(self) -> None:
        """Raise an error unless the database responds and has the schema of this version."""
        names = (each.name for each in files("migrations").joinpath("versions").iterdir())
        needed = max(name.partition("_")[0] for name in names if name[0].isdigit())
        try:
            revision = self.read(_schema_revision)
        except DBAPIError as error:
            raise ExpectedError(f"the database is not responding: {reason_of(error)}") from error
        if revision is None:
            raise ExpectedError("the database has no tables yet; run `detourage migrate`")
        if revision < needed:
            problem = "the database schema is older than this version requires"
            raise ExpectedError(f"{problem}; run `detourage migrate`")
        if revision > needed:
            problem = f"the database schema {revision} is newer than {needed}, which is required"
            raise ExpectedError(f"{problem}; install the version that migrated the database")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


# Settings until the transaction ends (`true`): time limits in ms, and no parallel processes
_LIMITS = text("""
    SELECT set_config('statement_timeout', :limit, true),
        set_config('idle_in_transaction_session_timeout', :limit, true),
        set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)
""")


def _schema_revision(session: Session) -> str | None:
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    revision: str | None = session.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def reason_of(error: Exception) -> str:
    """Return an error's type and first line, without SQL statements and passwords."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return _PASSWORD.sub(r"\1\2***", f"{type(error).__name__}: {lines[0].strip() if lines else ''}")
