"""The process that consumes articles and publishes story messages, on the real servers."""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner
from kombu import Connection, Queue
from sqlalchemy import Engine, text

from detourage.cli import main
from stories.service import Topology
from tests.preloaded import PreloadedSupervisor
from tests.proxy import Proxy
from tests.services import Services
from tests.stories.grouped import Sent, Stories, store, text_of
from tests.stories.stopping import STOPPED
from tests.waiting import wait_until
from worker.messaging.broker import topology_of
from worker.settings import Settings

WIRE = text_of(1)
FIRST = Sent("first.example", WIRE, 0)
COPY = Sent("copy.example", WIRE, 5)
OTHER = Sent("other.example", text_of(2), 6)


class Neighbourhood:
    """The systems around the stories: the sender of articles, and consumers of both exchanges."""

    def __init__(self, engine: Engine, broker_url: str, database_url: str, folder: Path) -> None:
        prefix = f"test-{secrets.token_hex(4)}."
        self.engine = engine
        self.topology = Topology(prefix)
        self.environment = {
            **os.environ,
            "DETOURAGE_DATABASE_URL": database_url,
            "DETOURAGE_BROKER_URL": broker_url,
            "DETOURAGE_QUEUE_PREFIX": prefix,
            "DETOURAGE_HEARTBEAT_DIRECTORY": str(folder),
        }
        self.log = folder / "log"
        self._connection = Connection(broker_url)
        self._topology_queues = [
            Queue(f"{prefix}test.{each.name}", exchange=each, routing_key="#", durable=True)
            for each in (self.topology.stories, self.topology.first)
        ]

    def declare(self) -> None:
        self.topology.declare(self._connection)
        with self._connection.channel() as channel:
            for queue in self._topology_queues:
                queue(channel).declare()

    def remove(self) -> None:
        with self._connection.channel() as channel:
            for queue in (self.topology.queue, self.topology.quarantine, *self._topology_queues):
                channel.queue_delete(queue.name)
            for each in (self.topology.articles, self.topology.stories, self.topology.first):
                channel.exchange_delete(each.name)
        self._connection.release()

    @contextmanager
    def running(self, *command: str) -> Iterator[tuple[PreloadedSupervisor, psutil.Process]]:
        """Run the worker, or another module with its settings; yield its supervisor and process."""
        module = command or ("worker.cli", "stories", "work")
        argv = [sys.executable, "-m", *module]
        with PreloadedSupervisor() as supervisor:
            pid = supervisor.start("stories", argv, log=self.log, env=self.environment)
            yield supervisor, psutil.Process(pid)

    def command(self, name: str) -> int:
        """Run a command in this process, and return its exit code."""
        return CliRunner().invoke(main, ["stories", name], env=self.environment).exit_code

    def publish(self, body: bytes, **options: Any) -> None:
        producer = self._connection.Producer()
        producer.publish(body, exchange=self.topology.articles, routing_key="en.x", **options)

    def send(self, *sent: Sent) -> None:
        """Store articles and publish their messages, as the service does."""
        store(self.engine, sent)
        for each in sent:
            self.publish(json.dumps(each.message()).encode(), content_type="application/json")

    def take(self, exchange: int, number: int) -> list[tuple[str, bytes]]:
        """Return the routing keys and bodies of the next messages on an exchange.

        Exchange 0 has the messages about stories, and exchange 1 the forwarded articles.
        """
        found: list[tuple[str, bytes]] = []
        with self._connection.channel() as channel:
            queue = self._topology_queues[exchange](channel)

            def receive() -> bool:
                while (message := queue.get(no_ack=True)) is not None:
                    body = message.body
                    encoded = body if isinstance(body, bytes) else body.encode()
                    found.append((message.delivery_info["routing_key"], encoded))
                return len(found) >= number

            wait_until(receive)
        return found

    def stories(self, number: int) -> list[dict[str, Any]]:
        """Return the next story messages."""
        return [json.loads(body) for _, body in self.take(0, number)]

    def message_about(self, sent: Sent) -> dict[str, Any]:
        """Return the next message about an article, skipping repeated messages about others."""
        while (found := self.stories(1)[-1])["site"] != sent.site:
            pass
        return found

    def depth(self, queue: Queue) -> int:
        with self._connection.channel() as channel:
            return int(queue(channel).queue_declare(passive=True).message_count)


@pytest.fixture
def neighbourhood(
    services: Services, database_url: str, stories: Stories, tmp_path: Path
) -> Iterator[Neighbourhood]:
    """A neighbourhood on the real servers, without any messages."""
    systems = Neighbourhood(stories.engine, services.broker_url, database_url, tmp_path)
    systems.declare()
    yield systems
    systems.remove()


def test_each_article_has_a_message_and_only_first_copies_are_forwarded(
    neighbourhood: Neighbourhood,
) -> None:
    assert neighbourhood.command("health") == 1
    with neighbourhood.running():
        neighbourhood.send(FIRST, COPY, OTHER)
        keys = {key for key, _ in neighbourhood.take(0, 3)}
        assert keys == {"first.en.first.example", "same.en.copy.example", "first.en.other.example"}
        forwarded = dict(neighbourhood.take(1, 2))
        assert forwarded == {
            f"en.{each.site}": json.dumps(each.message()).encode() for each in (FIRST, OTHER)
        }
        wait_until(lambda: neighbourhood.command("health") == 0)
    assert neighbourhood.depth(neighbourhood.topology.queue) == 0


