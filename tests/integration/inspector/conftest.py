"""A deployment that has processed the sample crawl, and a client of its inspector."""

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
    """A client of the inspector of that deployment."""
    with inspector_client(crawled) as client:
        yield client
