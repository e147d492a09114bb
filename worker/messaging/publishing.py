"""Publishing page messages, as a crawler does."""

from collections.abc import Iterable

from kombu import Producer

from worker.messaging.broker import connected, topology_of
from worker.settings import Settings


def publish_pages(settings: Settings, messages: Iterable[bytes], *, message_prefix: str) -> int:
    """Publish raw page messages on ``crawler.pages`` and return how many.

    Parameters
    ----------
    settings
        Which broker.
    messages
        Bodies, published as they are: the intake judges them.
    message_prefix
        Each message's AMQP id is this followed by its number, so that its fate
        can be followed.
    """
    topology = topology_of(settings)
    exchange, routing_key = topology.pages_address
    sent = 0
    with connected(settings) as connection:
        topology.declare_for_crawler(connection)
        producer = Producer(connection.channel())
        for body in messages:
            producer.publish(
                body,
                exchange=exchange,
                routing_key=routing_key,
                message_id=f"{message_prefix}{sent}",
                content_type="application/json",
                content_encoding="utf-8",
                delivery_mode=2,
            )
            sent += 1
    return sent
