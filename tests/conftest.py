"""Fixtures: real services, an empty database for each module that needs one, and a deployment.

Each fixture imports what it needs itself. Most tests need no services, and importing the clients
would take longer than running a file of such tests.
"""

from __future__ import annotations

import platform
import signal
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from tests.deployment import Deployment
    from tests.services import Services
    from worker.settings import Settings


# The library that renders the Helm chart has no build for Linux on ARM.
if (platform.system(), platform.machine()) == ("Linux", "aarch64"):
    collect_ignore = ["release/test_chart.py"]


def pytest_configure() -> None:
    """Restore the default handling of signals that the process running the tests ignores.

    A shell without job control makes background processes ignore SIGINT, and nohup makes them
    ignore SIGHUP. Child processes inherit both settings.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # An example's duration depends more on the machine than on the code.
    hypothesis.settings.register_profile("tests", deadline=None)
    hypothesis.settings.load_profile("tests")
    # Run many more examples than usual, for `make fuzz`.
    hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=20_000)


@pytest.fixture(scope="session")
def services() -> Iterator[Services]:
    """PostgreSQL and RabbitMQ: configured or local servers, or servers started for the tests."""
    from tests.services import running_services

    with running_services() as services:
        yield services


@pytest.fixture(scope="session")
def migrated_url(services: Services) -> Iterator[str]:
    """URL of a database with the latest schema, which tests copy instead of migrating their own.

    Copying is ten times as fast as migrating.
    """
    from tests.services import temporary_database
    from worker.store.database import Database
    from worker.store.schema import migrate

    with temporary_database(services) as url:
        with Database(url) as database:
            migrate(database)
        yield url


@pytest.fixture(scope="module")
def database_url(services: Services, migrated_url: str) -> Iterator[str]:
    """URL of an empty database with the latest schema."""
    from tests.services import temporary_database

    with temporary_database(services, template=migrated_url) as url:
        yield url


@pytest.fixture
def session(database_url: str) -> Iterator[Session]:
    """A database transaction that is rolled back at the end of the test."""
    from sqlalchemy.orm import Session

    from worker.store.database import Database

    with Database(database_url) as database, database.engine.connect() as connection:
        transaction = connection.begin()
        with Session(connection, expire_on_commit=False) as session:
            yield session
        transaction.rollback()


@pytest.fixture(scope="module")
def settings(
    services: Services, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Settings of a deployment with its own queues on the real broker."""
    from tests.deployment import own_settings

    return own_settings(services, database_url, tmp_path_factory.mktemp("heartbeats"))


@pytest.fixture(scope="module")
def settings_with_queues(settings: Settings) -> Iterator[Settings]:
    """Settings of a deployment whose queues have been declared.

    The tests of a module share the queues, as declaring and removing them takes longer than a test.
    """
    from tests.deployment import own_queues
    from worker.messaging.broker import connect, topology_of

    with own_queues(settings), connect(settings) as connection:
        topology_of(settings).declare(connection)
        yield settings


@pytest.fixture(scope="module")
def deployment(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """Intake, relay, worker and beat as real processes; the queues are removed at the end."""
    from tests.deployment import Deployment, own_queues

    logs = tmp_path_factory.mktemp("logs")
    with own_queues(settings), Deployment(settings, logs) as running:
        yield running
