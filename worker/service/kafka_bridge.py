"""The bridge between Kafka and RabbitMQ, one process per direction (extra ``kafka``).

A message is acknowledged on one side only after the other side has confirmed it. After a crash, no
message is lost, but some may be repeated; the intake and the consumers of articles recognise
repeats.
"""

import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event
from typing import Any

import confluent_kafka
from amqp.exceptions import MessageNacked, PreconditionFailed
from confluent_kafka import KafkaError, KafkaException
from kombu import Connection, Consumer, Exchange, Message, Producer, Queue

from detourage.inputs.messages import oversized_message
from worker.errors import warn_of
from worker.messaging.broker import connect, topology_of
from worker.messaging.transport import raw_body
from worker.processes.heartbeat import Heartbeat
from worker.service.summary import Summary
from worker.settings import Settings, SettingsError

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""Maximum time to wait for a message, and pause after a failure."""

CONFIRM_SECONDS = 10.0
"""Maximum time to wait for RabbitMQ's confirmation, which is withheld when memory is short."""

PREFETCH = 8
"""Maximum number of unacknowledged articles."""

HEADERS_BYTES = 64 * 1024
HEADER_OVERHEAD_BYTES = 6
SHORT_STRING_BYTES = 255
"""Maximum size of a message's headers, which must fit into an AMQP frame; size of a header without
its name and value; and maximum size of a header name or message ID."""

REJECTIONS = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD})
"""Errors with which Kafka rejects a message permanently."""


class PagesBridge:
    """Process that publishes the page messages of a Kafka topic to RabbitMQ, in order.

    While RabbitMQ does not accept messages, the topic is paused: the process remains a member of
    its consumer group, and holds only the message that was not accepted.
    """

    def __init__(self, settings: Settings) -> None:
        # librdkafka commits stored offsets periodically, before a rebalance, and when it is closed.
        required = {"enable.auto.commit": True, "enable.auto.offset.store": False}
        defaults = {
            "group.id": f"{settings.queue_prefix}detourage",
            "auto.offset.reset": "earliest",
            "auto.commit.interval.ms": 1000,
            "queued.max.messages.kbytes": 16 * 1024,
        }
        self._kafka = _client(confluent_kafka.Consumer, settings, defaults, required)
        self._settings = settings
        self._topology = topology_of(settings)
        self._heartbeat = Heartbeat(settings.heartbeat_directory, "bridge-pages")
        self._summary = Summary("bridge-pages", settings.summary_seconds)
        self._connection: Connection | None = None
        self._producer: Any = None

    def run(self, stop: Event) -> None:
        """Publish until ``stop`` is set, then commit the offsets."""
        waiting: deque[confluent_kafka.Message] = deque()
        self._kafka.subscribe([self._settings.kafka_pages])
        while not stop.is_set():
            self._heartbeat.confirm("ran")
            self._summary.log_if_due()
            was_paused = bool(waiting)
            message = self._kafka.poll(POLL_SECONDS)
            if message is not None and message.error() is None:
                waiting.append(message)
            elif message is not None:
                _warn(message.error())
            self._publish_waiting(waiting)
            if waiting and not was_paused:
                logger.warning("the bridge waits until RabbitMQ accepts pages")
            if waiting:
                # Pause again, because partitions may have been assigned in the meantime.
                self._kafka.pause(self._kafka.assignment())
            elif was_paused:
                logger.info("the bridge continues")
                self._kafka.resume(self._kafka.assignment())
        self._summary.log()
        self._kafka.close()
        self._disconnect()

    def _publish_waiting(self, waiting: deque[confluent_kafka.Message]) -> None:
        """Publish messages until RabbitMQ refuses one, and remove those that it confirms."""
        try:
            _serve(self._connection or self._connect(), seconds=0)
            while waiting:
                self._publish(waiting[0])
                self._summary.count("published")
                # If the partition was revoked, its next owner publishes the message again.
                with suppress(KafkaException):
                    self._kafka.store_offsets(waiting[0])
                waiting.popleft()
        except MessageNacked:
            logger.debug("the queue %s is full", self._topology.pages)
        except Exception as error:
            if not _is_transient(error):
                raise
            warn_of(logger, "no confirm from RabbitMQ, connecting again", error)
            self._disconnect()

    def _publish(self, message: confluent_kafka.Message) -> None:
        body = message.value() or b""
        place = f"{message.topic()}/{message.partition()}/{message.offset()}"
        properties = {
            "message_id": place[-SHORT_STRING_BYTES:],
            "headers": amqp_headers(_headers_of(message)),
        }
        try:
            self._send(body, properties)
        except PreconditionFailed as error:
            logger.warning("page %s is quarantined: %s", place, error.reply_text)
            self._disconnect()
            self._connect()
            detail = f"the Kafka message {place} has {len(body)} bytes"
            self._send(oversized_message(detail, start=body[:300]), properties)

    def _send(self, body: bytes, properties: Mapping[str, Any]) -> None:
        exchange, routing_key = self._topology.pages_address
        self._producer.publish(
            body,
            exchange=exchange,
            routing_key=routing_key,
            content_type="application/json",
            content_encoding="utf-8",
            delivery_mode=2,
            mandatory=True,
            confirm_timeout=CONFIRM_SECONDS,
            **properties,
        )

    def _connect(self) -> Connection:
        connection = connect(self._settings)
        connection.connect()
        self._topology.declare_for_crawler(connection)
        self._producer = Producer(connection.channel())
        self._connection = connection
        return connection

    def _disconnect(self) -> None:
        # Closing would wait for a reply, and a node that is short of memory does not read.
        if self._connection is not None and self._connection.connected:
            self._connection.connection.collect()
        self._connection = None


