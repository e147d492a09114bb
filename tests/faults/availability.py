"""Servers of a highly available deployment, and faults that it survives."""

import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count, pairwise
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import URL, create_engine, select, text

from models.tables import Receipt, Site, StoredPage
from tests.faults.proving_ground import LOOPBACK, Servers, signal_all
from tests.faults.scenarios import (
    REVISIONS_FROM,
    Fault,
    Scene,
    publish_again,
    publish_much,
    site_pages,
)
from tests.services import pgbouncer_program, unused_ports
from worker.store.database import Database

PAGE_EVERY_SECONDS = 0.25
PAGES_AFTER_FAULT = 20
"""Interval between the pages published during a fault, and number of pages published after it."""

DETECTION_SECONDS = 5.0
"""Time after which the standby is promoted, as a failover manager must first detect the failure."""

PAUSE = "longest pause between stored pages"
"""Description under which `steady_pages` stores its measurement in the scene."""

S = TypeVar("S", bound=Servers)


class PooledServers(Servers):
    """Servers whose PostgreSQL is reached through PgBouncer in transaction mode."""

    def __enter__(self) -> Self:
        super().__enter__()
        (port,) = unused_ports(1)
        configuration = self.open_directory / "pgbouncer.ini"
        configuration.write_text(f"""
[databases]
detourage = host={self.open_directory / "socket"} user=detourage
[pgbouncer]
listen_addr = {LOOPBACK}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = options
""")
        self._pooler_command = [str(pgbouncer_program()), str(configuration)]
        self._pooler_pid = 0
        self.database_url = f"postgresql+psycopg2://detourage@{LOOPBACK}:{port}/detourage"
        self.start_pooler()
        return self

    def start_pooler(self) -> None:
        """Start PgBouncer, and wait until it responds."""
        self._starts += 1
        self._pooler_pid = self.supervisor.start(
            f"pgbouncer.{self._starts}",
            self._pooler_command,
            log=self._home / f"pgbouncer.{self._starts}.log",
            env=dict(os.environ),
            cwd=self.open_directory,
            user=self._postgresql_user,
        )
        with Database(self.database_url) as database:
            database.wait()

    def kill_pooler(self) -> None:
        """Kill PgBouncer with SIGKILL."""
        signal_all(self._pooler_pid, signal.SIGKILL)


