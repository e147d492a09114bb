"""Connections and transactions."""

import json
import logging
import re
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    Engine,
    Integer,
    bindparam,
    create_engine,
    event,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from worker.errors import ExpectedError, cause, warn_of
from worker.store.locks import AdvisoryLock
from worker.store.revisions import FOREIGN_SCHEMA, MARK, newest_revision
from worker.store.statements import RowSession, rows_only

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

RETRY_DELAYS_SECONDS = (0.2, 0.5, 1, 2, 4, 8, 15, 30, 30, 30, 60, 60, 60)
"""Pauses before a transaction is tried again.

A restart of PostgreSQL takes seconds and a failover to another host a minute or
two; five minutes bear both, so that no task goes into quarantine for them.
"""

SILENCE_SECONDS = 25
"""Silence after which a connection over a network counts as lost, on either side.

A host that is gone closes nothing: without a limit the server would keep the locks that it held
for two hours, and whoever waits for one as long.
"""

_KEEPALIVES = {"idle": 10, "interval": 5, "count": 3}
"""After so many seconds a sign of life is asked for, so often: together `SILENCE_SECONDS`."""

CONNECT_SECONDS = 10
"""Time that a server has to take a connection of a process, which then tries again."""

LOCK_SECONDS = 60
"""Time that a statement waits for a lock, before its transaction is tried again."""

RESTING_SECONDS = 300
"""Time that a transaction may rest: a process that stands still must not keep its locks for ever,
and one that computes, or waits for the broker, on a busy host must not lose its work."""

_CONNECTION = {
    "tcp_user_timeout": 1000 * SILENCE_SECONDS,
    **{f"keepalives_{name}": value for name, value in _KEEPALIVES.items()},
    "options": " ".join(
        [
            f"-c tcp_user_timeout={1000 * SILENCE_SECONDS}",
            *(f"-c tcp_keepalives_{name}={value}" for name, value in _KEEPALIVES.items()),
            # To compile a statement takes longer than any of the service's, once one is expected
            # to be long: finding the stories of an article took 20 ms in place of 2.
            "-c jit=off",
            f"-c lock_timeout={1000 * LOCK_SECONDS}",
            f"-c idle_in_transaction_session_timeout={1000 * RESTING_SECONDS}",
        ]
    ),
}

IDLE_SECONDS = 5.0
"""Rest after which a connection is tried before it is used. To try it each time would add four
round trips to an extraction; one that was lost a moment ago is told by the statement that fails."""

_LAST_USE = "last use"

_KEY = (
    func.unnest(bindparam("keys", type_=ARRAY(BigInteger)))
    .table_valued("key", name="asked")
    .render_derived()
    .c.key
)
_LOCK = (bindparam("class", type_=Integer), func.hashint8(_KEY))
_TRY_LOCK = select(_KEY, func.pg_try_advisory_lock(*_LOCK))
_UNLOCK = select(func.pg_advisory_unlock(*_LOCK))

CONNECTION_ERRORS = (OperationalError, InterfaceError)
"""What a lost or refused connection raises; deadlocks and shutdowns are among them."""


REFUSALS = re.compile(
    "certificate|SSL was required|SSL is required|server does not support SSL"
    "|password authentication failed|no password supplied|no pg_hba.conf entry"
    "|permission denied for database|(?:role|database) .* does not exist"
)
"""Words of libpq and PostgreSQL where a connection will be refused however long one waits."""


class DatabaseRefusesError(ExpectedError):
    """The database is there and lets this process not in, or cannot be trusted."""


class ForeignSchemaError(ExpectedError):
    """The schema has moved on while this process ran, and is not its own any more."""

    def __init__(self, told: str) -> None:
        super().__init__(f"schema: {told}: this process is of another version and ends")


@dataclass(frozen=True)
class ReadOnly:
    """That connections may only read, for how long, and with one processor of the server.

    Parameters
    ----------
    seconds
        Time that a statement may take, and a transaction may rest.
    """

    seconds: int

    @property
    def options(self) -> str:
        """What a connection is opened with."""
        limit = 1000 * self.seconds
        return (
            " -c default_transaction_read_only=on -c max_parallel_workers_per_gather=0"
            f" -c statement_timeout={limit} -c idle_in_transaction_session_timeout={limit}"
        )


