"""The deployment that is inspected: read through sessions that may only read."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from psycopg2.errors import QueryCanceled
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.orm import Session

from worker.inspector.limits import TooSlowError
from worker.inspector.stored_page import LastReading
from worker.settings import Settings
from worker.store.database import Database, ReadOnly

T = TypeVar("T")

STATEMENT_SECONDS = 10
"""Time that a statement of a view may take: the slowest take a hundredth of it on 10⁵ pages."""

REMEMBERED_SECONDS = 5.0
"""Age of what is shown of all pages together."""

CONNECTIONS = 4
"""Connections that are kept, and views that are made at a time; others wait for their turn."""


class Deployment:
    """What the views read, and what the actions change.

    Parameters
    ----------
    settings
        Of the deployment.
    is_writing
        Whether actions are allowed.

    Attributes
    ----------
    last_reading
        Of the page that was looked at last.
    """

    def __init__(self, settings: Settings, *, is_writing: bool = False) -> None:
        self.settings = settings
        self.is_writing = is_writing
        self.last_reading = LastReading()
        self._remembering = Lock()
        self._remembered: dict[Callable[[Session], Any], tuple[float, Any]] = {}
        self._reading = Database(
            settings.require_database_url(),
            pool_size=CONNECTIONS,
            read_only=ReadOnly(STATEMENT_SECONDS),
        )

    def read(self, query: Callable[[Session], T]) -> T:
        """Return what a query finds in one snapshot; it waits for nothing, and is not repeated.

        Raises
        ------
        TooSlowError
            If a statement takes longer than `STATEMENT_SECONDS`, or all connections are in use
            for as long.
        """
        try:
            with self._reading.transaction() as session:
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                return query(session)
        except NoConnectionError as error:
            raise TooSlowError("the database took too long") from error
        except DBAPIError as error:
            if isinstance(error.orig, QueryCanceled):
                raise TooSlowError("the database took too long") from error
            raise

    def read_lately(self, query: Callable[[Session], T]) -> T:
        """Return what a costly query found in the last `REMEMBERED_SECONDS`, or finds now.

        However many look, the database is asked once in that time.
        """
        with self._remembering:
            found = self._remembered.get(query)
            if found is None or monotonic() - found[0] > REMEMBERED_SECONDS:
                found = self._remembered[query] = (monotonic(), self.read(query))
        value: T = found[1]
        return value

    def write(self, change: Callable[[Session], T]) -> T:
        """Return what a change gives, made in a transaction of its own."""
        database = Database(self.settings.require_database_url(), pool_size=1)
        try:
            with database.transaction() as session:
                return change(session)
        finally:
            database.dispose()

    def close(self) -> None:
        """Let go of the database."""
        self._reading.dispose()
