"""Fixtures with a deployment that the tests of this package share; it takes 15 s to start."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import Result

from tests.commands import invoke
from tests.deployment import Deployment, configured, own_queues, own_settings
from tests.integration.service.crawl import REJECTED, UNUSABLE, page_with_metadata
from tests.services import Services, temporary_database
from tests.trace_receiver import TraceReceiver


@pytest.fixture(scope="package")
def receiver() -> Iterator[TraceReceiver]:
    """A receiver to which the deployment sends its traces."""
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
    """Articles of a crawl in which each good page, sent twice, is followed by an unusable one."""
    good = [page_with_metadata(seed) for seed in range(6)]
    bad = [*UNUSABLE.values(), *REJECTED.values()]
    alternating = [body for pair in zip(good * 2, bad, strict=True) for body in pair]
    deployment.publish(alternating)
    deployment.wait_for_receipts(len(alternating))
    deployment.wait_for_outcomes()
    return deployment.take_articles()


@pytest.fixture
def command_line(deployment: Deployment) -> Iterator[Callable[..., Result]]:
    """Return the function `invoke`, whose commands use the deployment's settings."""
    with configured(deployment.settings):
        yield invoke
