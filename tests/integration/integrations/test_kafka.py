"""The example of a bridge to Kafka, with Tansu as its broker."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kombu import Producer

from tests.deployment import process_environment, remove_queues
from tests.kafka import Headers, Kafka
from tests.pages import message
from tests.waiting import wait_until
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.messaging.transport import raw_body
from worker.settings import Settings

ROOT = Path(__file__).parents[3]
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with Kafka(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def own(settings: Settings) -> Iterator[Settings]:
    """Settings with queues that only this test uses."""
    topology = topology_of(settings)
    with connect(settings) as connection:
        topology.declare(connection)
        yield settings
        remove_queues(settings)
        with connection.channel() as channel:
            channel.queue_delete(f"{topology.articles_queue}.unreadable")
            channel.exchange_delete(f"{topology.articles_queue}.unreadable")


Start = Callable[[str, Path, str], subprocess.Popen[bytes]]


@pytest.fixture
def start(own: Settings) -> Iterator[Start]:
    """Return a function that starts a bridge."""
    running: list[subprocess.Popen[bytes]] = []
    # A bridge needs no access to the database.
    environment = process_environment(own)
    del environment["DETOURAGE_DATABASE_URL"]

    def started(direction: str, properties: Path, topic: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "examples/kafka_bridge.py", direction, str(properties), topic]
        running.append(subprocess.Popen(command, cwd=ROOT, env=environment))
        return running[-1]

    yield started
    for each in running:
        each.kill()
        each.wait()


def test_pages_arrive_in_order_with_their_traces_and_none_is_lost_when_the_bridge_is_killed(
    kafka: Kafka, own: Settings, start: Start
) -> None:
    properties, topic, _ = kafka.topics()
    bodies = [message(f"https://a.example/{n}", f"<p>{n}") for n in range(300)]
    headers: Headers = [("traceparent", TRACE.encode())]
    records = [(body, headers) for body in bodies]
    kafka.produce(topic, "a.example", records[:200])
    first = start("pages", properties, topic)
    queue = topology_of(own).pages
    wait_until(lambda: messages_waiting(own, queue) >= 50)
    first.send_signal(signal.SIGKILL)
    first.wait()
    kafka.produce(topic, "a.example", records[200:])
    second = start("pages", properties, topic)

    arrived: list[bytes] = []

    def have_all_arrived() -> bool:
        with connect(own) as connection, connection.channel() as channel:
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
    kafka: Kafka, own: Settings, start: Start
) -> None:
    properties, _, topic = kafka.topics()
    topology = topology_of(own)
    articles = [{"url": f"https://a.example/{n}", "id": str(n), "text": "é"} for n in range(3)]
    with connect(own) as connection:
        producer = Producer(connection.channel(), topology.articles_exchange)
        for body in [*articles[:1], {"id": "no article"}, *articles[1:]]:
            producer.publish(
                json.dumps(body).encode(),
                routing_key="fr.a.example",
                message_id=body["id"],
                headers={"traceparent": TRACE},
                content_type="application/json",
            )
    running = start("articles", properties, topic)
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
    wait_until(lambda: messages_waiting(own, f"{topology.articles_queue}.unreadable") == 1)
    with connect(own) as connection, connection.channel() as channel:
        rejected = channel.basic_get(f"{topology.articles_queue}.unreadable")
        assert raw_body(rejected) == b'{"id": "no article"}'
    running.terminate()
    assert running.wait(30) == 0
    assert messages_waiting(own, topology.articles_queue) == 0
