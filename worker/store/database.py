"""Database connections and transactions."""

import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Result,
    Row,
    ScalarResult,
    TextClause,
    TextualSelect,
    create_engine,
    event,
    select,
    text,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from detourage.expected_errors import ExpectedError
from worker.error_reports import cause, log_transient, without_passwords
from worker.store.advisory_locks import TRY_LOCK, AdvisoryLock

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

TRANSACTION_RETRY_DELAYS = (0.2, 0.5, 1, 2, 4, 8, 15, 30, 30, 30, 60, 60, 60)
"""Pauses before a transaction is retried: five minutes in total, to outlast a failover."""

SILENCE_SECONDS = 25
"""Maximum time without traffic before either side considers a connection lost. A host that goes
down does not close its connections, and the server would keep their locks for two hours."""

_KEEPALIVES = {"idle": 10, "interval": 5, "count": 3}
"""TCP keepalive options, in seconds and probes: idle + count * interval = `SILENCE_SECONDS`."""

CONNECT_SECONDS = 10  # connection timeout for processes

LOCK_SECONDS = 60  # lock timeout per statement, after which the transaction is retried

IDLE_IN_TRANSACTION_SECONDS = 300
"""Maximum idle time within a transaction: short enough to release the locks of a stuck process, and
long enough for a process that is computing or waiting for the broker."""

_CLIENT_SIDE = {
    "tcp_user_timeout": 1000 * SILENCE_SECONDS,
    **{f"keepalives_{name}": value for name, value in _KEEPALIVES.items()},
}

_SERVER_SIDE = {
    "tcp_user_timeout": 1000 * SILENCE_SECONDS,
    **{f"tcp_keepalives_{name}": value for name, value in _KEEPALIVES.items()},
}
"""Server-side settings of a connection; a connection pooler has its own."""

_SESSION_SETTINGS = {
    # JIT compilation takes longer than any of our statements.
    "jit": "off",
    "lock_timeout": 1000 * LOCK_SECONDS,
    "idle_in_transaction_session_timeout": 1000 * IDLE_IN_TRANSACTION_SECONDS,
}
"""Settings of each session; behind a connection pooler, of each transaction."""

IDLE_SECONDS = 5.0
"""Idle time after which a connection is tested before use; testing takes a round trip."""

_DIRECT = "detourage.direct"
"""Name of a setting passed with each connection; if it is unset, a pooler has ignored it."""

_LAST_USE = "last use"  # key of a pooled connection's last use, in monotonic seconds
_IS_POOLED = "is pooled"  # key of a flag: whether the connection leads to a connection pooler

_TRANSIENT = re.compile("08|40|53|55P03|57P0[123]")
"""SQLSTATEs of transient failures: lost connections, conflicts with other transactions, shortages,
locks that were not granted in time, and a server that stops or starts."""

REFUSALS = re.compile(
    "certificate|SSL was required|SSL is required|server does not support SSL"
    "|password authentication failed|no password supplied|no pg_hba.conf entry"
    "|permission denied for database|(?:role|database) .{1,200}? does not exist"
    "|unsupported startup parameter"
)
"""libpq and PostgreSQL messages for connection failures that waiting will not fix."""


class UnavailableError(ExpectedError):
    """A server on which a transaction depends is unavailable; the transaction must be retried."""


class DatabaseRefusesError(ExpectedError):
    """The database refuses this process, or this process refuses the database's certificate."""


Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class RowSession(Session):
    """A session that runs SQL texts directly on its connection, to save most of the overhead."""

    def execute(
        self, statement: Executable, params: Parameters = None, **options: Any
    ) -> Result[Any]:
        """Run a statement; an SQL text runs directly on the connection."""
        if not isinstance(statement, TextClause | TextualSelect):
            return super().execute(statement, params, **options)
        # Like any session, flush pending changes before running a statement.
        self.flush()
        return self.connection().execute(statement, params)

    def scalar(self, statement: Executable, params: Parameters = None, **options: Any) -> Any:
        """Run a statement, and return the first column of its first row, or None."""
        return self.execute(statement, params, **options).scalar()

    def scalars(
        self, statement: Executable, params: Parameters = None, **options: Any
    ) -> ScalarResult[Any]:
        """Run a statement, and return the first column of its rows."""
        return self.execute(statement, params, **options).scalars()


