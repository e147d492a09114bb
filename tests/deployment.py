"""A deployment of the service in real processes, and the systems that it communicates with."""

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Self

import amqp
import psutil
import pytest
from sqlalchemy import func, select

from models.tables import OutboxEntry, Receipt, Site, StoredPage
from tests.conditions import is_pending
from tests.preloaded import PreloadedSupervisor
from tests.services import URL_SCHEMES, Services, with_scheme
from worker.messaging.broker import connect, topology_of
from worker.processes.heartbeat import Heartbeat
from worker.processes.supervisor import Supervisor
from worker.service.quarantine import QuarantinedMessage, browse
from worker.settings import PREFIX, Settings, load_settings
from worker.store.database import Database

PATIENCE_SECONDS = 600.0  # maximum time that a test waits for a condition
POLL_SECONDS = 0.2  # time between two checks of that condition
PROCESSES = ("intake", "relay", "worker", "beat")


def own_settings(services: Services, database_url: str, heartbeats: Path) -> Settings:
    """Return settings of a deployment with its own queues, whose names have a random prefix."""
    return Settings.model_validate(
        {
            "database_url": database_url,
            "broker_url": services.broker_url,
            "queue_prefix": f"test-{secrets.token_hex(4)}.",
            "settle_seconds": 3,
            "log_format": "json",
            "heartbeat_directory": heartbeats,
        }
    )


def remove_queues(settings: Settings) -> None:
    """Remove the queues and exchanges named in the settings."""
    queues = topology_of(settings).queues()
    with connect(settings) as connection, connection.channel() as channel:
        for queue in queues:
            channel.queue_delete(queue.name)
        for exchange in {queue.exchange.name for queue in queues} - {""}:
            channel.exchange_delete(exchange)


@contextmanager
def own_queues(settings: Settings) -> Iterator[Settings]:
    """Yield the settings; at the end, remove the queues and exchanges named in them."""
    try:
        yield settings
    finally:
        remove_queues(settings)


@contextmanager
def configured(settings: Settings, **changes: object) -> Iterator[None]:
    """Set the environment variables for the given settings, overridden by `changes`.

    Commands that run in this process use them.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.environment().items():
            patch.setenv(name, value)
        for name, changed in changes.items():
            patch.setenv(f"{PREFIX}{name.upper()}", str(changed))
        load_settings.cache_clear()
        yield
    load_settings.cache_clear()


def process_command(name: str, directory: Path, *, pool: int = 2) -> list[str]:
    """Return the command that starts a service process with a name such as ``worker-0``.

    A worker runs tasks in `pool` processes.
    """
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "worker"]
    match name.split("-")[0]:
        case "worker":
            # The host name is unique, as another test run may use the same broker concurrently.
            host = ".".join(directory.parts[1:])
            options = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
            options += [f"--hostname={name}@{host}"]
            return [*celery, "worker", f"--concurrency={pool}", *options]
        case "beat":
            return [*celery, "beat", f"--schedule={directory / name}.schedule", "--pidfile="]
        case kind:
            return [sys.executable, "-m", "worker.cli", kind]


def peak_bytes(pid: int) -> int:
    """Return the peak memory use of a process so far, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def process_environment(settings: Settings) -> dict[str, str]:
    """Return this process's environment variables, with those for the settings added."""
    return {**os.environ, **settings.environment()}


@contextmanager
def started_processes(
    settings: Settings, home: Path, names: Collection[str]
) -> Iterator[tuple[PreloadedSupervisor, dict[str, int]]]:
    """Start processes without waiting for them to be ready, because they may refuse to start.

    Yield their supervisor and their process IDs by name.
    """
    environment = process_environment(settings)
    with PreloadedSupervisor() as supervisor:
        pids = {}
        for name in names:
            command = process_command(name, home, pool=1)
            log = home / f"{name}.log"
            pids[name] = supervisor.start(name, command, log=log, env=environment)
        yield supervisor, pids


