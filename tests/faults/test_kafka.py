"""The bridge to Kafka loses nothing when either broker or the bridge itself fails."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psutil
import pytest
from kombu import Producer
from sqlalchemy import func, select

from models.tables import Receipt, StoredPage
from tests.deployment import Deployment, process_command, process_environment
from tests.faults.proving_ground import Servers
from tests.kafka import Kafka
from tests.pages import message
from tests.preloaded import PreloadedSupervisor
from worker.messaging.broker import connect, messages_waiting
from worker.processes.heartbeat import Heartbeat
from worker.settings import Settings

MESSAGES = 1000
OUTAGE_SECONDS = 12
"""Longer than the bridge waits for a confirm, and than Kafka waits for a member of a group."""


@dataclass
class Scene:
    """The servers, an intake, and bridges with topics of their own."""

    servers: Servers
    kafka: Kafka
    intake: Deployment
    settings: Settings
    home: Path
    bridges: PreloadedSupervisor
    pid: int = 0
    _numbers: Iterator[int] = field(default_factory=count)

    def start(self, process: str) -> None:
        """Start a bridge."""
        name = f"{process}-{next(self._numbers)}"
        self.pid = self.bridges.start(
            name,
            process_command(process, self.home),
            log=self.home / f"{name}.log",
            env=process_environment(self.settings),
        )


def kill_bridge(scene: Scene, process: str) -> None:
    """Kill the bridge with SIGKILL, and start another."""
    os.kill(scene.pid, signal.SIGKILL)
    scene.start(process)


def restart_rabbitmq(scene: Scene, _process: str) -> None:
    """Kill RabbitMQ with SIGKILL, and start it again."""
    scene.servers.kill_broker()
    scene.servers.start_broker()


def suspend_kafka(scene: Scene, _process: str) -> None:
    """Suspend Kafka, so that it answers nothing, for longer than any time limit."""
    os.kill(scene.kafka.pid, signal.SIGSTOP)
    time.sleep(OUTAGE_SECONDS)
    os.kill(scene.kafka.pid, signal.SIGCONT)


def exhaust_memory(scene: Scene, _process: str) -> None:
    """Raise RabbitMQ's memory alarm, which blocks all publishers."""
    scene.servers.control_broker("set_vm_memory_high_watermark", "0")
    time.sleep(OUTAGE_SECONDS)
    scene.servers.control_broker("set_vm_memory_high_watermark", "0.4")


def fill_queue(scene: Scene, _process: str) -> None:
    """Limit the page queue to three messages while the intake is suspended."""
    queue = scene.intake.topology.pages
    scene.servers.control_broker("set_policy", "full", f"^{queue}$", '{"max-length": 3}')
    intake = scene.intake.pid("intake")
    os.kill(intake, signal.SIGSTOP)
    time.sleep(OUTAGE_SECONDS)
    assert Heartbeat(scene.settings.heartbeat_directory, "bridge-pages").is_alive()
    os.kill(intake, signal.SIGCONT)
    scene.servers.control_broker("clear_policy", "full")


Fault = Callable[[Scene, str], None]
FAULTS: dict[str, list[Fault]] = {
    "bridge-pages": [kill_bridge, restart_rabbitmq, suspend_kafka, exhaust_memory, fill_queue],
    "bridge-articles": [kill_bridge, restart_rabbitmq, suspend_kafka],
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Servers, Kafka]]:
    home = tmp_path_factory.mktemp("servers")
    with Servers(home) as servers, Kafka(home) as kafka:
        yield servers, kafka


@pytest.fixture
def scene(servers: tuple[Servers, Kafka], tmp_path: Path) -> Iterator[Scene]:
    broker, kafka = servers
    settings = kafka.configured(
        Settings.model_validate(
            {
                "database_url": broker.database_url,
                "broker_url": broker.broker_url,
                "queue_prefix": f"{tmp_path.name}.",
                "heartbeat_directory": tmp_path,
                "log_format": "json",
            }
        )
    )
    with (
        Deployment(settings, tmp_path, processes=["intake"]) as intake,
        PreloadedSupervisor() as bridges,
    ):
        yield Scene(broker, kafka, intake, settings, tmp_path, bridges)


