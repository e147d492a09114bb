"""Publish page messages as a crawler does."""

import time
from collections.abc import Iterable
from typing import Any

from amqp.exceptions import MessageNacked
from kombu import Producer

from worker.messaging.broker import broker_connection, topology_of
from worker.settings import Settings

FULL_QUEUE_PAUSE_SECONDS = 0.2  # pause before a message rejected by a full queue is published again


def publish_when_accepted(producer: Producer, body: bytes, **options: Any) -> None:
    """Publish a message; retry while its queue is full."""
    while True:
        try:
            producer.publish(body, **options)
        except MessageNacked:
            time.sleep(FULL_QUEUE_PAUSE_SECONDS)
        else:
            return


def publish_pages(settings: Settings, messages: Iterable[tuple[str, bytes]]) -> int:
    """Publish pairs of message ID and body on ``crawler.pages``, and return their number.

    The intake validates the bodies. Publishing waits while the queue is full.
    """
    topology = topology_of(settings)
    exchange, routing_key = topology.pages_address
    content = {"content_type": "application/json", "content_encoding": "utf-8"}
    options = {"exchange": exchange, "routing_key": routing_key, "delivery_mode": 2, **content}
    sent = 0
    with broker_connection(settings) as connection:
        topology.declare_for_crawler(connection)
        producer = Producer(connection.channel())
        for message_id, body in messages:
            publish_when_accepted(producer, body, message_id=message_id, **options)
            sent += 1
    return sent


def purge_pages(settings: Settings) -> None:
    """Delete all messages from ``crawler.pages``."""
    topology = topology_of(settings)
    with broker_connection(settings) as connection:
        topology.declare(connection)
        with connection.channel() as channel:
            channel.queue_purge(topology.pages)
