"""Readiness and health checks of a deployment, which report what is missing."""

import secrets
import signal
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

MonkeyPatch = pytest.MonkeyPatch


@pytest.fixture
def deployment_tasks(
    tasks: Tasks, settings_with_queues: Settings, monkeypatch: MonkeyPatch
) -> Iterator[Tasks]:
    """Tasks on a migrated database, with the queues declared on the broker."""
    monkeypatch.setenv("DETOURAGE_QUEUE_PREFIX", settings_with_queues.queue_prefix)
    load_settings.cache_clear()
    yield tasks
    load_settings.cache_clear()


def check_health(*arguments: str) -> Result:
    """Run ``detourage health`` with the current environment variables."""
    load_settings.cache_clear()
    return CliRunner().invoke(main, ["health", *arguments])


def failed_checks(result: Result) -> list[str]:
    """Return the names of the failed checks, each with a colon, such as ``broker:``."""
    return [line.split()[1] for line in result.output.splitlines() if line.startswith("FAIL")]


@pytest.mark.usefixtures("deployment_tasks")
def test_a_complete_deployment_is_ready() -> None:
    for arguments in ([], ["--accepting"]):
        result = check_health(*arguments)
        assert (result.exit_code, failed_checks(result)) == (0, [])


@pytest.mark.usefixtures("deployment_tasks")
def test_a_deployment_with_an_unavailable_broker_is_not_ready(monkeypatch: MonkeyPatch) -> None:
    (port,) = unused_ports(1)
    with monkeypatch.context() as other:
        other.setenv("DETOURAGE_BROKER_URL", f"amqp://guest:secret@127.0.0.1:{port}//")
        result = check_health()
    assert (result.exit_code, failed_checks(result)) == (1, ["broker:"])
    assert "secret" not in result.output


@pytest.mark.usefixtures("deployment_tasks")
def test_checks_do_not_declare_queues(monkeypatch: MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setenv("DETOURAGE_QUEUE_PREFIX", f"never-{secrets.token_hex(4)}.")
        for _ in range(2):
            result = check_health()
            assert (result.exit_code, failed_checks(result)) == (1, ["queues:"])


def test_a_paused_intake_is_ready_but_does_not_accept_pages(
    deployment_tasks: Tasks, monkeypatch: MonkeyPatch
) -> None:
    deployment_tasks.publish("a", [("1", article_html(1))])
    monkeypatch.setenv("DETOURAGE_PENDING_LIMIT", "1")
    result = check_health()
    assert result.exit_code == 0
    assert "the intake pauses" in result.output
    result = check_health("--accepting")
    assert (result.exit_code, failed_checks(result)) == (1, ["room:"])


COMMANDS_WITH_DATABASE = [
    arguments
    for arguments, servers in DEPLOYMENT_COMMANDS
    if "database" in servers and arguments[0] not in ("migrate", "health")
]
NO_TABLES = "the database has no tables yet; run `detourage migrate`"


@pytest.mark.usefixtures("deployment_tasks")
def test_before_the_migration_every_command_advises_to_migrate(
    services: Services, monkeypatch: MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").touch()
    with temporary_database(services) as url:
        monkeypatch.setenv("DETOURAGE_DATABASE_URL", url)
        load_settings.cache_clear()
        for command in COMMANDS_WITH_DATABASE:
            result = CliRunner().invoke(main, command)
            # Skip the line in which a process logs its version and settings.
            lines = [line for line in result.output.splitlines() if " started " not in line]
            assert (result.exit_code, lines) == (1, [f"Error: {NO_TABLES}"]), command
            # The intake or relay, run in this process, no longer handles its signals.
            assert signal.set_wakeup_fd(-1) == -1, command
        for result in (check_health("--all"), check_health()):
            assert (result.exit_code, failed_checks(result)) == (1, ["schema:"])
            assert f"FAIL  schema: {NO_TABLES}" in result.output
            assert "psycopg2" not in result.output