@pytest.mark.parametrize("fault", FAULTS["bridge-pages"], ids=lambda fault: fault.__name__)
def test_each_page_is_stored_once(scene: Scene, fault: Fault) -> None:
    pages = {f"https://{fault.__name__}.example/{n}": n for n in range(MESSAGES)}
    bodies = [message(url, f"<p>{n}") for url, n in pages.items()]
    for site in range(10):
        some = bodies[site::10]
        scene.kafka.produce(scene.settings.kafka_pages, str(site), [(body, []) for body in some])
    before = scene.intake.receipts()
    scene.start("bridge-pages")
    scene.intake.wait_for_receipts(before + MESSAGES // 10)
    fault(scene, "bridge-pages")
    stored = select(func.count()).where(StoredPage.url.contains(fault.__name__))
    scene.intake.wait_until(lambda: scene.intake.count(stored) == MESSAGES)
    scene.intake.wait_until(
        lambda: not messages_waiting(scene.settings, scene.intake.topology.pages)
    )
    prefix = f"{scene.settings.kafka_pages}/%"
    received = select(Receipt.result, func.count()).where(Receipt.message_id.like(prefix))
    with scene.intake.database.transaction() as session:
        results = dict(session.execute(received.group_by(Receipt.result)).all())
        places = session.scalar(
            select(func.count(Receipt.message_id.distinct())).where(Receipt.message_id.like(prefix))
        )
    assert results.pop("accepted") == MESSAGES
    # A message that is published again has the same ID, and changes nothing.
    assert not results.keys() - {"duplicate"}
    assert places == MESSAGES


def test_a_page_that_rabbitmq_refuses_is_quarantined(scene: Scene) -> None:
    bodies = [message(f"https://large.example/{n}", "<p>" + n * "x") for n in (9, 90_000, 8)]
    scene.kafka.produce(
        scene.settings.kafka_pages, "large.example", [(each, []) for each in bodies]
    )
    limit = "application:set_env(rabbit, max_message_size, {})."
    scene.servers.control_broker("eval", limit.format(50_000))
    before = scene.intake.receipts()
    scene.start("bridge-pages")
    scene.intake.wait_for_receipts(before + len(bodies))
    scene.servers.control_broker("eval", limit.format(2**27))
    prefix = f"{scene.settings.kafka_pages}/%"
    received = select(Receipt.result, Receipt.reason).where(Receipt.message_id.like(prefix))
    with scene.intake.database.transaction() as session:
        results = [tuple(row) for row in session.execute(received.order_by(Receipt.id))]
    assert [result for result, _ in results] == ["accepted", "quarantined", "accepted"]
    assert results[1][1] == "oversized"


def test_a_bridge_stops_though_kafka_does_not_answer(scene: Scene) -> None:
    scene.start("bridge-pages")
    directory = scene.settings.heartbeat_directory
    scene.intake.wait_until(Heartbeat(directory, "bridge-pages").is_alive)
    os.kill(scene.kafka.pid, signal.SIGSTOP)
    try:
        os.kill(scene.pid, signal.SIGTERM)
        scene.intake.wait_until(lambda: not psutil.pid_exists(scene.pid))
    finally:
        os.kill(scene.kafka.pid, signal.SIGCONT)


@pytest.mark.parametrize("fault", FAULTS["bridge-articles"], ids=lambda fault: fault.__name__)
def test_each_article_is_produced(scene: Scene, fault: Fault) -> None:
    topology = scene.intake.topology
    with connect(scene.settings) as connection:
        producer = Producer(connection.channel(), topology.articles_exchange)
        for n in range(MESSAGES):
            body = json.dumps({"url": f"https://a.example/{n}", "id": str(n)})
            producer.publish(body.encode(), routing_key="und.a.example", message_id=str(n))
    scene.start("bridge-articles")
    queue = topology.articles_queue
    scene.intake.wait_until(lambda: messages_waiting(scene.settings, queue) < 0.9 * MESSAGES)
    fault(scene, "bridge-articles")
    scene.intake.wait_until(lambda: messages_waiting(scene.settings, queue) == 0)
    arrived = scene.kafka.take(scene.settings.kafka_articles, MESSAGES)
    ids = [json.loads(each.value())["id"] for each in arrived]
    assert set(ids) == {str(n) for n in range(MESSAGES)}
