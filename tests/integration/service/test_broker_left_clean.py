"""Tests delete their queues; a few hundred would exhaust the broker's file descriptors."""

import pytest
from amqp.exceptions import NotFound

from tests.deployment import remove_queues
from worker.messaging.broker import connect, topology_of
from worker.settings import Settings


def test_a_deployment_leaves_nothing_on_the_broker(settings: Settings) -> None:
    own = settings.model_copy(update={"queue_prefix": f"{settings.queue_prefix}left."})
    topology = topology_of(own)
    queues = [*topology.work_queues, *topology.quarantines.values(), *topology.outgoing]
    exchanges = [
        topology.pages_exchange,
        topology.tasks_exchange,
        topology.articles_exchange,
    ]
    with connect(own) as connection:
        topology.declare(connection)
        remove_queues(own)
        for queue in queues:
            with pytest.raises(NotFound), connection.channel() as channel:
                channel.queue_declare(queue, passive=True)
        for exchange in exchanges:
            with pytest.raises(NotFound), connection.channel() as channel:
                channel.exchange_declare(exchange.name, type=exchange.type, passive=True)
