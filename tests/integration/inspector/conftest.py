"""A deployment that has processed the sample crawl, and browsers that view it."""

from collections.abc import Iterator

import pytest

from tests.crawled import Client, crawled_deployment, inspector_client
from tests.services import Services
from worker.settings import Settings


@pytest.fixture(scope="package")
def crawled(
    services: Services, migrated_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of a deployment that has processed the sample crawl."""
    with crawled_deployment(services, migrated_url, tmp_path_factory.mktemp("crawl")) as settings:
        yield settings


@pytest.fixture(scope="package")
def client(crawled: Settings) -> Iterator[Client]:
    """A local client, which runs no scripts."""
    with inspector_client(crawled) as client:
        yield client
