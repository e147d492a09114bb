"""Queues for the examples of programs around the service."""

from collections.abc import Iterator

import pytest

from tests.deployment import own_queues
from worker.messaging.broker import connect, topology_of
from worker.settings import Settings


@pytest.fixture
def own(settings: Settings) -> Iterator[Settings]:
    """Settings with queues that only one test uses."""
    topology = topology_of(settings)
    with own_queues(settings), connect(settings) as connection:
        topology.declare(connection)
        yield settings
        with connection.channel() as channel:
            channel.queue_delete(f"{topology.articles_queue}.unreadable")
            channel.exchange_delete(f"{topology.articles_queue}.unreadable")
