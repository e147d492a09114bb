"""Access to the inspected deployment, through read-only sessions."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from psycopg2.errors import QueryCanceled
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.orm import Session

from inspector.stored_page import LastReading, TooSlowError
from worker.settings import Settings
from worker.store.database import Database, ReadOnly

P = ParamSpec("P")
T = TypeVar("T")

STATEMENT_SECONDS = 10
"""Time limit per statement."""

CACHE_SECONDS = 5.0
"""Maximum age of cached statistics about all stored pages."""

CONNECTIONS = 4
"""Number of pooled connections, and of concurrent views; other views are queued."""


class Deployment:
    """Access to the deployment for views and, if writing is allowed, for actions."""

    def __init__(self, settings: Settings, *, is_writing: bool = False) -> None:
        self.settings = settings
        self.is_writing = is_writing
        self.last_reading = LastReading()
        self._cache_lock = Lock()
        self._cache: dict[Callable[[Session], Any], tuple[float, Any]] = {}
        self._reading = Database(
            settings.require_database_url(),
            pool_size=CONNECTIONS,
            read_only=ReadOnly(STATEMENT_SECONDS),
        )

    def read(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Return the result of a query against one snapshot, without waiting or retries.

        Raise `TooSlowError` if the database is busy for `STATEMENT_SECONDS`.
        """
        try:
            with self._reading.transaction() as session:
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
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

    def write(self, change: Callable[[Session], T]) -> T:
        """Run a change in its own transaction, and return its result."""
        with (
            Database(self.settings.require_database_url(), pool_size=1) as database,
            database.transaction() as session,
        ):
            return change(session)

    def close(self) -> None:
        """Close all database connections."""
        self._reading.dispose()
