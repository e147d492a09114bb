"""Readiness and health checks of a deployment, which report what is missing."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detourage.cli import main
from tests.commands import DEPLOYMENT_COMMANDS
from tests.inline_tasks import Tasks
from tests.pages import article_html
from tests.services import Services, temporary_database, unused_ports
from worker.settings import Settings, load_settings

Environment = pytest.MonkeyPatch


@pytest.fixture
def deployed(tasks: Tasks, declared: Settings, monkeypatch: Environment) -> Iterator[Tasks]:
    """Tasks with a migrated database and a broker on which the queues exist."""
    monkeypatch.setenv("DETOURAGE_QUEUE_PREFIX", declared.queue_prefix)
    load_settings.cache_clear()
    yield tasks
    load_settings.cache_clear()


def ready(*arguments: str) -> Result:
    load_settings.cache_clear()
    return CliRunner().invoke(main, ["health", *arguments])


def failed(result: Result) -> list[str]:
    return [line.split()[1] for line in result.output.splitlines() if line.startswith("FAIL")]


@pytest.mark.usefixtures("deployed")
def test_a_complete_deployment_is_ready() -> None:
    for arguments in ([], ["--accepting"]):
        result = ready(*arguments)
        assert (result.exit_code, failed(result)) == (0, [])


@pytest.mark.usefixtures("deployed")
def test_a_deployment_with_an_unavailable_broker_is_not_ready(monkeypatch: Environment) -> None:
    (port,) = unused_ports(1)
    with monkeypatch.context() as other:
        other.setenv("DETOURAGE_BROKER_URL", f"amqp://guest:secret@127.0.0.1:{port}//")
        result = ready()
    assert (result.exit_code, failed(result)) == (1, ["broker:"])
    assert "secret" not in result.output


@pytest.mark.usefixtures("deployed")
def test_checks_do_not_declare_queues(monkeypatch: Environment) -> None:
    with monkeypatch.context() as other:
        other.setenv("DETOURAGE_QUEUE_PREFIX", f"never-{secrets.token_hex(4)}.")
        for _ in range(2):
            result = ready()
            assert (result.exit_code, failed(result)) == (1, ["queues:"])


def test_a_paused_intake_is_ready_not_accepting(deployed: Tasks, monkeypatch: Environment) -> None:
    deployed.publish("a", [("1", article_html(1))])
    monkeypatch.setenv("DETOURAGE_PENDING_LIMIT", "1")
    result = ready()
    assert result.exit_code == 0
    assert "the intake waits" in result.output
    result = ready("--accepting")
    assert (result.exit_code, failed(result)) == (1, ["room:"])


NEED_A_SCHEMA = [
    arguments
    for arguments, servers in DEPLOYMENT_COMMANDS
    if "database" in servers and arguments[0] not in ("migrate", "health")
]
BEHIND = "schema: older than this version: run `detourage migrate`"


@pytest.mark.usefixtures("deployed")
def test_before_the_migration_every_command_advises_to_migrate(
    services: Services, monkeypatch: Environment, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").touch()
    with temporary_database(services) as url:
        monkeypatch.setenv("DETOURAGE_DATABASE_URL", url)
        load_settings.cache_clear()
        for command in NEED_A_SCHEMA:
            result = CliRunner().invoke(main, command)
            # The line with which a process logs its version and settings at its start.
            said = [line for line in result.output.splitlines() if " started " not in line]
            assert (result.exit_code, said) == (1, [f"Error: {BEHIND}"]), command
        for result in (ready("--all"), ready()):
            assert (result.exit_code, failed(result)) == (1, ["schema:"])
            assert f"FAIL  {BEHIND}" in result.output
            assert "psycopg2" not in result.output