class Database:
    """A pool of connections; to be made in the process that uses it, not before a fork."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 2,
        connect_seconds: int = CONNECT_SECONDS,
        read_only: ReadOnly | None = None,
    ) -> None:
        options = f"{_CONNECTION['options']} -c {MARK}={newest_revision()}"
        if read_only:
            options += read_only.options
        self.engine = create_engine(
            url,
            pool_size=pool_size,
            connect_args={
                **_CONNECTION,
                "options": options,
                "connect_timeout": connect_seconds,
            },
            # Escaped, a text that is not in Latin script would be three times as long.
            json_serializer=partial(json.dumps, ensure_ascii=False),
        )
        event.listen(self.engine, "handle_error", _tell_of_schema)
        event.listen(self.engine, "checkin", _note_use)
        event.listen(self.engine, "checkout", partial(_check_if_idle, self.engine))
        self._session = sessionmaker(self.engine, class_=RowSession, expire_on_commit=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Give a session, commit at the end, roll back on an exception."""
        with self._session.begin() as session:
            yield session

    @contextmanager
    def patient_transaction(self) -> Iterator[Session]:
        """Give a session as `transaction`, one that may rest and wait for as long as it takes."""
        with self.transaction() as session:
            session.execute(_WAIT_FOREVER)
            yield session

    @contextmanager
    def statement_by_statement(self) -> Iterator[Connection]:
        """Give a connection on which each statement is a transaction of its own."""
        with self.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def run(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` in a transaction, again when the connection was lost.

        ``work`` must do nothing but read and write through its session: it is
        called anew with a new one each time.

        Raises
        ------
        sqlalchemy.exc.DBAPIError
            When the database stays away for longer than the retries last.
        """

        def attempt() -> T:
            with self.transaction() as session:
                return work(session)

        return _patiently(attempt)

    def read_snapshot(self, query: Callable[[Session], T]) -> T:
        """Run several queries that must agree with each other, as of one moment."""

        def work(session: Session) -> T:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            return query(session)

        return self.run(work)

    @contextmanager
    def exclusive(self, lock: AdvisoryLock, key: int) -> Iterator[bool]:
        """Hold a lock as `exclusive_each`; yields False, at once, while another holds it."""
        with self.exclusive_each(lock, [key]) as held:
            yield bool(held)

    @contextmanager
    def exclusive_each(self, lock: AdvisoryLock, keys: Collection[int]) -> Iterator[set[int]]:
        """Hold locks that the end of this process releases, however it ends.

        Yields, at once, the keys of those that no other holds.

        Parameters
        ----------
        lock
            What is locked.
        keys
            Which of its class.
        """
        wanted = {"class": lock.value, "keys": list(keys)}

        def acquire() -> tuple[Connection, set[int]]:
            connection = self.engine.connect()
            try:
                connection.execution_options(isolation_level="AUTOCOMMIT")
                rows = connection.execute(_TRY_LOCK, wanted)
                held = {key for key, is_held in rows if is_held}
            except BaseException:
                connection.invalidate()
                connection.close()
                raise
            return connection, held

        connection, held = _patiently(acquire)
        with connection:
            try:
                yield held
            finally:
                if held:
                    try:
                        connection.execute(_UNLOCK, {"class": lock.value, "keys": list(held)})
                    except DBAPIError as error:
                        # A connection that is lost has released them.
                        if not is_connection_lost(error):
                            raise

    def wait(self) -> None:
        """Wait until the database answers, and say that once.

        Raises
        ------
        DatabaseRefusesError
            If waiting does not help, for want of a right or of a certificate.
        """
        try:
            self.ping()
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            if REFUSALS.search(str(error.orig)):
                raise DatabaseRefusesError(f"the database refuses: {cause(error)}") from error
            warn_of(logger, "the database does not answer, it is waited for", error)
            _patiently(self.ping)

    def ping(self) -> None:
        """Raise if the database does not answer."""
        with self.transaction() as session:
            session.execute(select(1))

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _tell_of_schema(context: ExceptionContext) -> None:
    error = context.original_exception
    if getattr(error, "pgcode", None) == FOREIGN_SCHEMA:
        raise ForeignSchemaError(str(error).splitlines()[0])


def _note_use(_connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
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
        # The pool tries another one.
        raise DisconnectionError from error


def _patiently(attempt: Callable[[], T]) -> T:
    for delay in RETRY_DELAYS_SECONDS:
        try:
            return attempt()
        except DBAPIError as error:
            if not is_connection_lost(error):
                raise
            time.sleep(delay)
    return attempt()


def is_connection_lost(error: DBAPIError) -> bool:
    """Tell whether the connection, and not what was asked, is why a statement failed."""
    # A server that crashes in the middle of an answer gives a plain DatabaseError.
    return isinstance(error, CONNECTION_ERRORS) or error.connection_invalidated


def do_not_wait_for_disk(session: Session) -> None:
    """Have the transaction end before it is on disk: a crash of the server may lose it."""
    session.execute(_DO_NOT_WAIT)


_WAIT_FOREVER = rows_only(
    select(
        *(
            func.set_config(name, "0", literal(value=True))
            for name in ("lock_timeout", "idle_in_transaction_session_timeout")
        )
    )
)
_DO_NOT_WAIT = rows_only(text("SET LOCAL synchronous_commit TO OFF"))
