"""Processes that lose the broker resume their work, and confirm it, once the broker is back."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from kombu import Producer
from pydantic import SecretStr
from sqlalchemy import select

from models.tables import StoredPage
from tests.commands import invoke
from tests.deployment import Deployment, configured, own_queues, own_settings
from tests.pages import article_html, message
from tests.proxy import Proxy
from tests.services import Services, temporary_database, unused_ports
from worker.messaging.broker import broker_connection, connect, messages_waiting, topology_of
from worker.messaging.task_names import CLUSTER_DUE, STAGE_OF_TASK
from worker.processes.heartbeat import CONFIRM_SECONDS, PROCESSES, Heartbeat
from worker.settings import Settings


@pytest.fixture
def proxy(services: Services) -> Iterator[Proxy]:
    """A proxy to the broker, whose connections a test can drop."""
    with Proxy(services.broker_url, 5672) as proxy:
        yield proxy


@pytest.fixture
def settings(
    services: Services, migrated_url: str, proxy: Proxy, tmp_path: Path
) -> Iterator[Settings]:
    """Settings of a deployment with its own database that reaches the broker through a proxy."""
    with (
        temporary_database(services, template=migrated_url) as database_url,
        own_queues(own_settings(services, database_url, tmp_path / "heartbeats")) as direct,
    ):
        yield direct.model_copy(update={"broker_url": SecretStr(proxy.url)})


def test_a_publisher_survives_a_lost_connection(settings: Settings, proxy: Proxy) -> None:
    topology = topology_of(settings)
    with connect(settings) as connection:
        topology.declare(connection)
        producer = Producer(connection.channel())
        for _ in range(2):
            producer.publish(b"{}", routing_key=topology.pages, retry=True)
            proxy.drop()
            proxy.restore()
    assert messages_waiting(settings, topology.pages) == 2


def test_beat_sends_again_after_it_has_lost_the_broker(
    settings: Settings, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETOURAGE_SETLE_SECONDS", "1")
    queue = topology_of(settings).task_queue(STAGE_OF_TASK[CLUSTER_DUE])
    with connect(settings) as connection:
        topology_of(settings).declare(connection)
    with Deployment(settings, tmp_path, processes=["beat"]) as deployment:
        deployment.wait_until(lambda: messages_waiting(settings, queue) > 0)
        proxy.drop()
        deployment.wait_until(lambda: "interrupted" in deployment.log_file("beat").read_text())
        proxy.restore()
        sent = messages_waiting(settings, queue)
        deployment.wait_until(lambda: messages_waiting(settings, queue) > sent)
        log = deployment.log_file("beat").read_text()
    assert "unknown settings have no effect: DETOURAGE_SETLE_SECONDS" in log
    assert "beat is connected again" in log
    assert "Traceback" not in log


def test_no_process_confirms_work_while_the_broker_is_lost(
    settings: Settings, proxy: Proxy, tmp_path: Path
) -> None:
    beats = {name: Heartbeat(settings.heartbeat_directory, name) for name in PROCESSES}

    def confirmation_times() -> dict[str, float]:
        return {name: last.at for name, beat in beats.items() if (last := beat.last())}

    with configured(settings), Deployment(settings, tmp_path) as deployment:
        assert all(f"{name} last " in invoke("health", name).output for name in PROCESSES)
        proxy.drop()

        def is_idle() -> bool:
            before = confirmation_times()
            time.sleep(2 * CONFIRM_SECONDS)
            return confirmation_times() == before

        # Wait until tasks that were received before have ended.
        deployment.wait_until(is_idle)
        before = confirmation_times()
        proxy.restore()
        deployment.publish([message("https://again.example/1", article_html(1))])
        deployment.wait_until(
            lambda: all(at > before[name] for name, at in confirmation_times().items())
        )
        deployment.wait_for_receipts(1)
        deployment.wait_for_outcomes()
        outcomes = deployment.database.run(
            lambda session: session.scalars(select(StoredPage.outcome)).all()
        )
        assert outcomes == ["article"]


def test_beat_stops_while_it_sends(settings: Settings, tmp_path: Path) -> None:
    with connect(settings) as connection:
        topology_of(settings).declare(connection)
    # Tasks are always due, so the signal arrives while one is sent.
    busy_settings = settings.model_copy(update={"settle_seconds": 0.0005})
    for number in range(5):
        logs = tmp_path / str(number)
        logs.mkdir()
        with Deployment(busy_settings, logs, processes=["beat"]) as deployment:
            beat = psutil.Process(deployment.pid("beat"))
            beat.terminate()
            beat.wait(deployment.patience_seconds)


def test_every_process_connects_to_the_only_node_that_responds(settings: Settings) -> None:
    lost = [f"amqp://guest:guest@127.0.0.1:{port}//" for port in unused_ports(4)]
    url = ";".join([*lost, settings.require_broker_url()])
    clustered = settings.model_copy(update={"broker_url": SecretStr(url)})
    with connect(clustered) as connection:
        assert connection.channel().is_open
    with connect(clustered) as connection:
        assert connection.connect().connected
    with broker_connection(clustered) as connection:
        assert connection.connected


def test_a_command_does_not_wait_for_a_node_that_is_silent(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        lost = f"amqp://guest:guest@127.0.0.1:{silent.getsockname()[1]}//"
        url = f"{lost};{settings.require_broker_url()}"
        clustered = settings.model_copy(update={"broker_url": SecretStr(url)})
        with broker_connection(clustered) as connection:
            assert connection.connected
