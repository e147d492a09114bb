"""Servers that require TLS and passwords, and a deployment with minimal rights on them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from detourage.cli import main
from tests.deployment import Deployment, configured
from tests.integration.secured.servers import SecuredServers
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate


@pytest.fixture(scope="package")
def servers() -> Iterator[SecuredServers]:
    """PostgreSQL and RabbitMQ with the documented roles and users, and a migrated database."""
    with SecuredServers() as running:
        running.make_roles()
        with Database(running.database_url("detourage")) as database:
            migrate(database)
        yield running


@pytest.fixture(scope="package")
def deployment(
    servers: SecuredServers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """Intake, relay, worker and beat, connected as the users created by the documented scripts."""
    settings = Settings.model_validate(
        {
            "database_url": servers.database_url("detourage_service"),
            "broker_url": servers.broker_url("detourage_service"),
            "broker_ca_file": servers.authority,
            "settle_seconds": 1,
            "log_format": "json",
            "heartbeat_directory": tmp_path_factory.mktemp("heartbeats"),
        }
    )
    with Deployment(settings, tmp_path_factory.mktemp("logs")) as running:
        yield running


CommandLine = Callable[..., tuple[int, str]]


@pytest.fixture
def command_line(deployment: Deployment) -> CommandLine:
    """Return a function that runs a command, with some settings changed.

    It returns the exit code and the output.
    """

    def run(command: str, **changes: str | Path) -> tuple[int, str]:
        with configured(deployment.settings, **changes):
            result = CliRunner().invoke(main, command.split())
        return result.exit_code, result.output

    return run
