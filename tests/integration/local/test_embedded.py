"""The embedded PostgreSQL and broker, used from several processes."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from kombu import Connection, Consumer, Exchange, Message, Queue
from sqlalchemy import create_engine, text

from tests.waiting import wait_until
from worker.local.embedded import Services, embedded_services, postgresql_programs
from worker.messaging.broker import embedded_options
from worker.processes.supervisor import ChildDied

WAIT_SECONDS = 600

OWNER = """
import sys, time
from pathlib import Path
from worker.local.embedded import embedded_services
from worker.processes.supervisor import termination_as_exit

directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
with termination_as_exit(), embedded_services(directory) as services:
    print(services.directory, services.database_url, flush=True)
    time.sleep(1000)
"""


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            return [tuple(row) for row in result] if result.returns_rows else []
    finally:
        engine.dispose()


def postmaster(services: Services) -> int:
    pid_file = services.directory / "postgresql" / "postmaster.pid"
    return int(pid_file.read_text().splitlines()[0])


def servers_on(directory: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name() == "postgres" and process.cwd().startswith(str(directory)):
                found.append(process)
    return found


@contextlib.contextmanager
def owner(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Path, str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().split()
        assert line, process.communicate()
        yield process, Path(line[0]), line[1]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with embedded_services() as running:
        yield running


@pytest.fixture
def shared_directory() -> Iterator[Path]:
    # The server does not run as root. Every start of pytest makes pytest's temporary directories
    # inaccessible to other users, even those of other runs.
    with tempfile.TemporaryDirectory(prefix="detourage-test-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory) / "state"


def test_the_embedded_database_has_the_features_the_service_needs(services: Services) -> None:
    assert query(services.database_url, "SELECT current_database(), 'é' < 'z'") == [
        ("detourage", False)
    ]
    services.check()
    # Only the user who started the server can reach it.
    assert query(services.database_url, "SHOW listen_addresses") == [("",)]
    assert (services.directory / "socket").stat().st_mode & 0o077 == 0
    assert psutil.Process(postmaster(services)).net_connections("inet") == []


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name
)
def test_a_signal_leaves_neither_server_nor_files(number: signal.Signals) -> None:
    with owner() as (process, directory, url):
        assert query(url, "SELECT 1") == [(1,)]
        os.killpg(process.pid, number)
        process.communicate()
        wait_until(lambda: not directory.exists())
        assert not servers_on(directory)


def test_the_death_of_the_server_is_reported() -> None:
    with embedded_services() as services:
        directory = services.directory
        os.kill(postmaster(services), signal.SIGKILL)
        with pytest.raises(ChildDied, match="postgresql was killed by SIGKILL"):
            wait_until(services.check)
    assert not servers_on(directory)
    assert not directory.exists()


def test_data_in_a_chosen_directory_survives_a_kill(shared_directory: Path) -> None:
    with owner(str(shared_directory)) as (process, runtime, url):
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        process.kill()
        process.communicate()
        # This run starts while the guardian of the killed run is still cleaning up.
        with embedded_services(shared_directory) as services:
            assert query(services.database_url, "SELECT answer FROM kept") == [(42,)]
        assert not servers_on(shared_directory)
        wait_until(lambda: not runtime.exists())


def test_a_stale_server_is_stopped_first(shared_directory: Path) -> None:
    with embedded_services(shared_directory) as services:
        query(services.database_url, "CREATE TABLE kept AS SELECT 42 AS answer")
    data = shared_directory / "postgresql"
    user = data.owner() if os.geteuid() == 0 else None
    stale = subprocess.Popen(
        [postgresql_programs() / "postgres", "-D", data, "-h", "", "-k", data],
        user=user,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    pid_file = data / "postmaster.pid"
    wait_until(lambda: pid_file.exists() and "ready" in pid_file.read_text())
    with embedded_services(shared_directory) as services:
        assert stale.wait() == 0
        assert query(services.database_url, "SELECT answer FROM kept") == [(42,)]


def test_a_process_that_reuses_the_pid_of_a_stale_server_is_not_killed(
    shared_directory: Path,
) -> None:
    with embedded_services(shared_directory):
        pass
    pid_file = shared_directory / "postgresql" / "postmaster.pid"
    with subprocess.Popen(["sleep", "1000"]) as bystander:
        pid_file.write_text(f"{bystander.pid}\n{pid_file.parent}\n1\n5432\n\n\n\nready\n")
        with embedded_services(shared_directory) as services:
            assert query(services.database_url, "SELECT 1") == [(1,)]
        assert bystander.poll() is None
        bystander.kill()


def test_the_permissions_of_an_inaccessible_installation_are_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = postgresql_programs()
    package = installed.parent.parent
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    for part in package.parent.glob(f"{package.name}*"):
        shutil.copytree(part, closed / part.name, symlinks=True)
    programs = closed / installed.relative_to(package.parent)
    monkeypatch.setattr("worker.local.embedded.postgresql_programs", lambda: programs)
    with embedded_services() as services:
        assert query(services.database_url, "SELECT 1") == [(1,)]
    assert closed.stat().st_mode & 0o777 == 0o700


EXCHANGE = Exchange("t-1.detourage", "topic")
PAGES = Queue("t-1.crawler.pages", EXCHANGE, routing_key="crawler.pages")
LARGEST = "é" * 7_000_000
ARTICLES = Queue("t-1.entities.articles", EXCHANGE, routing_key="article.#")

PUBLISHER = """
import json, os, sys
from kombu import Connection, Exchange
options = json.loads(os.environ["OPTIONS"])
with Connection(os.environ["BROKER"], transport_options=options) as connection:
    producer = connection.Producer(exchange=Exchange("t-1.detourage", "topic"))
    for key, body, headers in json.load(sys.stdin):
        producer.publish(body, routing_key=key, headers=headers, serializer="json")
