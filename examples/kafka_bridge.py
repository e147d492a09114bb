"""A bridge between Kafka and the service's queues: one direction, in order, at least once.

    export DETOURAGE_BROKER_URL=amqp://…
    python examples/kafka_bridge.py pages kafka.properties crawler.pages
    python examples/kafka_bridge.py articles kafka.properties articles

The file contains librdkafka's properties, one ``name = value`` per line; the last argument is the
topic. A message is acknowledged on one side after the other side has confirmed it. Any failure,
except for a full queue, ends the process, so run it under a supervisor that starts it again.
"""

import json
import logging
import signal
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from amqp.exceptions import MessageNacked
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from kombu import Connection, Exchange, Message, Queue
from kombu import Consumer as RabbitConsumer
from kombu import Producer as RabbitProducer

from worker.messaging.broker import connect, topology_of
from worker.messaging.transport import raw_body
from worker.settings import load_settings

JSON_PROPERTIES = {
    "content_type": "application/json",
    "content_encoding": "utf-8",
    "delivery_mode": 2,
}
TRACE_HEADERS = ("traceparent", "tracestate")  # headers of Kafka messages that are passed on
REJECTIONS = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD)  # errors that will recur


def bridge_pages(properties: dict[str, str], topic: str, stop: Event) -> None:
    """Publish the messages of a topic; while the queue is full, the topic is paused."""
    defaults = {"group.id": "detourage", "auto.offset.reset": "earliest"}
    kafka = Consumer({**defaults, **properties, "enable.auto.offset.store": False})
    kafka.subscribe([topic])
    settings = load_settings()
    exchange, routing_key = topology_of(settings).pages_address
    unpublished: deque[Any] = deque()
    with connect(settings) as connection:
        producer = RabbitProducer(connection.channel())
        while not stop.is_set():
            message = kafka.poll(1.0)
            if message is not None and message.error() is None:
                unpublished.append(message)
            elif message is not None:
                logging.warning("Kafka reported an error: %s", message.error())
            serve(connection, 0)
            with suppress(MessageNacked):
                while unpublished:
                    page = unpublished[0]
                    headers = {
                        name: value.decode()
                        for name, value in page.headers() or ()
                        if name in TRACE_HEADERS
                    }
                    producer.publish(
                        page.value() or b"",
                        routing_key,
                        exchange=exchange,
                        message_id=f"{topic}/{page.partition()}/{page.offset()}",
                        headers=headers,
                        confirm_timeout=10,
                        **JSON_PROPERTIES,
                    )
                    # If the partition was revoked, its next owner publishes the message again.
                    with suppress(KafkaException):
                        kafka.store_offsets(page)
                    unpublished.popleft()
            (kafka.pause if unpublished else kafka.resume)(kafka.assignment())
    kafka.close()


def bridge_articles(properties: dict[str, str], topic: str, stop: Event) -> None:
    """Produce the queued articles to a topic; move those that Kafka rejects to another queue."""
    kafka = Producer({**properties, "acks": "all", "message.max.bytes": 1_000_000_000})
    settings = load_settings()
    queue = topology_of(settings).articles_queue
    waiting: deque[Message] = deque()
    with connect(settings) as connection:
        channel = connection.channel()
        queues = [Queue(queue, no_declare=True)]
        with RabbitConsumer(
            channel, queues, on_message=waiting.append, auto_declare=False
        ) as rabbit:
            rabbit.qos(prefetch_count=8)
            while not stop.is_set():
                serve(connection, 0 if waiting else 1)
                if waiting and not is_produced(kafka, topic, waiting[0], connection):
                    unreadable = Exchange(f"{queue}.unreadable", type="fanout")
                    options = {"declare": [Queue(unreadable.name, unreadable)], **JSON_PROPERTIES}
                    producer = RabbitProducer(connection.channel(), unreadable)
                    producer.publish(raw_body(waiting[0]), **options)
                if waiting:
                    waiting.popleft().ack()


def is_produced(kafka: Producer, topic: str, article: Message, connection: Connection) -> bool:
    """Produce an article, keyed by its page; return False if Kafka rejects it permanently."""
    values = json.loads(raw_body(article))
    key = values.get("canonical") or values.get("url")
    headers = {**article.headers, "message_id": article.properties.get("message_id", "")}
    encoded = [(name, str(value).encode()) for name, value in headers.items()]
    errors: list[KafkaError | None] = []  # None means that the article was delivered
    kafka.produce(
        topic,
        raw_body(article),
        key,
        headers=encoded,
        on_delivery=lambda error, _: errors.append(error),
    )
    while kafka.flush(1.0):
        serve(connection, 0)
    (error,) = errors
    if error is not None and error.code() not in REJECTIONS:
        raise KafkaException(error)
    return error is None


def serve(connection: Connection, seconds: float) -> None:
    """Handle an event from RabbitMQ, waiting up to ``seconds`` for it; send a heartbeat if due."""
    with suppress(TimeoutError):
        connection.drain_events(timeout=seconds)
    connection.heartbeat_check()


if __name__ == "__main__":
    direction, file, topic = sys.argv[1:]
    lines = [line.partition("=") for line in Path(file).read_text().splitlines() if "=" in line]
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    bridge = bridge_pages if direction == "pages" else bridge_articles
    bridge({name.strip(): value.strip() for name, _, value in lines}, topic, stop)
