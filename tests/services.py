"""PostgreSQL and RabbitMQ for the test session.

Configured servers are used first, then those on this machine's standard ports. Otherwise, the
embedded PostgreSQL is started, and RabbitMQ is started with docker compose or from Debian's
package, which is installed if it is missing and the user is root. If that fails, the session ends
with a clear message; no test is skipped for lack of a service. Servers started here share nothing
with the machine's own servers.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from kombu import Connection
from sqlalchemy import URL, Engine, create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from worker.local.embedded import embedded_services
from worker.processes.supervisor import Supervisor
from worker.settings import psycopg2_url

LOCAL_BROKER = "amqp://guest:guest@127.0.0.1:5672//"
URL_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg2")
"""Schemes of a database URL that the service accepts and treats alike."""

START_SECONDS = 600.0  # maximum time for a server to start
COMPOSE_FILE = Path(__file__).parents[1] / "docker-compose.yml"

RABBITMQ_SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Debian's server program; the wrapper on the PATH would use the directories of the system's
server."""

ONE_SCHEDULER = "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none"
"""Arguments of Erlang. On a busy machine, its scheduler threads spend most of their time waiting
for one another, so that a single one is ten times as fast."""

PGBOUNCER = Path("/usr/sbin/pgbouncer")


def with_scheme(url: str, scheme: str) -> str:
    """Return a URL with its scheme replaced."""
    return f"{scheme}://{url.partition('://')[2]}"


@dataclass(frozen=True)
class Services:
    """URLs of a RabbitMQ broker and of a PostgreSQL server on which databases can be created."""

    server_url: URL
    broker_url: str


@contextmanager
def running_services() -> Iterator[Services]:
    """Yield both services; servers started for the session are stopped at its end."""
    with ExitStack() as stack:
        yield Services(_postgresql(stack), _rabbitmq(stack))


