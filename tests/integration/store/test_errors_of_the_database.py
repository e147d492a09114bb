"""Transactions are repeated after transient errors only, and refused access is reported at once."""

from collections.abc import Callable, Iterator
from threading import Timer

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tests.proxy import Proxy
from tests.services import Services
from tests.waiting import wait_until
from worker.store.database import Database, DatabaseRefusesError

# SQLSTATE codes, such as 40P01 for a deadlock and 23505 for a violated unique constraint.
TRANSIENT_STATES = ["08006", "40001", "40P01", "53100", "53200", "55P03", "57P01", "57P02", "57P03"]
PERMANENT_STATES = ["22003", "23505", "54000", "54001", "55006", "57014", "58030", "XX001"]


def attempts_needed(database: Database, fail: Callable[[Session], object]) -> int:
    """Run a transaction whose first attempt fails; return the number of attempts.

    The number is negative if the transaction is not repeated and the error is raised.
    """
    attempts = 0

    def work(session: Session) -> int:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            fail(session)
        return attempts

    try:
        return database.run(work)
    except DBAPIError:
        return -attempts


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with Database(database_url) as database:
        yield database


@pytest.mark.parametrize("state", [*TRANSIENT_STATES, *PERMANENT_STATES])
def test_the_sqlstate_determines_whether_a_transaction_is_retried(
    database: Database, state: str
) -> None:
    code = f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$"
    assert attempts_needed(database, lambda session: session.execute(text(code))) == (
        2 if state in TRANSIENT_STATES else -1
    )


def test_a_transaction_whose_connection_was_ended_is_retried(database: Database) -> None:
    end = text("SELECT pg_terminate_backend(pg_backend_pid())")
    assert attempts_needed(database, lambda session: session.execute(end)) == 2


def test_a_transaction_that_was_idle_for_too_long_is_retried(database: Database) -> None:
    def wait(session: Session) -> None:
        pid = session.scalar(text("SELECT pg_backend_pid()"))
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout TO 1"))
        query = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
        wait_until(lambda: not database.run(lambda other: other.scalar(query, {"pid": pid})))
        session.execute(text("SELECT 1"))

    assert attempts_needed(database, wait) == 2


def test_nothing_waits_for_a_database_that_refuses_access(services: Services) -> None:
    url = services.server_url.set(database="no_such_database")
    with Proxy(url.render_as_string(hide_password=False), 5432) as proxy:
        proxy.drop()
        restoration = Timer(0.5, proxy.restore)
        restoration.start()
        with (
            Database(proxy.url) as database,
            pytest.raises(DatabaseRefusesError, match="does not exist"),
        ):
            database.wait()
        restoration.join()