class ArticlesBridge:
    """Process that produces the articles from RabbitMQ's queue to a Kafka topic, in order.

    An article that Kafka does not confirm is held, because each return to the queue would count
    towards its delivery limit. An article that Kafka rejects is moved to a queue named
    ``….unreadable``.
    """

    def __init__(self, settings: Settings) -> None:
        # The size of a message is limited only by the topic.
        required = {"acks": "all", "message.max.bytes": 1_000_000_000}
        self._kafka = _client(confluent_kafka.Producer, settings, {}, required)
        self._settings = settings
        self._queue = topology_of(settings).articles_queue
        self._heartbeat = Heartbeat(settings.heartbeat_directory, "bridge-articles")
        self._summary = Summary("bridge-articles", settings.summary_seconds)

    def run(self, stop: Event) -> None:
        """Produce until ``stop`` is set; unconfirmed articles are redelivered."""
        while not stop.is_set():
            self._heartbeat.confirm("ran")
            try:
                self._require_topic()
                with connect(self._settings) as connection:
                    self._produce_until(stop, connection)
            except Exception as error:
                if not _is_transient(error):
                    raise
                warn_of(logger, "the bridge was interrupted, restarting", error)
                stop.wait(POLL_SECONDS)
        self._summary.log()

    def _require_topic(self) -> None:
        """Raise KafkaException if the topic does not exist, before any article is consumed."""
        topic = self._settings.kafka_articles
        found = self._kafka.list_topics(topic, timeout=CONFIRM_SECONDS).topics[topic]
        if found.error is not None:
            raise KafkaException(found.error)

    def _produce_until(self, stop: Event, connection: Connection) -> None:
        waiting: deque[Message] = deque()
        queue = Queue(self._queue, no_declare=True)
        channel = connection.channel()
        consumer = Consumer(channel, [queue], on_message=waiting.append, auto_declare=False)
        consumer.qos(prefetch_count=PREFETCH)
        with consumer:
            while not stop.is_set():
                self._heartbeat.confirm("ran")
                self._summary.log_if_due()
                _serve(connection, 0 if waiting else POLL_SECONDS)
                if waiting and self._is_delivered(waiting[0], connection, stop):
                    waiting.popleft().ack()

    def _is_delivered(self, article: Message, connection: Connection, stop: Event) -> bool:
        """Produce an article, and return whether Kafka has confirmed or rejected it."""
        body = raw_body(article)
        results: list[KafkaError | None] = []
        self._kafka.produce(
            self._settings.kafka_articles,
            body,
            key_of(body),
            headers=kafka_headers(article),
            on_delivery=lambda error, _: results.append(error),
        )
        while self._kafka.flush(POLL_SECONDS) and not stop.is_set():
            self._heartbeat.confirm("ran")
            _serve(connection, seconds=0)
        if not results:
            return False
        (error,) = results
        if error is None:
            self._summary.count("produced")
        elif error.code() in REJECTIONS:
            logger.error("article moved to %s.unreadable: %s", self._queue, error)
            self._summary.count("rejected")
            self._set_aside(article, connection)
        else:
            _warn(error)
            stop.wait(POLL_SECONDS)
            return False
        return True

    def _set_aside(self, article: Message, connection: Connection) -> None:
        exchange = Exchange(f"{self._queue}.unreadable", type="fanout")
        with connection.channel() as channel:
            Producer(channel).publish(
                raw_body(article),
                exchange=exchange,
                declare=[Queue(exchange.name, exchange)],
                headers=article.headers,
                content_type=article.content_type,
                content_encoding=article.content_encoding,
                message_id=article.properties.get("message_id"),
            )