class ReplicatedServers(Servers):
    """Servers whose PostgreSQL has a synchronous standby."""

    def __init__(self, home: Path) -> None:
        # A random loopback network, because other trials on this machine use the same ports.
        network = ".".join(map(str, (127, *secrets.token_bytes(2))))
        self._standby_address = f"{network}.2"
        super().__init__(home, address=f"{network}.1")

    def __enter__(self) -> Self:
        super().__enter__()
        self._primary, *_ = self.postgresql_processes()
        self._start_standby()
        self.database_url = URL.create(
            "postgresql+psycopg2",
            username="detourage",
            host=f"{self._address},{self._standby_address}",
            database="detourage",
            query={"target_session_attrs": "read-write"},
        ).render_as_string()
        return self

    def _start_standby(self) -> None:
        data = self.base_backup("standby", "--write-recovery-conf")
        directory = data.with_name("standby-socket")
        directory.mkdir(mode=0o700)
        os.chown(directory, *self._postgresql_user)
        self._run_postgresql(
            data, {}, listen_addresses=self._standby_address, unix_socket_directories=str(directory)
        )
        # The standby does not get this setting: after its promotion, it would wait for a standby.
        self.execute("ALTER SYSTEM SET synchronous_standby_names TO '*'", "SELECT pg_reload_conf()")
        self._wait_for("SELECT sync_state = 'sync' FROM pg_stat_replication")

    def kill_primary(self) -> None:
        """Kill all processes of the primary with SIGKILL."""
        signal_all(self._primary.pid, signal.SIGKILL)

    def promote(self) -> None:
        """Promote the standby, as an operator or a failover manager does."""
        standby = f"postgresql+psycopg2://detourage@{self._standby_address}/detourage"
        engine = create_engine(standby, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_promote()"))
        engine.dispose()


class ClusteredServers(Servers):
    """Servers whose RabbitMQ is a cluster of three nodes."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, nodes=3)


class ArchivedServers(Servers):
    """Servers whose PostgreSQL archives its write-ahead log continuously."""

    def __enter__(self) -> Self:
        super().__enter__()
        self._archive = self.open_directory / "archive"
        self._archive.mkdir(mode=0o700)
        os.chown(self._archive, *self._postgresql_user)
        self.execute(
            "ALTER SYSTEM SET archive_mode TO on",
            f"ALTER SYSTEM SET archive_command TO 'cp %p {self._archive}/%f'",
        )
        self.stop_postgresql()
        self.start_postgresql()
        return self

    def current_time(self) -> str:
        """Return the current time according to PostgreSQL."""
        return str(self.execute("SELECT clock_timestamp()"))

    def archive_everything(self) -> None:
        """Wait until all transactions committed so far are in the archive."""
        segment = self.execute("SELECT pg_walfile_name(pg_switch_wal())")
        self._wait_for(f"SELECT last_archived_wal >= '{segment}' FROM pg_stat_archiver")

    def lose_postgresql(self) -> None:
        """Kill PostgreSQL with SIGKILL, and delete its data."""
        postmaster, *_ = self.postgresql_processes()
        signal_all(postmaster.pid, signal.SIGKILL)
        shutil.rmtree(self._data)

    def restore_to(self, instant: str, base: Path) -> None:
        """Restore PostgreSQL from a base backup and the archive to its state at an instant."""
        base.rename(self._data)
        with (self._data / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"restore_command = 'cp {self._archive}/%f %p'\n")
            settings.write(f"recovery_target_time = '{instant}'\n")
            settings.write("recovery_target_action = 'promote'\n")
        (self._data / "recovery.signal").touch()
        self.start_postgresql()
        self._wait_for("SELECT NOT pg_is_in_recovery()")


@contextmanager
def steady_pages(scene: Scene) -> Iterator[None]:
    """Publish a page every `PAGE_EVERY_SECONDS` during a fault and for a while after it.

    Measure the longest time in which the service stored none of them.
    """
    scene.wait_for_revisions(1)
    began = datetime.now(UTC)
    has_ended = threading.Event()

    def publish() -> None:
        pages_left = PAGES_AFTER_FAULT
        for number in count(1000):
            scene.publish(site_pages(scene.host, 1, first=number))
            pages_left -= has_ended.is_set()
            if not pages_left:
                return
            time.sleep(PAGE_EVERY_SECONDS)

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        yield
    finally:
        has_ended.set()
        publisher.join()
    scene.wait_for_revisions(1)
    query = (
        select(Receipt.received_at)
        .join(StoredPage, StoredPage.id == Receipt.page_id)
        .join(Site, Site.id == StoredPage.site_id)
        .where(Site.key == scene.host, Receipt.received_at > began)
        .order_by(Receipt.received_at)
    )
    times = scene.ground.database.run(lambda session: [began, *session.scalars(query)])
    pauses = ((after - before).total_seconds() for before, after in pairwise(times))
    scene.seconds[PAUSE] = max(pauses)


def on(servers: type[S], act: Callable[[Scene, S], None]) -> tuple[type[Servers], Fault]:
    """Return the class of servers that a fault needs, and the fault as a function of a scene."""

    def fault(scene: Scene) -> None:
        assert isinstance(scene.ground.servers, servers)
        act(scene, scene.ground.servers)

    fault.__doc__ = act.__doc__
    return servers, fault


def no_fault(scene: Scene, _servers: Servers) -> None:
    """Inject no fault, for comparison."""
    with steady_pages(scene):
        pass


def restart_pooler(scene: Scene, servers: PooledServers) -> None:
    """Kill PgBouncer with -9, and start it after five seconds, in transaction mode."""
    with steady_pages(scene):
        servers.kill_pooler()
        time.sleep(DETECTION_SECONDS)
        servers.start_pooler()


def fail_over(scene: Scene, servers: ReplicatedServers) -> None:
    """Kill the primary PostgreSQL with -9, and promote its synchronous standby after five seconds.

    The primary is not started again.
    """
    with steady_pages(scene):
        servers.kill_primary()
        time.sleep(DETECTION_SECONDS)
        servers.promote()


def kill_node(scene: Scene, servers: ClusteredServers) -> None:
    """Kill the RabbitMQ node that leads the queues, one of three, with -9; do not restart it."""
    with steady_pages(scene):
        servers.kill_leader(scene.ground.topology.pages)


def restore_to_instant(scene: Scene, servers: ArchivedServers) -> None:
    """Delete the database while pages arrive, recover it from a base backup and the WAL archive to
    a point in time before the last three revisions of each page, and publish all pages again."""
    ground = scene.ground
    scene.wait_for_revisions(1)
    with measure_seconds(scene, "base backup"):
        base = servers.base_backup("base")
    scene.publish(site_pages(scene.host, len(scene.pages), seed=500))
    scene.wait_for_revisions(2)
    instant = servers.current_time()
    new_pages = publish_much(scene)
    servers.archive_everything()
    with ground.all_killed(DETOURAGE_REVISIONS_FROM=REVISIONS_FROM):
        ground.record_articles()
        servers.lose_postgresql()
        with measure_seconds(scene, "restore"):
            servers.restore_to(instant, base)
    with measure_seconds(scene, "start, and new articles of all pages"):
        publish_again(scene, new_pages)


@contextmanager
def measure_seconds(scene: Scene, description: str) -> Iterator[None]:
    """Measure the duration of the ``with`` block, and store it under a description."""
    began = time.monotonic()
    yield
    scene.seconds[description] = time.monotonic() - began


AVAILABILITY: Mapping[str, tuple[type[Servers], Fault]] = {
    "no fault": on(Servers, no_fault),
    "PgBouncer restarted": on(PooledServers, restart_pooler),
    "PostgreSQL failed over": on(ReplicatedServers, fail_over),
    "RabbitMQ node killed": on(ClusteredServers, kill_node),
    "database restored to an instant": on(ArchivedServers, restore_to_instant),
}
"""Faults of a highly available deployment, each with the servers that it needs."""
