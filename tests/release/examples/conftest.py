"""Queues for the tests of the example programs that communicate with the service."""

from collections.abc import Iterator

import pytest

from tests.deployment import own_queues
from worker.messaging.broker import connect, topology_of
from worker.settings import Settings


@pytest.fixture
def settings_with_queues(settings: Settings) -> Iterator[Settings]:
    """Settings whose queues are declared for one test, and removed after it."""
    topology = topology_of(settings)
    with own_queues(settings), connect(settings) as connection:
        topology.declare(connection)
        yield settings
        with connection.channel() as channel:
            channel.queue_delete(f"{topology.articles_queue}.unreadable")
            channel.exchange_delete(f"{topology.articles_queue}.unreadable")