@contextmanager
def temporary_database(services: Services, template: str = "") -> Iterator[str]:
    """Create a database, as a copy of the one at the URL `template` if given; yield its URL.

    The database is dropped at the end.
    Commits do not wait for the disk, because no data needs to survive a crash of the server.
    """
    name = f"detourage_test_{secrets.token_hex(6)}"
    source = make_url(template).database if template else "template1"
    engine = create_engine(services.server_url, isolation_level="AUTOCOMMIT")
    try:
        _execute(engine, f'CREATE DATABASE "{name}" TEMPLATE "{source}"')
        _execute(engine, f'ALTER DATABASE "{name}" SET synchronous_commit = off')
        yield services.server_url.set(database=name).render_as_string(hide_password=False)
        _execute(engine, f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        engine.dispose()


def _postgresql(stack: ExitStack) -> URL:
    """Return a configured, local or embedded server; the stack stops one that is started here."""
    configured = os.environ.get("DETOURAGE_TEST_DATABASE_URL")
    if configured:
        url = make_url(psycopg2_url(configured))
        problem = _database_problem(url)
        if problem:
            pytest.exit(f"DETOURAGE_TEST_DATABASE_URL cannot be used: {problem}", returncode=1)
        return url
    for user in dict.fromkeys(("postgres", os.environ.get("USER", "postgres"))):
        url = URL.create(
            "postgresql+psycopg2", username=user, host="127.0.0.1", port=5432, database="postgres"
        )
        if not _database_problem(url):
            return url
    return make_url(stack.enter_context(embedded_services()).database_url)


def _database_problem(url: URL) -> str | None:
    """Return why databases cannot be created on a server, or None if they can."""
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
    """Return the URL of a configured or local broker, or of one that is started here."""
    configured = os.environ.get("DETOURAGE_TEST_BROKER_URL")
    if configured:
        if not _broker_responds(configured):
            pytest.exit("no broker responds at DETOURAGE_TEST_BROKER_URL", returncode=1)
        return configured
    if _broker_responds(LOCAL_BROKER):
        return LOCAL_BROKER
    for start_broker in (_start_with_compose, _start_debian_package):
        url = start_broker(stack)
        if url is not None and wait_for_broker(url):
            return url
    pytest.exit(
        "the tests need RabbitMQ: start one on 127.0.0.1:5672, or set DETOURAGE_TEST_BROKER_URL,"
        " or run them with Docker, or as root on Debian",
        returncode=1,
    )


def _broker_responds(url: str) -> bool:
    try:
        with Connection(url, connect_timeout=3) as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except Exception:
        return False
    return True


def wait_for_broker(url: str) -> bool:
    """Wait until a broker responds; return whether it does."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if _broker_responds(url):
            return True
        time.sleep(1)
    return False


def _succeeds(*command: str, environment: dict[str, str] | None = None) -> bool:
    if shutil.which(command[0]) is None:
        return False
    result = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, **(environment or {})}
    )
    return result.returncode == 0


def _install(package: str) -> None:
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    _succeeds("apt-get", "update", "--quiet", environment=environment)
    _succeeds("apt-get", "install", "--yes", "--quiet", package, environment=environment)


def _start_with_compose(stack: ExitStack) -> str | None:
    """Start RabbitMQ with docker compose; return its URL, or None if this is not possible."""
    if not _succeeds("docker", "info"):
        return None
    compose = ("docker", "compose", "--project-name", "detourage-test", "--file", str(COMPOSE_FILE))
    stack.callback(_succeeds, *compose, "down", "--volumes")
    # Compose requires a value for every variable written as ${..._PASSWORD:?...} in the file.
    required = re.findall(r"\$\{(\w+_PASSWORD):\?", COMPOSE_FILE.read_text())
    passwords = dict.fromkeys(required, "detourage")
    if not _succeeds(*compose, "up", "--detach", "--wait", "rabbitmq", environment=passwords):
        return None
    return "amqp://detourage:detourage@127.0.0.1:5672//"


def _program(path: Path, package: str) -> Path | None:
    """Return a program of a Debian package, installing it as root if it is missing."""
    if not path.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        _install(package)
    return path if path.exists() else None


def start_rabbitmq(
    supervisor: Supervisor, environment: dict[str, str], home: Path, log: Path, name: str = "broker"
) -> int:
    """Start RabbitMQ with the environment of a `private_node`, and return its process ID."""
    program = _program(RABBITMQ_SERVER, "rabbitmq-server")
    assert program is not None, "rabbitmq-server is not installed: apt-get install rabbitmq-server"
    return supervisor.start(name, [program], log=log, env=environment, cwd=home)


def pgbouncer_program() -> Path:
    """Return the PgBouncer program of Debian's package."""
    program = _program(PGBOUNCER, "pgbouncer")
    assert program is not None, "PgBouncer is not installed: apt-get install pgbouncer"
    return program


def postgresql_programs() -> Path:
    """Return the directory of Debian's PostgreSQL commands, installing them as root if missing.

    They are needed because the embedded PostgreSQL lacks TLS.
    """
    if not _installed_postgresql() and os.geteuid() == 0:
        _install("postgresql")
    directories = _installed_postgresql()
    assert directories, "PostgreSQL is not installed: apt-get install postgresql"
    return directories[-1]


def _installed_postgresql() -> list[Path]:
    """Return the program directories of the installed versions, the latest last."""
    return sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def _start_debian_package(stack: ExitStack) -> str | None:
    """Start RabbitMQ from Debian's package; return its URL, or None if it is not installed."""
    if _program(RABBITMQ_SERVER, "rabbitmq-server") is None:
        return None
    home = Path(tempfile.mkdtemp(prefix="detourage-rabbitmq-"))
    supervisor = stack.enter_context(Supervisor(remove=[home]))
    port, *others = unused_ports(3)
    start_rabbitmq(supervisor, private_node(home, port, *others), home, home / "log")
    return f"amqp://guest:guest@127.0.0.1:{port}//"


def private_node(home: Path, port: int, distribution_port: int, epmd_port: int) -> dict[str, str]:
    """Return environment variables for a node that shares nothing with other nodes on this machine.

    The package's settings name a single node and a single data directory. If a second node used
    that directory, even on another port, it would destroy the first node's data. Therefore, all
    paths are set here, and the packaged settings file is not used.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RABBITMQ_", "ERL_"))
    }
    return {
        **inherited,
        "HOME": str(home),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(epmd_port),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(home / "advanced.config"),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
        "RABBITMQ_CONF_ENV_FILE": str(home / "rabbitmq-env.conf"),
        "RABBITMQ_DIST_PORT": str(distribution_port),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_LOG_BASE": str(home / "logs"),
        "RABBITMQ_MNESIA_BASE": str(home / "data"),
        "RABBITMQ_NODENAME": f"detourage-{secrets.token_hex(4)}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_PID_FILE": str(home / "pid"),
        "RABBITMQ_CTL_ERL_ARGS": ONE_SCHEDULER,
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
            f"-kernel inet_dist_use_interface {{127,0,0,1}} {ONE_SCHEDULER}"
        ),
    }


def unused_ports(count: int) -> list[int]:
    """Return unused ports on the loopback interface."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
