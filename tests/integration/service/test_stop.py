"""Processes can be stopped while a server does not respond, and are then not healthy."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from tests.commands import FAILED, Server, invoke
from tests.deployment import (
    PROCESSES,
    Deployment,
    configured,
    own_queues,
    own_settings,
    started_processes,
)
from tests.proxy import Proxy
from tests.services import Services, temporary_database, unused_ports
from tests.waiting import wait_until
from worker.settings import Settings

END_SECONDS = 30.0  # far less time than a process spends trying to reach a server

URLS = {
    "database": "postgresql+psycopg2://someone:secret@127.0.0.1:{}/some",
    "broker": "amqp://someone:secret@127.0.0.1:{}",
}
WAITING = {"database": "the database is not responding", "broker": "interrupted, reconnecting"}
"""Logged messages of an intake or relay that waits for a server."""


@contextmanager
def unresponsive_port(kind: str) -> Iterator[int]:
    """Yield a port on which nothing listens, or on which a server accepts but never responds."""
    if kind == "closed":
        yield unused_ports(1)[0]
        return
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def has_logged(log: Path, text: str) -> bool:
    return text in log.read_text()


@pytest.fixture
def settings(services: Services, migrated_url: str, tmp_path: Path) -> Iterator[Settings]:
    with (
        temporary_database(services, template=migrated_url) as database_url,
        own_queues(own_settings(services, database_url, tmp_path / "heartbeats")) as settings,
    ):
        yield settings


@pytest.mark.parametrize("kind", ["closed", "silent"])
@pytest.mark.parametrize("server", ["database", "broker"])
def test_a_process_that_waits_for_a_server_at_its_start_can_be_stopped(
    settings: Settings, tmp_path: Path, server: Server, kind: str
) -> None:
    with unresponsive_port(kind) as port:
        url = SecretStr(URLS[server].format(port))
        waiting = settings.model_copy(update={f"{server}_url": url})
        with started_processes(waiting, tmp_path, ["intake", "relay"]) as (supervisor, pids):
            for name, pid in pids.items():
                log = tmp_path / f"{name}.log"
                wait_until(partial(has_logged, log, WAITING[server]))
                process = psutil.Process(pid)
                process.terminate()
                process.wait(END_SECONDS)
                assert supervisor.wait_for(name) == 0


@pytest.mark.parametrize("server", ["database", "broker"])
def test_a_process_whose_server_falls_silent_can_be_stopped(
    settings: Settings, services: Services, tmp_path: Path, server: Server
) -> None:
    # Beat would send tasks, and the worker finishes its tasks before it ends.
    processes = [name for name in PROCESSES if server == "broker" or name != "beat"]
    url = getattr(settings, f"{server}_url").get_secret_value()
    with Proxy(url, {"database": 5432, "broker": 5672}[server]) as proxy:
        proxied = settings.model_copy(update={f"{server}_url": SecretStr(proxy.url)})
        with configured(proxied), Deployment(proxied, tmp_path, processes) as deployment:
            proxy.fall_silent()
            running = [psutil.Process(deployment.pid(name)) for name in processes]
            for process in running:
                process.terminate()
            _, alive = psutil.wait_procs(running, END_SECONDS)
            assert alive == []
            for name in processes:
                assert "has not done anything" in invoke("health", name, code=FAILED).stderr


def test_a_stopped_process_is_not_healthy(settings: Settings, tmp_path: Path) -> None:
    with configured(settings), Deployment(settings, tmp_path) as deployment:
        running = [psutil.Process(deployment.pid(name)) for name in PROCESSES]
        for process in running:
            process.terminate()
        psutil.wait_procs(running)
        for name in PROCESSES:
            assert "has not done anything" in invoke("health", name, code=FAILED).stderr
