"""Commands on a deployment without pages, and on a deployment whose servers are unavailable."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from kombu import Producer

from detourage.cli import main
from tests.commands import DEPLOYMENT_COMMANDS, Server
from tests.deployment import configured, own_queues, own_settings
from tests.pages import article_html, message
from tests.services import Services, unused_ports
from tests.waiting import wait_until
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.service.quarantine import browse
from worker.settings import Settings, load_settings
from worker.store.schema import REVISION

PROCESSES = ("intake", "relay")
COMMANDS = [each for each in DEPLOYMENT_COMMANDS if each[0][0] not in PROCESSES]
COMMANDS_OF_SERVERS = [
    (name, servers) for name, servers in COMMANDS if name[0] not in ("migrate", "health")
]
"""Commands that fail with a one-line message if one of their servers is unavailable."""

MonkeyPatch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _empty_deployment(
    settings_with_queues: Settings, tmp_path: Path, monkeypatch: MonkeyPatch
) -> Iterator[None]:
    """Run the test's commands on an empty deployment, in a folder with a file of pages to send."""
    monkeypatch.chdir(tmp_path)
    body = message("https://a.example/1", article_html(1))
    (tmp_path / "pages.jsonl").write_bytes(body + b"\n")
    with configured(settings_with_queues):
        yield
    with connect(settings_with_queues) as connection, connection.channel() as channel:
        channel.queue_purge(topology_of(settings_with_queues).pages)


@pytest.fixture
def without_queues(services: Services, database_url: str, tmp_path: Path) -> Iterator[None]:
    """Run the test's commands on a deployment whose queues have not been declared."""
    settings = own_settings(services, database_url, tmp_path)
    with own_queues(settings), configured(settings):
        yield


@pytest.fixture
def silent_port() -> Iterator[int]:
    """The port of a server that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def make_unavailable(server: Server, port: int, environment: MonkeyPatch) -> None:
    """Point the URL of a server to a local port on which no such server responds."""
    urls = {
        "database": f"postgresql+psycopg2://someone:secret@127.0.0.1:{port}/some",
        "broker": f"amqp://someone:secret@127.0.0.1:{port}//",
    }
    environment.setenv(f"DETOURAGE_{server.upper()}_URL", urls[server])
    load_settings.cache_clear()


def invoke(arguments: tuple[str, ...]) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in COMMANDS], ids=" ".join)
def test_every_command_works_on_an_empty_deployment(arguments: tuple[str, ...]) -> None:
    result = invoke(arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == 0 or (result.exit_code, len(result.stderr.splitlines())) == (1, 1)


@pytest.mark.usefixtures("without_queues")
@pytest.mark.parametrize("command", ["status", "send pages.jsonl", "quarantine list"])
def test_the_first_command_of_a_deployment_needs_no_queues(command: str) -> None:
    assert invoke(tuple(command.split())).exit_code == 0


@pytest.mark.parametrize(
    ("words", "server", "silent"),
    [
        *((name, each, False) for name, needed in COMMANDS_OF_SERVERS for each in sorted(needed)),
        *((("status",), each, True) for each in ("broker", "database")),
    ],
)
def test_an_unavailable_or_silent_server_ends_a_command_with_a_one_line_message(
    words: tuple[str, ...], server: Server, silent: bool, silent_port: int, monkeypatch: MonkeyPatch
) -> None:
    make_unavailable(server, silent_port if silent else unused_ports(1)[0], monkeypatch)
    result = invoke(words)
    assert (result.exit_code, len(result.output.splitlines())) == (1, 1), result.output
    assert f"the {server} is not responding" in result.output
    assert "secret" not in result.output


def test_health_reports_only_the_unavailable_servers(monkeypatch: MonkeyPatch) -> None:
    for server in ("database", "broker"):
        (port,) = unused_ports(1)
        make_unavailable(server, port, monkeypatch)
    result = invoke(("health",))
    failed = [line.split()[1] for line in result.output.splitlines()]
    assert (result.exit_code, failed) == (1, ["database:", "broker:"])
    assert "psycopg2" not in result.output


def test_unusable_messages_are_reported_and_not_sent(tmp_path: Path) -> None:
    good = message("https://a.example/1", article_html(1))
    lines = [good, b"{}", b"no JSON", b'{"version": 1, "html": "<p>a"}', good]
    (tmp_path / "mixed.jsonl").write_bytes(b"\n".join(lines))
    result = invoke(("send", "mixed.jsonl"))
    assert (result.exit_code, result.stdout) == (3, "2 messages sent\n")
    *named, count = result.stderr.splitlines()
    assert [line.split(": ")[:2] for line in named] == [
        ["message 2", "no-url"],
        ["message 3", "not-json"],
        ["message 4", "no-url"],
    ]
    assert count == "Error: 3 unusable messages, not sent"
    settings = load_settings()
    assert messages_waiting(settings, topology_of(settings).pages) == 2


def test_a_missing_database_is_reported(services: Services, monkeypatch: MonkeyPatch) -> None:
    url = services.server_url.set(database="no_such_database")
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", url.render_as_string(hide_password=False))
    load_settings.cache_clear()
    result = invoke(("status",))
    assert (result.exit_code, len(result.output.splitlines())) == (1, 1)
    assert result.output.startswith("Error: the database does not exist: ")


def test_the_migration_names_the_schema_version() -> None:
    result = invoke(("migrate",))
    assert (result.exit_code, result.stdout) == (0, f"the database has schema version {REVISION}\n")


@pytest.mark.usefixtures("without_queues")
def test_messages_are_counted_before_their_deletion_is_confirmed() -> None:
    result = invoke(("quarantine", "drop", "no-such-id"))
    assert (result.exit_code, result.output) == (
        1,
        "Error: no message 'no-such-id' is in quarantine\n",
    )
    settings = load_settings()
    with connect(settings) as connection:
        topology_of(settings).declare(connection)
        for _ in range(3):
            Producer(connection.channel()).publish(
                b"{}", routing_key=topology_of(settings).quarantines["intake"]
            )
    result = CliRunner().invoke(main, ["quarantine", "drop"], input="y\n")
    assert "Delete 3 messages permanently?" in result.output
    assert result.output.endswith("3 messages dropped\n")


@pytest.mark.usefixtures("without_queues")
def test_an_unknown_task_in_quarantine_shows_when_it_failed() -> None:
    settings = load_settings()
    topology = topology_of(settings)
    with connect(settings) as connection, connection.channel() as channel:
        topology.declare(connection)
        queue = topology.task_queue("extract")
        Producer(channel).publish(b"{}", routing_key=queue)
        wait_until(lambda: messages_waiting(settings, queue) == 1)
        channel.basic_reject(channel.basic_get(queue).delivery_tag, requeue=False)
    wait_until(lambda: messages_waiting(settings, topology.quarantines["extract"]) == 1)
    [quarantined] = browse(settings, "extract")
    assert quarantined.age_seconds(datetime.now(UTC)) is not None
