"""A deployment that the tests of this package share, because it takes 15 s to start."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import delete

from models.tables import OutboxEntry
from tests.deployment import Deployment, configured, own_settings, remove_queues
from tests.integration.service.crawl import REJECTED, UNUSABLE, described
from tests.services import Services, temporary_database
from tests.trace_receiver import TraceReceiver
from worker.settings import Settings


@pytest.fixture(scope="package")
def receiver() -> Iterator[TraceReceiver]:
    """The receiver of the deployment's traces."""
    with TraceReceiver() as receiver:
        yield receiver


@pytest.fixture(scope="package")
def deployment(
    services: Services,
    migrated_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    receiver: TraceReceiver,
) -> Iterator[Deployment]:
    """Intake, relay, worker and beat as real processes."""
    with temporary_database(services, template=migrated_url) as url:
        settings = own_settings(services, url, tmp_path_factory.mktemp("heartbeats"))
        try:
            deployment = Deployment(settings, tmp_path_factory.mktemp("logs"))
            deployment.environment |= receiver.environment
            with deployment as running:
                yield running
        finally:
            remove_queues(settings)


@pytest.fixture(scope="package")
def articles(deployment: Deployment) -> list[dict[str, Any]]:
    """Articles of a crawl that alternates good pages, each sent twice, with unusable messages."""
    good = [described(seed) for seed in range(6)]
    bad = [*UNUSABLE.values(), *REJECTED.values()]
    mixed = [body for pair in zip(good * 2, bad, strict=True) for body in pair]
    deployment.publish(mixed)
    deployment.wait_for_receipts(len(mixed))
    deployment.wait_for_outcomes()
    return deployment.take_articles()


@pytest.fixture
def command_line(deployment: Deployment) -> Iterator[CliRunner]:
    """The command line, configured for the deployment."""
    with configured(deployment.settings):
        yield CliRunner()


Alone = Callable[..., AbstractContextManager[Deployment]]


@pytest.fixture
def alone(settings: Settings, tmp_path: Path) -> Alone:
    """Return a function that runs one process of the service after changing some settings."""

    @contextmanager
    def running(process: str, **more: Any) -> Iterator[Deployment]:
        prefix = f"{settings.queue_prefix}{process}."
        heartbeats = tmp_path / "heartbeats"
        changed = settings.model_copy(
            update={"queue_prefix": prefix, "heartbeat_directory": heartbeats, **more}
        )
        try:
            deployment = Deployment(changed, tmp_path, processes=[process])
            with deployment.database.transaction() as session:
                # The queues for which other tests left messages are removed.
                session.execute(delete(OutboxEntry))
            with deployment:
                yield deployment
        finally:
            remove_queues(changed)

    return running