"""

TAKER = """
import json, os, time
from kombu import Connection, Consumer, Exchange, Queue
options = json.loads(os.environ["OPTIONS"])
queue = Queue("t-1.crawler.pages", Exchange("t-1.detourage", "topic"), routing_key="crawler.pages")
with Connection(os.environ["BROKER"], transport_options=options) as connection:
    with Consumer(connection, [queue], on_message=lambda message: print("taken", flush=True)):
        while True:
            connection.drain_events()
"""


def broker_environment(services: Services) -> dict[str, str]:
    return {
        **os.environ,
        "BROKER": services.broker_url,
        "OPTIONS": json.dumps(embedded_options(services.database_url)),
    }


def broker(services: Services) -> Connection:
    return Connection(
        services.broker_url, transport_options=embedded_options(services.database_url)
    )


def publish(services: Services, *messages: tuple[str, object, dict[str, str]]) -> None:
    subprocess.run(
        [sys.executable, "-c", PUBLISHER],
        env=broker_environment(services),
        input=json.dumps(messages),
        text=True,
        check=True,
    )


def consume(services: Services, queue: Queue, count: int) -> list[Message]:
    """Consume ``count`` messages and return them, after a short wait for any further ones."""
    received: list[Message] = []

    def take(message: Message) -> None:
        received.append(message)
        message.ack()

    with (
        contextlib.suppress(socket.timeout),
        broker(services) as connection,
        Consumer(connection, [queue], on_message=take),
    ):
        while len(received) < count:
            connection.drain_events(timeout=WAIT_SECONDS)
        connection.drain_events(timeout=0.3)
    return received


@pytest.fixture
def declared(services: Services) -> Iterator[None]:
    with broker(services) as connection:
        for queue in (PAGES, ARTICLES):
            queue(connection).declare()
        yield
        for queue in (PAGES, ARTICLES):
            queue(connection).delete()


@pytest.mark.usefixtures("declared")
def test_another_process_publishes_through_a_topic_exchange(services: Services) -> None:
    publish(
        services,
        ("crawler.pages", {"n": 1}, {}),
        ("article.example.1", {"n": 2}, {"origin": "test"}),
        ("article.example", {"n": LARGEST}, {}),
        ("unbound", {"n": 4}, {}),
    )
    assert [message.decode() for message in consume(services, PAGES, 1)] == [{"n": 1}]
    articles = consume(services, ARTICLES, 2)
    assert [message.decode() for message in articles] == [{"n": 2}, {"n": LARGEST}]
    assert articles[0].headers["origin"] == "test"


@pytest.mark.usefixtures("declared")
def test_a_message_that_is_not_json_is_delivered_unchanged(services: Services) -> None:
    with broker(services) as connection:
        connection.Producer().publish(
            b"\x00{broken\xff",
            routing_key=PAGES.name,
            content_type="application/json",
            content_encoding="utf-8",
        )
    (message,) = consume(services, PAGES, 1)
    assert bytes(message.body) == b"\x00{broken\xff"


def test_messages_of_a_killed_consumer_are_redelivered_in_the_next_run(
    shared_directory: Path,
) -> None:
    with embedded_services(shared_directory) as services:
        with broker(services) as connection:
            PAGES(connection).declare()
        publish(services, ("crawler.pages", {"n": 1}, {}))
        with subprocess.Popen(
            [sys.executable, "-c", TAKER],
            env=broker_environment(services),
            stdout=subprocess.PIPE,
            text=True,
        ) as taker:
            assert taker.stdout is not None
            assert taker.stdout.readline() == "taken\n"
            taker.kill()
    with embedded_services(shared_directory) as services:
        (message,) = consume(services, PAGES, 1)
        assert message.decode() == {"n": 1}