def _headers_of(message: confluent_kafka.Message) -> Sequence[tuple[str, bytes | None]]:
    try:
        return message.headers() or ()
    except SystemError:
        # The client cannot read any of the headers if a name is not UTF-8.
        logger.warning("a page is published without its headers, whose names are not UTF-8")
        return ()


def amqp_headers(headers: Sequence[tuple[str, bytes | None]]) -> dict[str, str]:
    """Return the headers of a Kafka message, except those that RabbitMQ would reject."""
    carried: dict[str, str] = {}
    left = HEADERS_BYTES
    for name, value in headers:
        text = (value or b"").decode("utf-8", "replace")
        left -= len(name.encode()) + len(text.encode()) + HEADER_OVERHEAD_BYTES
        # RabbitMQ would route the message to the queues in CC and BCC.
        if left >= 0 and len(name.encode()) <= SHORT_STRING_BYTES and name not in {"CC", "BCC"}:
            carried[name] = text
    return carried


def kafka_headers(article: Message) -> list[tuple[str, bytes]]:
    """Return an article's headers and message ID as Kafka headers."""
    headers = {**article.headers, "message_id": article.properties.get("message_id", "")}
    return [(name, str(value).encode("utf-8", "replace")) for name, value in headers.items()]


def key_of(article: bytes) -> bytes | None:
    """Return an article's canonical address, the key that keeps a page's revisions in order."""
    try:
        values = json.loads(article)
        return str(values.get("canonical") or values["url"]).encode("utf-8", "replace")
    except (ValueError, KeyError, AttributeError, RecursionError):
        return None


def _client(
    kind: Callable[..., Any],
    settings: Settings,
    defaults: Mapping[str, Any],
    required: Mapping[str, Any],
) -> Any:
    path = settings.kafka_properties
    if path is None:
        raise SettingsError("DETOURAGE_KAFKA_PROPERTIES is not set")
    lines = map(str.strip, path.read_text(encoding="utf-8", errors="replace").splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    given = {name.strip(): value.strip() for name, _, value in pairs}
    if not given.get("bootstrap.servers"):
        raise SettingsError(f"{path}: bootstrap.servers is missing")
    try:
        return kind({**defaults, **given, **required}, logger=logger)
    except KafkaException as error:
        raise SettingsError(f"{path}: {error.args[0].str()}") from error


def _serve(connection: Connection, seconds: float) -> None:
    """Handle an event from RabbitMQ and send heartbeats; unread heartbeats count as missed."""
    with suppress(TimeoutError):
        connection.drain_events(timeout=seconds)
    connection.heartbeat_check()


def _warn(error: KafkaError) -> None:
    """Log a Kafka error, or raise it if the client must be replaced."""
    if error.fatal():
        raise KafkaException(error)
    logger.warning("Kafka reported an error: %s", error)


def _is_transient(error: Exception) -> bool:
    if isinstance(error, KafkaException):
        return not error.args[0].fatal()
    return isinstance(error, OSError) or type(error).__module__.split(".")[0] in {"amqp", "kombu"}
