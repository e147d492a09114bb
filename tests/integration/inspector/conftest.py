"""A deployment that has processed the sample crawl, and browsers that view it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crawled import Client
    from tests.services import Services
    from worker.settings import Settings


@pytest.fixture(scope="package")
def crawled(
    services: Services, migrated_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of a deployment that has processed the sample crawl."""
    from tests.crawled import crawled_deployment

    with crawled_deployment(services, migrated_url, tmp_path_factory.mktemp("crawl")) as settings:
        yield settings


@pytest.fixture(scope="package")
def client(crawled: Settings) -> Iterator[Client]:
    """A local client without write access, which runs no scripts."""
    from tests.crawled import client_of

    with client_of(crawled) as client:
        yield client


@pytest.fixture(scope="package")
def writer(crawled: Settings) -> Iterator[Client]:
    """A local client with write access."""
    from tests.crawled import client_of

    with client_of(crawled, is_writing=True) as client:
        yield client
