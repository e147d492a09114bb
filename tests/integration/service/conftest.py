"""A deployment that the tests of this package share, because it takes 15 s to start."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import delete

from models.tables import OutboxEntry
from tests.commands import invoke
from tests.deployment import Deployment, configured, own_queues, own_settings
from tests.integration.service.crawl import REJECTED, UNUSABLE, page_with_metadata
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
    heartbeats, logs = (tmp_path_factory.mktemp(name) for name in ("heartbeats", "logs"))
    with (
        temporary_database(services, template=migrated_url) as url,
        own_queues(own_settings(services, url, heartbeats)) as settings,
    ):
        deployment = Deployment(settings, logs)
        deployment.environment |= receiver.environment
        with deployment as running:
            yield running


@pytest.fixture(scope="package")
def articles(deployment: Deployment) -> list[dict[str, Any]]:
    """Articles of a crawl that alternates good pages, each sent twice, with unusable messages."""
    good = [page_with_metadata(seed) for seed in range(6)]
    bad = [*UNUSABLE.values(), *REJECTED.values()]
    mixed = [body for pair in zip(good * 2, bad, strict=True) for body in pair]
    deployment.publish(mixed)
    deployment.wait_for_receipts(len(mixed))
    deployment.wait_for_outcomes()
    return deployment.take_articles()


@pytest.fixture
def command_line(deployment: Deployment) -> Iterator[Callable[..., Result]]:
    """The function that runs a command, configured for the deployment."""
    with configured(deployment.settings):
        yield invoke


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
        deployment = Deployment(changed, tmp_path, processes=[process])
        with deployment.database.transaction() as session:
            # The queues for which other tests left messages are removed.
            session.execute(delete(OutboxEntry))
        with own_queues(changed), deployment:
            yield deployment

    return running