class Deployment:
    """The processes of the service, with methods that act as crawlers and entity recognisers.

    The processes get database URLs with different schemes, see `URL_SCHEMES`.
    """

    def __init__(
        self, settings: Settings, logs: Path, processes: Collection[str] = PROCESSES
    ) -> None:
        self._processes = processes
        self.patience_seconds = PATIENCE_SECONDS
        self.poll_seconds = POLL_SECONDS
        self.settings = settings
        self.environment = process_environment(settings)
        self.topology = topology_of(settings)
        self.database = Database(settings.require_database_url())
        self._logs = logs
        self._supervisor: Supervisor = PreloadedSupervisor()
        self._pids: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._supervisor.__enter__()
        for name, scheme in zip(self._processes, cycle(URL_SCHEMES), strict=False):
            argv = process_command(name, self._logs)
            log = self._logs / f"{name}.log"
            url = with_scheme(self.settings.require_database_url(), scheme)
            environment = {**self.environment, "DETOURAGE_DATABASE_URL": url}
            self._pids[name] = self._supervisor.start(name, argv, log=log, env=environment)
        self.wait_until(self._all_alive)
        return self

    def __exit__(self, *error: Any) -> None:
        self._supervisor.__exit__(*error)
        self.database.dispose()

    def _all_alive(self) -> bool:
        directory = self.settings.heartbeat_directory
        beats = [Heartbeat(directory, process).last() for process in self._processes]
        return all(beat is not None and beat.is_recent for beat in beats)

    def check(self) -> None:
        """Raise an error if a process of the service has exited."""
        self._supervisor.check()

    def pid(self, process: str) -> int:
        """Return the process ID of a process."""
        return self._pids[process]

    def children(self, process: str) -> list[psutil.Process]:
        """Return the pool processes of a process."""
        return psutil.Process(self._pids[process]).children()

    def logged(self, process: str) -> list[dict[str, Any]]:
        """Return the JSON lines that a process has logged, after Celery's warning to root."""
        warning, brace, rest = self.log_file(process).read_text().partition("{")
        assert "[config]" not in warning, "Celery shows its banner"
        lines = (brace + rest).rpartition("\n")[0]  # the last line may be incomplete
        return [json.loads(line) for line in lines.splitlines()]

    def log_file(self, process: str) -> Path:
        """Return the path of a process's log file."""
        return self._logs / f"{process}.log"

    def publish(self, bodies: Iterable[bytes], headers: Mapping[str, object] | None = None) -> None:
        """Publish page messages with a plain AMQP client that shares no code with the service."""
        with self.amqp() as connection, connection.channel() as channel:
            for body in bodies:
                channel.basic_publish(
                    amqp.Message(
                        body,
                        content_type="application/json",
                        delivery_mode=2,
                        application_headers=dict(headers or {}),
                    ),
                    exchange="",
                    routing_key=self.topology.pages,
                )

    def take_articles(self) -> list[dict[str, Any]]:
        """Consume all articles that are waiting for entity recognition."""
        return self.take(self.topology.articles_queue)

    def take(self, queue: str) -> list[dict[str, Any]]:
        """Consume all messages in a queue, and return them."""
        return [json.loads(message.body) for message in self.messages(queue)]

    def messages(self, queue: str) -> Iterator[amqp.Message]:
        """Yield all messages in a queue, acknowledging each when the next is requested."""
        with self.amqp() as connection, connection.channel() as channel:
            while (message := channel.basic_get(queue)) is not None:
                yield message
                channel.basic_ack(message.delivery_tag)

    def quarantined(self) -> list[QuarantinedMessage]:
        """Return the messages in all quarantines."""
        return [
            message
            for stage in self.topology.quarantines
            for message in browse(self.settings, stage)
        ]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds; fail if a process exits or the wait times out."""
        deadline = time.monotonic() + self.patience_seconds
        while not condition():
            self.check()
            assert time.monotonic() < deadline, (
                f"the condition does not hold after {self.patience_seconds} seconds"
            )
            time.sleep(self.poll_seconds)

    def receipts(self) -> int:
        """Return the number of messages processed since the deployment started."""
        return self.count(select(func.count()).select_from(Receipt))

    def wait_for_receipts(self, number: int) -> None:
        """Wait until the deployment has processed the given number of messages in total."""
        self.wait_until(lambda: self.receipts() >= number)

    def revisions(self, site: str) -> dict[str, int]:
        """Return the revision number of each page of a site, by URL."""
        query = (
            select(StoredPage.url, StoredPage.revision)
            .join(Site, Site.id == StoredPage.site_id)
            .where(Site.key == site)
        )
        return self.database.run(lambda session: dict(session.execute(query).all()))

    def wait_for_outcomes(self) -> None:
        """Wait until every page has an outcome and nothing is left to publish."""
        self.wait_until(self.has_outcomes)

    def has_outcomes(self) -> bool:
        """Return whether every page has an outcome and nothing is left to publish."""
        pending = select(func.count()).select_from(StoredPage).where(is_pending())
        unpublished = select(func.count()).select_from(OutboxEntry)
        return self.count(pending) == 0 and self.count(unpublished) == 0

    def count(self, query: Any) -> int:
        """Return the number that a query selects; retry for a while if the database is down."""
        return int(self.database.run(lambda session: session.scalar(query)))

    def amqp(self) -> amqp.Connection:
        """Return a connection from a plain AMQP client that shares no code with the service."""
        with connect(self.settings) as connection:  # finds a node that responds
            info = connection.info()
        return amqp.Connection(
            host=f"{info['hostname']}:{info['port']}",
            userid=info["userid"],
            password=info["password"],
            virtual_host=info["virtual_host"],
            confirm_publish=True,
        )
