"""The bridge to Kafka, with Tansu as its broker."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from kombu import Producer
from sqlalchemy import func, select

from models.tables import Receipt
from tests.deployment import Deployment, process_command, process_environment, remove_queues
from tests.integration.waiting import wait_until
from tests.kafka import Headers, Kafka
from tests.pages import message
from tests.preloaded import PreloadedSupervisor
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.messaging.transport import raw_body
from worker.processes.heartbeat import Heartbeat
from worker.settings import Settings

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with Kafka(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def own(kafka: Kafka, settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """Settings with topics and queues that only this test uses."""
    configured = kafka.configured(settings).model_copy(update={"heartbeat_directory": tmp_path})
    topology = topology_of(configured)
    with connect(configured) as connection:
        topology.declare(connection)
        yield configured
        remove_queues(configured)
        with connection.channel() as channel:
            channel.queue_delete(f"{topology.articles_queue}.unreadable")
            channel.exchange_delete(f"{topology.articles_queue}.unreadable")


Start = Callable[[str], int]


@pytest.fixture
def start(own: Settings, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a bridge, and returns its process ID."""
    environment = process_environment(own)
    # A bridge needs no access to the database.
    del environment["DETOURAGE_DATABASE_URL"]
    with ExitStack() as stack:

        def started(process: str) -> int:
            supervisor = stack.enter_context(PreloadedSupervisor())
            command = process_command(process, tmp_path)
            pid = supervisor.start(process, command, log=tmp_path / "log", env=environment)
            wait_until(Heartbeat(tmp_path, process).is_alive)
            return pid

        yield started


def test_pages_arrive_in_order_with_their_headers_and_invalid_ones_are_quarantined(
    kafka: Kafka, own: Settings, start: Start, tmp_path: Path
) -> None:
    sites = {
        site: [message(f"https://{site}/{n}", f"<p>{n}") for n in range(20)]
        for site in ("a.example", "b.example", "c.example")
    }
    for site, bodies in sites.items():
        headers: Headers = [("traceparent", TRACE.encode())]
        kafka.produce(own.kafka_pages, site, [(body, headers) for body in bodies])
    refused = [("CC", b"crawler.pages"), ("x" * 300, b""), *[(str(n), None) for n in range(20_000)]]
    odd = (b"{not json", [("odd", b"\xff"), *refused])
    kafka.produce(own.kafka_pages, "d.example", [odd, (None, [])])
    start("bridge-pages")
    queue = topology_of(own).pages
    wait_until(lambda: messages_waiting(own, queue) == 62)

    # Closing the channel returns the messages to their queue.
    with connect(own) as connection, connection.channel() as channel:
        arrived = [channel.basic_get(queue) for _ in range(62)]
    for bodies in sites.values():
        pages = [each for each in arrived if raw_body(each) in bodies]
        assert [raw_body(each) for each in pages] == bodies
        assert {each.headers["traceparent"] for each in pages} == {TRACE}
    (found,) = (each for each in arrived if raw_body(each) == b"{not json")
    assert found.headers["odd"] == "\N{REPLACEMENT CHARACTER}"
    assert not found.headers.keys() & {"CC", "x" * 300}
    assert len({each.properties["message_id"] for each in arrived}) == 62

    with Deployment(own, tmp_path, processes=["intake"]) as deployment:
        deployment.wait_for_receipts(62)
        results = select(Receipt.result, func.count()).group_by(Receipt.result)
        with deployment.database.transaction() as session:
            assert dict(session.execute(results).all()) == {"accepted": 60, "quarantined": 2}


def test_a_page_with_unreadable_header_names_arrives_without_headers(
    kafka: Kafka, own: Settings, start: Start
) -> None:
    body = message("https://a.example/", "<p>A page")
    kafka.produce_with_header(own.kafka_pages, b"caf\xe9", body)
    start("bridge-pages")
    queue = topology_of(own).pages
    wait_until(lambda: messages_waiting(own, queue) == 1)
    with connect(own) as connection, connection.channel() as channel:
        arrived = channel.basic_get(queue)
        assert raw_body(arrived) == body
        # Quorum queues add this header.
        assert arrived.headers.keys() <= {"x-delivery-count"}


def test_a_file_without_servers_is_reported(own: Settings, tmp_path: Path) -> None:
    empty = tmp_path / "empty.properties"
    empty.write_text("# bootstrap.servers = kafka:9092\n")
    environment = process_environment(own) | {"DETOURAGE_KAFKA_PROPERTIES": str(empty)}
    for direction in ("pages", "articles"):
        command = process_command(f"bridge-{direction}", tmp_path)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"{empty}: bootstrap.servers is missing" in done.stderr


def test_articles_arrive_with_their_headers_and_rejected_ones_are_kept(
    kafka: Kafka, own: Settings, start: Start
) -> None:
    topology = topology_of(own)
    articles = [{"url": f"https://a.example/{n}", "id": str(n), "text": "é"} for n in range(3)]
    with connect(own) as connection:
        producer = Producer(connection.channel(), topology.articles_exchange)
        for body in [*articles[:1], {"id": "no article"}, *articles[1:]]:
            producer.publish(
                json.dumps(body).encode(),
                routing_key="fr.a.example",
                message_id=body["id"],
                headers={"traceparent": TRACE, "attempt": 1},
                content_type="application/json",
            )
    running = start("bridge-articles")
    arrived = kafka.take(own.kafka_articles, len(articles))
    assert sorted(each.value() for each in arrived) == [
        json.dumps(each).encode() for each in articles
    ]
    for each in arrived:
        article = json.loads(each.value())
        assert each.key() == article["url"].encode()
        headers = {"traceparent": TRACE, "attempt": "1", "message_id": article["id"]}
        assert {name: value.decode() for name, value in each.headers()} == headers

    with connect(own) as connection, connection.channel() as channel:
        rejected = channel.basic_get(f"{topology.articles_queue}.unreadable")
        assert raw_body(rejected) == b'{"id": "no article"}'
        assert rejected.properties["message_id"] == "no article"
        assert rejected.headers == {"traceparent": TRACE, "attempt": 1}
    os.kill(running, signal.SIGTERM)
    wait_until(lambda: not _consumers(own, topology.articles_queue))
    assert messages_waiting(own, topology.articles_queue) == 0


def _consumers(settings: Settings, queue: str) -> int:
    with connect(settings) as connection, connection.channel() as channel:
        return int(channel.queue_declare(queue=queue, passive=True).consumer_count)
