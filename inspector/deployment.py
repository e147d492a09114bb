"""Access to the inspected deployment, through read-only connections."""

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

from detourage.errors import ExpectedError
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
"""Connection options, with which a host that went down is noticed within 25 seconds."""

# The password in a URL or in a libpq connection string.
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(?=@)|(\bpassword=)\S+")


class Deployment:
    """Access to the deployment for views."""

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

        Raise `TooSlowError` if the database is busy for `STATEMENT_SECONDS`.
        """
        limit = 1000 * STATEMENT_SECONDS
        try:
            with Session(self._engine) as session:
                # A connection pooler may ignore the settings of a session.
                session.execute(_LIMITS, {"limit": str(limit)})
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
            found = self._cache.get(query)
            if found is None or monotonic() - found[0] > CACHE_SECONDS:
                found = self._cache[query] = (monotonic(), self.read(query))
        value: T = found[1]
        return value

    def require_schema(self) -> None:
        """Raise an error unless the database responds and has the schema of this version."""
        names = (each.name for each in files("migrations").joinpath("versions").iterdir())
        own = max(name.partition("_")[0] for name in names if name[0].isdigit())
        try:
            found = self.read(_schema_of)
        except DBAPIError as error:
            raise ExpectedError(f"the database is not responding: {reason_of(error)}") from error
        if found != own:
            advice = "run `detourage migrate`" if found is None else "install the same version"
            raise ExpectedError(f"schema: {found or 'none'} instead of {own}: {advice}")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


_LIMITS = text("""
    SELECT set_config('statement_timeout', :limit, true),
        set_config('idle_in_transaction_session_timeout', :limit, true),
        set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)
""")


def _schema_of(session: Session) -> str | None:
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    found: str | None = session.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def reason_of(error: Exception) -> str:
    """Return an error's type and first line, without SQL statements and passwords."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return _PASSWORD.sub(r"\1\2***", f"{type(error).__name__}: {lines[0].strip() if lines else ''}")