class Database(AbstractContextManager["Database"]):
    """A connection pool, closed by its ``with`` statement; it must be created after any fork."""

    def __init__(self, url: str, *, connect_seconds: int = CONNECT_SECONDS) -> None:
        settings = {**_SERVER_SIDE, **_SESSION_SETTINGS, _DIRECT: "yes"}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.engine = create_engine(
            url,
            pool_size=2,
            connect_args={**_CLIENT_SIDE, "options": options, "connect_timeout": connect_seconds},
            # Escaping would triple the length of text in non-Latin scripts.
            json_serializer=partial(json.dumps, ensure_ascii=False),
        )
        event.listen(self.engine, "connect", _detect_pooler)
        event.listen(self.engine, "begin", _configure_if_pooled)
        event.listen(self.engine, "checkin", _record_last_use)
        event.listen(self.engine, "checkout", partial(_check_if_idle, self.engine))
        self._session = sessionmaker(self.engine, class_=RowSession, expire_on_commit=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Yield a session; commit on exit, or roll back on an exception."""
        with self._session.begin() as session:
            yield session

    @contextmanager
    def transaction_without_timeouts(self) -> Iterator[Session]:
        """Yield a session like `transaction`, without limits on idle time and lock waits."""
        with self.transaction() as session:
            for limit in ("lock_timeout", "idle_in_transaction_session_timeout"):
                session.execute(text(f"SET LOCAL {limit} TO 0"))
            yield session

    def run(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Run `work`, retrying after transient failures; all its effects must be in the session."""

        def attempt() -> T:
            with self.transaction() as session:
                return work(session, *args, **options)

        return _with_retries(attempt)

    def execute(self, statement: Executable, **values: Any) -> Sequence[Row[Any]]:
        """Run a statement in a separate transaction, with `run`'s retries, and return its rows."""

        def work(session: Session) -> Sequence[Row[Any]]:
            result = session.connection().execute(statement, values)
            return result.all() if result.returns_rows else ()

        return self.run(work)

    def read_snapshot(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Run several queries against one consistent snapshot."""

        def work(session: Session) -> T:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            return query(session, *args, **options)

        return self.run(work)

    def query_autocommit(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Run a query of one statement in autocommit mode, which saves BEGIN and ROLLBACK."""
        with self.engine.connect() as connection, self._session(bind=connection) as session:
            # Set through the driver, since SQLAlchemy would send another statement to reset it.
            driver: Any = connection.connection.driver_connection
            driver.autocommit = True
            try:
                return query(session, *args, **options)
            finally:
                if not driver.closed:
                    driver.autocommit = False

    @contextmanager
    def try_lock(self, lock: AdvisoryLock, key: int) -> Iterator[bool]:
        """Try to acquire an advisory lock without waiting, and yield whether it was acquired.

        The lock belongs to an open transaction, so it is released no matter how this process ends,
        and a connection pooler keeps it on one connection.
        """
        wanted = {"class": lock.value, "key": key}

        def acquire() -> tuple[Connection, bool]:
            connection = self.engine.connect()
            try:
                is_acquired = bool(connection.scalar(TRY_LOCK, wanted))
            except BaseException:
                connection.invalidate()
                connection.close()
                raise
            return connection, is_acquired

        connection, is_acquired = _with_retries(acquire)
        with connection:
            try:
                yield is_acquired
            finally:
                try:
                    connection.rollback()
                except DBAPIError as error:
                    # The lock was released when the connection was lost.
                    if not is_transient_failure(error):
                        raise

    def wait(self) -> None:
        """Wait until the database responds; raise `DatabaseRefusesError` if it refuses access."""
        try:
            self._require_access()
        except DBAPIError as error:
            if not is_transient_failure(error):
                raise
            log_transient(logger, "the database is not responding; waiting for it", error)
            _with_retries(self._require_access)

    def _require_access(self) -> None:
        try:
            self.ping()
        except DBAPIError as error:
            if not is_transient_failure(error) or not REFUSALS.search(str(error.orig)):
                raise
            raise DatabaseRefusesError(refusal(error)) from error

    def ping(self) -> None:
        """Raise an error if the database does not respond."""
        self.query_autocommit(lambda session: session.execute(select(1)))

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __exit__(self, *_error: object) -> None:
        self.dispose()


def refusal(error: DBAPIError) -> str:
    """Return the reason why the database refuses access; see `REFUSALS`."""
    is_missing = re.search('database ".+" does not exist', str(error.orig))
    problem = "the database does not exist" if is_missing else "the database refused access"
    return f"{problem}: {without_passwords(cause(error))}"


def _detect_pooler(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    """Record whether a connection pooler has ignored the session's settings."""
    cursor = connection.cursor()
    cursor.execute(f"SELECT current_setting('{_DIRECT}', true)")
    record.info[_IS_POOLED] = cursor.fetchone() != ("yes",)
    cursor.close()
    connection.rollback()


def _configure_if_pooled(connection: Connection) -> None:
    """Apply the session settings to each transaction, since a pooler may switch connections."""
    if connection.info[_IS_POOLED]:
        statements = (f"SET LOCAL {name} TO '{value}'" for name, value in _SESSION_SETTINGS.items())
        connection.exec_driver_sql("; ".join(statements))


def _record_last_use(_connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
    record.info[_LAST_USE] = time.monotonic()


def _check_if_idle(
    engine: Engine,
    connection: DBAPIConnection,
    record: ConnectionPoolEntry,
    _proxy: PoolProxiedConnection,
) -> None:
    if time.monotonic() - record.info.get(_LAST_USE, time.monotonic()) < IDLE_SECONDS:
        return
    try:
        engine.dialect.do_ping(connection)
    except engine.dialect.loaded_dbapi.Error as error:
        # This error makes the pool try another connection.
        raise DisconnectionError from error


def _with_retries(attempt: Callable[[], T]) -> T:
    for delay in TRANSACTION_RETRY_DELAYS:
        try:
            return attempt()
        except (DBAPIError, UnavailableError) as error:
            if not is_transient_failure(error):
                raise
            if isinstance(error, UnavailableError):
                logger.warning("%s; trying again in %g s", error, delay)
            time.sleep(delay)
    return attempt()


def is_transient_failure(error: Exception) -> bool:
    """Return whether a transaction failed for a transient reason."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, UnavailableError)
    # The SQLSTATE is missing if the server crashed while responding or could not be reached. In the
    # latter case, there is no statement either.
    state = getattr(error.orig, "pgcode", None)
    if state is None:
        is_transient = isinstance(error, OperationalError) and error.statement is None
    else:
        is_transient = bool(_TRANSIENT.match(state))
    return error.connection_invalidated or is_transient
