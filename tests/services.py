"""A PostgreSQL and a RabbitMQ for the test session.

Configured ones are used; else those on this machine's standard ports; else
they are brought up: the embedded PostgreSQL, and RabbitMQ by docker compose or,
as root on Debian, from its package. Where that cannot be, the session ends with
a clear word: no test is skipped for want of a service.
"""

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from kombu import Connection
from sqlalchemy import URL, Engine, create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from worker.embedded import embedded_services

LOCAL_BROKER = "amqp://guest:guest@127.0.0.1:5672//"
START_SECONDS = 90.0


@dataclass(frozen=True)
class Services:
    """Addresses: a PostgreSQL server where databases can be made, and a RabbitMQ."""

    server_url: URL
    broker_url: str


@contextmanager
def running_services() -> Iterator[Services]:
    """Give both services; what was brought up for the session ends with it."""
    with ExitStack() as stack:
        yield Services(_postgresql(stack), _rabbitmq(stack))


@contextmanager
def temporary_database(services: Services) -> Iterator[str]:
    """Give the URL of an empty database, removed at the end."""
    name = f"detourage_test_{secrets.token_hex(6)}"
    engine = create_engine(services.server_url, isolation_level="AUTOCOMMIT")
    try:
        _execute(engine, f'CREATE DATABASE "{name}"')
        yield services.server_url.set(database=name).render_as_string(hide_password=False)
        _execute(engine, f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        engine.dispose()


def _postgresql(stack: ExitStack) -> URL:
    configured = os.environ.get("DETOURAGE_TEST_DATABASE_URL")
    if configured:
        url = make_url(configured)
        problem = _database_problem(url)
        if problem:
            pytest.exit(f"DETOURAGE_TEST_DATABASE_URL does not answer: {problem}", returncode=1)
        return url
    for user in dict.fromkeys(("postgres", os.environ.get("USER", "postgres"))):
        url = URL.create(
            "postgresql+psycopg2",
            username=user,
            host="127.0.0.1",
            port=5432,
            database="postgres",
        )
        if not _database_problem(url):
            return url
    return make_url(stack.enter_context(embedded_services()).database_url)


def _database_problem(url: URL) -> str | None:
    """Return why databases cannot be made on a server, or nothing if they can."""
    engine = create_engine(url, connect_args={"connect_timeout": 3})
    try:
        with engine.connect() as connection:
            allowed = connection.scalar(
                text("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
            )
    except OperationalError as error:
        return str(error).splitlines()[0]
    finally:
        engine.dispose()
    return None if allowed else "the user may not create databases"


def _execute(engine: Engine, statement: str) -> None:
    with engine.connect() as connection:
        connection.execute(text(statement))


def _rabbitmq(stack: ExitStack) -> str:
    configured = os.environ.get("DETOURAGE_TEST_BROKER_URL")
    if configured:
        if not _broker_answers(configured):
            pytest.exit("DETOURAGE_TEST_BROKER_URL does not answer", returncode=1)
        return configured
    if _broker_answers(LOCAL_BROKER):
        return LOCAL_BROKER
    for bring_up in (_compose, _debian_package):
        if bring_up(stack) and _wait_for_broker():
            return LOCAL_BROKER
    pytest.exit(
        "the tests need RabbitMQ: start one on 127.0.0.1:5672, or set DETOURAGE_TEST_BROKER_URL,"
        " or run them with Docker, or as root on Debian",
        returncode=1,
    )


def _broker_answers(url: str) -> bool:
    try:
        with Connection(url, connect_timeout=3) as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except Exception:  # whatever keeps it from answering
        return False
    return True


def _wait_for_broker() -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if _broker_answers(LOCAL_BROKER):
            return True
        time.sleep(1)
    return False


def _succeeds(*command: str, environment: dict[str, str] | None = None) -> bool:
    if shutil.which(command[0]) is None:
        return False
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, **(environment or {})}
    )
    return done.returncode == 0


def _compose(stack: ExitStack) -> bool:
    if not _succeeds("docker", "info"):
        return False
    compose = ("docker", "compose", "-f", str(Path(__file__).parents[1] / "docker-compose.yml"))
    if not _succeeds(*compose, "up", "--detach", "--wait", "rabbitmq"):
        return False
    stack.callback(_succeeds, *compose, "rm", "--stop", "--force", "rabbitmq")
    return True


def _debian_package(stack: ExitStack) -> bool:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    if shutil.which("rabbitmq-server") is None:
        _succeeds("apt-get", "update", "--quiet", environment=quiet)
        _succeeds("apt-get", "install", "--yes", "--quiet", "rabbitmq-server", environment=quiet)
    # On loopback only: the test broker is nobody else's business.
    loopback = {
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODENAME": "rabbit@localhost",
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    if not _broker_answers(LOCAL_BROKER) and not _succeeds(
        "rabbitmq-server", "-detached", environment=loopback
    ):
        return False
    stack.callback(_succeeds, "rabbitmqctl", "-n", "rabbit@localhost", "shutdown")
    return True