def test_a_message_delivered_twice_has_the_same_result_as_once(
    neighbourhood: Neighbourhood,
) -> None:
    with neighbourhood.running():
        neighbourhood.send(FIRST, FIRST, COPY)
        neighbourhood.send(FIRST, OTHER)
        messages = neighbourhood.stories(3)
    assert [(each["site"], each["number"]) for each in messages] == [
        (each.site, 1) for each in (FIRST, COPY, OTHER)
    ]


@pytest.mark.parametrize("moment", ["before publishing", "before recording"])
def test_a_killed_process_loses_nothing(neighbourhood: Neighbourhood, moment: str) -> None:
    with neighbourhood.running("tests.stories.stopping", moment) as (_, process):
        neighbourhood.send(FIRST, COPY)
        wait_until(lambda: STOPPED in neighbourhood.log.read_text())
        process.kill()
    with neighbourhood.running():
        neighbourhood.send(OTHER)
        messages = neighbourhood.stories(3)
        while "other.example" not in {each["site"] for each in messages}:
            messages += neighbourhood.stories(1)
        forwarded = [json.loads(body) for _, body in neighbourhood.take(1, 2)]
        # The first article may have been forwarded before and after the kill.
        while OTHER.message()["id"] not in {each["id"] for each in forwarded}:
            forwarded += [json.loads(body) for _, body in neighbourhood.take(1, 1)]
    by_id = {each["id"]: each for each in messages}
    assert all(by_id[each["id"]] == each for each in messages)
    assert {(each["site"], each["number"], each["relation"]) for each in messages} == {
        ("first.example", 1, None),
        ("copy.example", 1, "same"),
        ("other.example", 1, None),
    }
    assert {each["id"] for each in forwarded} == {each.message()["id"] for each in (FIRST, OTHER)}
    present = {name: value for name, value in forwarded[0].items() if value not in (None, [])}
    assert present["text"] == WIRE


def test_unusable_messages_go_to_quarantine_and_block_nothing(neighbourhood: Neighbourhood) -> None:
    nul = replace(COPY, site="nul.example", values={"language": "e\x00n"})
    store(neighbourhood.engine, [replace(nul, values={})])
    with neighbourhood.running():
        for body in (b"not JSON", b'{"version": 1}', b"[" * 100_000):
            neighbourhood.publish(body, content_type="application/json")
        neighbourhood.publish(b"\xff\xfe", content_type="application/x-python-serialize")
        neighbourhood.publish(b"{}", headers={"compression": "application/x-gzip"})
        neighbourhood.publish(b"{}", headers={"compression": "unknown"})
        neighbourhood.publish(b" " * (16 * 1024 * 1024 - 1000))
        neighbourhood.publish(json.dumps(nul.message()).encode())
        neighbourhood.send(FIRST)
        assert [each["site"] for each in neighbourhood.stories(1)] == ["first.example"]
        quarantine = neighbourhood.topology.quarantine
        wait_until(lambda: neighbourhood.depth(quarantine) == 8)
    assert neighbourhood.depth(neighbourhood.topology.queue) == 0


def test_a_second_process_takes_over(neighbourhood: Neighbourhood) -> None:
    with neighbourhood.running() as (_, first), neighbourhood.running():
        neighbourhood.send(FIRST)
        assert len(neighbourhood.stories(1)) == 1
        first.kill()
        neighbourhood.send(COPY)
        assert neighbourhood.message_about(COPY)["relation"] == "same"


def test_a_missing_schema_is_reported(services: Services, neighbourhood: Neighbourhood) -> None:
    with neighbourhood.engine.begin() as connection:
        connection.execute(text("ALTER SCHEMA stories RENAME TO elsewhere"))
    try:
        with neighbourhood.running() as (supervisor, _):
            assert supervisor.wait_for("stories") == 1
    finally:
        with neighbourhood.engine.begin() as connection:
            connection.execute(text("ALTER SCHEMA elsewhere RENAME TO stories"))
    assert "detourage stories migrate" in neighbourhood.log.read_text()
    assert neighbourhood.command("migrate") == 0


@pytest.mark.parametrize(("server", "port"), [("BROKER", 5672), ("DATABASE", 5432)])
def test_the_process_continues_once_a_lost_server_is_back(
    neighbourhood: Neighbourhood, server: str, port: int
) -> None:
    variable = f"DETOURAGE_{server}_URL"
    with Proxy(neighbourhood.environment[variable], port) as proxy:
        # The process waits for the database, and tries the next node of the broker.
        neighbourhood.environment[variable] = (
            proxy.url if server == "DATABASE" else f"{proxy.url};amqp://127.0.0.1:1//"
        )
        proxy.drop()
        with neighbourhood.running():
            neighbourhood.send(FIRST)
            time.sleep(1)
            proxy.restore()
            assert len(neighbourhood.stories(1)) == 1
            proxy.drop()
            neighbourhood.send(COPY)
            time.sleep(1)
            proxy.restore()
            assert neighbourhood.message_about(COPY)["relation"] == "same"


def test_articles_come_from_the_exchange_of_the_service(settings: Settings) -> None:
    service_exchange = topology_of(settings).articles_exchange
    stories_exchange = Topology(settings.queue_prefix).articles
    assert (stories_exchange.name, stories_exchange.type, stories_exchange.durable) == (
        service_exchange.name,
        service_exchange.type,
        service_exchange.durable,
    )
