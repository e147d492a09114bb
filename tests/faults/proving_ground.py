"""A deployment on which faults are tried: tests can kill its processes, broker and database."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self
from unittest.mock import patch

import amqp
import psutil
from sqlalchemy import create_engine, func, make_url, select, text

from detourage.expected_errors import ExpectedError
from models.tables import Article, StoredPage
from tests.deployment import Deployment, process_command, process_environment
from tests.faults.history import Delivery, Revision, check, digest_of
from tests.faults.network import OtherHost
from tests.faults.sabotage.sitecustomize import HARMFUL_SITES, TRAPS
from tests.services import (
    START_SECONDS,
    private_node,
    start_rabbitmq,
    unused_ports,
    wait_for_broker,
)
from worker.local.embedded import (
    SERVER_SETTINGS,
    THROWAWAY_SETTINGS,
    embedded_services,
    postgresql_programs,
)
from worker.processes.heartbeat import Heartbeat
from worker.processes.supervisor import Supervisor
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate

SABOTAGE = Path(__file__).parent / "sabotage"
"""Directory of the module ``sitecustomize``, which kills or blocks processes on purpose."""

RABBITMQCTL = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
"""The ``rabbitmqctl`` program of Debian's package. The script on the PATH would switch to another
user."""

LOOPBACK = "127.0.0.1"

PUBLISHED_AFTER_SECONDS = 120.0  # maximum time until the broker confirms a batch of messages

FREE_BYTES = 64 * 2**20  # free space on PostgreSQL's small disk before the disk is filled

OWN_WORK = {"intake": "stored ", "relay": "published ", "worker": "finished ", "beat": "sent "}
"""Prefix of the heartbeat text by which each kind of process confirms that it has done work."""

Victim = Literal["process", "group"]
"""Target of a trap: the process that reaches it, or its group, such as a worker with its pool."""


@dataclass
class Node:
    """A node of a private RabbitMQ; its process ID is 0 until it is started."""

    home: Path
    environment: dict[str, str]
    pid: int = 0

    @property
    def name(self) -> str:
        """Erlang name of the node."""
        return self.environment["RABBITMQ_NODENAME"]

    @property
    def url(self) -> str:
        address = self.environment["RABBITMQ_NODE_IP_ADDRESS"]
        return f"amqp://guest:guest@{address}:{self.environment['RABBITMQ_NODE_PORT']}//"


def cluster_nodes(number: int, address: str) -> list[Node]:
    """Create the directories and configurations of nodes that form a cluster when started."""
    epmd_port, *ports = unused_ports(1 + 2 * number)
    nodes = []
    for port, distribution_port in zip(ports[::2], ports[1::2], strict=True):
        home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
        environment = private_node(home, port, distribution_port, epmd_port)
        nodes.append(Node(home, environment | {"RABBITMQ_NODE_IP_ADDRESS": address}))
    cookie = secrets.token_hex(16)
    configuration = [
        "loopback_users = none",
        "cluster_formation.peer_discovery_backend = classic_config",
        *(
            f"cluster_formation.classic_config.nodes.{index} = {node.name}"
            for index, node in enumerate(nodes, 1)
        ),
    ]
    for node in nodes:
        (node.home / "rabbitmq.conf").write_text("\n".join([*configuration, ""]))
        cookie_file = node.home / ".erlang.cookie"
        cookie_file.write_text(cookie)
        cookie_file.chmod(0o400)
    return nodes


class Servers:
    """A private RabbitMQ and PostgreSQL, which can be killed and started again.

    Other hosts can reach the servers unless their address is a loopback address. RabbitMQ is a
    cluster of the given number of nodes.
    """

    def __init__(self, home: Path, *, address: str = LOOPBACK, nodes: int = 1) -> None:
        self._home = home
        self._address = address
        self._nodes = cluster_nodes(nodes, address)
        self.broker_url = ";".join(node.url for node in self._nodes)
        self.supervisor = Supervisor(remove=[node.home for node in self._nodes])
        self.database_url = ""
        self._starts = 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.supervisor)
            listening = "" if self._address == LOOPBACK else self._address
            with (
                patch.dict(SERVER_SETTINGS, {"listen_addresses": listening}),
                # Transactions that a server confirmed before it was killed must survive.
                patch.dict(THROWAWAY_SETTINGS, {"synchronous_commit": "on"}),
            ):
                services = stack.enter_context(embedded_services())
            self._postgresql = services.directory
            self.database_url = services.database_url
            postmaster, *_ = self.postgresql_processes()
            self._postgresql_command = postmaster.cmdline()
            self._postgresql_user = postmaster.uids().real, postmaster.gids().real
            stack.callback(self.stop_postgresql)
            if listening:
                self._accept_remote_connections()
            database = Database(self.database_url)
            stack.callback(database.dispose)
            migrate(database)
            self.start_broker()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    @property
    def open_directory(self) -> Path:
        """A directory that every user can read."""
        return self._postgresql

    @property
    def remote_database_url(self) -> str:
        """Database URL that works from another host."""
        return str(make_url(self.database_url).set(host=self._address, query={}))

    def start_broker(self) -> None:
        """Start the nodes of RabbitMQ that are down, with their data; wait until they respond."""
        stopped = [node for node in self._nodes if not is_running(node.pid)]
        for node in stopped:
            self._starts += 1
            name = f"broker.{self._starts}"
            log = self._home / f"{name}.log"
            node.pid = start_rabbitmq(self.supervisor, node.environment, node.home, log, name)
        assert all(wait_for_broker(node.url) for node in stopped)

    def kill_broker(self) -> None:
        """Kill RabbitMQ with SIGKILL."""
        for node in self._nodes:
            signal_all(node.pid, signal.SIGKILL)

    def kill_leader(self, queue: str) -> None:
        """Kill the node that leads a quorum queue with SIGKILL."""
        queues_json = self.control_broker("list_queues", "--formatter", "json", "name", "leader")
        leaders = {each["name"]: each["leader"] for each in json.loads(queues_json)}
        (node,) = [each for each in self._nodes if each.name == leaders[queue]]
        signal_all(node.pid, signal.SIGKILL)

    def stop_broker(self) -> None:
        """Shut RabbitMQ down cleanly."""
        for node in self._nodes:
            signal_one(node.pid, signal.SIGTERM)

    def _accept_remote_connections(self) -> None:
        """Let hosts on the network of the servers' address use PostgreSQL without a password."""
        with (self._postgresql / "postgresql" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {self._address}/24 trust\n")
        postmaster, *_ = self.postgresql_processes()
        postmaster.send_signal(signal.SIGHUP)

    def control_broker(self, *command: str) -> str:
        """Run a command of ``rabbitmqctl`` on a node that is running; return its output."""
        node = next(node for node in self._nodes if is_running(node.pid))
        result = subprocess.run(
            [RABBITMQCTL, "--quiet", "--node", node.name, *command],
            env=node.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return result.stdout

    def nonempty_queues(self) -> set[str]:
        """Return the names of the queues that contain messages, whether ready or unacknowledged."""
        return {name for name, messages in self.queues().items() if messages}

    def queues(self) -> dict[str, int]:
        """Return the number of messages of each queue."""
        queues_json = self.control_broker("list_queues", "--formatter", "json", "name", "messages")
        return {queue["name"]: queue["messages"] for queue in json.loads(queues_json)}

    def crash_postgresql(self) -> None:
        """Kill PostgreSQL's checkpointer, so that it closes every connection and recovers."""
        for process in self.postgresql_processes():
            with suppress(psutil.NoSuchProcess):
                if "checkpointer" in " ".join(process.cmdline()):
                    process.kill()

    def stop_postgresql(self) -> None:
        """Shut PostgreSQL down cleanly."""
        for postmaster in self.postgresql_processes()[:1]:
            signal_one(postmaster.pid, signal.SIGINT)

    def start_postgresql(self, **variables: str) -> None:
        """Start PostgreSQL on its data, with additional environment variables; wait for it."""
        self._run_postgresql(self._data, variables)
        database = Database(self.database_url)
        database.wait()
        database.dispose()

    def _run_postgresql(self, data: Path, variables: Mapping[str, str], **settings: str) -> None:
        self._starts += 1
        name = f"postgresql.{self._starts}"
        options = [each for setting in settings.items() for each in ("-c", "=".join(setting))]
        self.supervisor.start(
            name,
            [*self._postgresql_command, *options],
            log=self._home / f"{name}.log",
            env={**os.environ, **variables},
            cwd=data,
            user=self._postgresql_user,
            stop_signal=signal.SIGINT,
        )

    def execute(self, *statements: str) -> Any:
        """Execute SQL statements; return the first value of the last one, or None."""
        engine = create_engine(self.database_url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            results = [connection.execute(text(statement)) for statement in statements]
            value = results[-1].scalar() if results[-1].returns_rows else None
        engine.dispose()
        return value

    def _wait_for(self, query: str) -> None:
        """Wait until a query that selects a single boolean returns true."""
        deadline = time.monotonic() + START_SECONDS
        while not self.execute(query):
            assert time.monotonic() < deadline, query
            time.sleep(0.1)

    def base_backup(self, name: str, *options: str) -> Path:
        """Run ``pg_basebackup``; return the path of the copy, a directory with the given name."""
        data = self._postgresql / name
        owner, group = self._postgresql_user
        data.mkdir(mode=0o700)
        os.chown(data, owner, group)
        subprocess.run(
            [
                str(Path(self._postgresql_command[0]).with_name("pg_basebackup")),
                *options,
                "--checkpoint=fast",
                "--no-sync",
                "--no-password",
                f"--pgdata={data}",
                f"--dbname=user=detourage host={self._postgresql / 'socket'}",
            ],
            user=owner,
            group=group,
            extra_groups=[],
            cwd=self._postgresql,
            check=True,
        )
        return data

    @contextmanager
    def small_disk(self) -> Iterator["Disk"]:
        """Keep PostgreSQL's data on a separate small disk while the context is active."""
        self.stop_postgresql()
        original = self._data.with_name("original")
        self._data.rename(original)
        self._data.mkdir(mode=0o700)
        os.chown(self._data, *self._postgresql_user)
        # `st_blocks` counts blocks of 512 bytes.
        size = sum(file.stat().st_blocks * 512 for file in original.rglob("*")) + FREE_BYTES
        owner, group = self._postgresql_user
        options = f"size={size},mode=700,uid={owner},gid={group}"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self._data],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert mounted.returncode == 0, (
            f"the small disk cannot be mounted (root is required): {mounted.stderr}"
        )
        try:
            subprocess.run(["cp", "--archive", f"{original}/.", self._data], check=True)
            self.start_postgresql()
            disk = Disk(self._data / "filler", self._home / f"postgresql.{self._starts}.log")
            yield disk
            disk.free()
            self.stop_postgresql()
            shutil.rmtree(original)
            subprocess.run(["cp", "--archive", self._data, original], check=True)
        finally:
            self.stop_postgresql()
            subprocess.run(["umount", self._data], check=True)
            self._data.rmdir()
            original.rename(self._data)
            self.start_postgresql()

    def dump(self) -> Path:
        """Dump the database, as an operator does."""
        file = self._home / "dump"
        self._run_program("pg_dump", "--format=custom", f"--file={file}")
        return file

    def restore(self, dump: Path) -> None:
        """Drop the database and restore a dump into an empty one."""
        engine = create_engine(
            make_url(self.database_url).set(database="postgres"), isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as connection:
            name = make_url(self.database_url).database
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        self._run_program("pg_restore", "--exit-on-error", str(dump))

    def _run_program(self, program: str, *arguments: str) -> None:
        # PostgreSQL's programs do not accept a URL with a driver name.
        database = f"--dbname={make_url(self.database_url).set(drivername='postgresql')}"
        subprocess.run([postgresql_programs() / program, database, *arguments], check=True)

    @property
    def _data(self) -> Path:
        return self._postgresql / "postgresql"

    def broker_processes(self) -> list[psutil.Process]:
        processes = []
        for node in self._nodes:
            with suppress(psutil.NoSuchProcess):
                broker = psutil.Process(node.pid)
                processes += [broker, *broker.children(recursive=True)]
        return processes

    def postgresql_processes(self) -> list[psutil.Process]:
        """Return the processes of PostgreSQL, starting with their parent."""
        for process in psutil.process_iter(["cmdline"]):
            command = process.info["cmdline"] or [""]
            if command[0].endswith("/postgres") and str(self._postgresql) in " ".join(command):
                with suppress(psutil.NoSuchProcess):
                    return [process, *process.children()]
        return []


@dataclass(frozen=True)
class Disk:
    """The disk with PostgreSQL's data, which can be filled as if by another program.

    `filler` is the file that takes up the free space; `log` is PostgreSQL's log.
    """

    filler: Path
    log: Path

    def fill(self) -> None:
        """Occupy all free space until `free` is called."""
        with self.filler.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

    def free(self) -> None:
        self.filler.unlink(missing_ok=True)

    def is_noticed_full(self) -> bool:
        """Return whether PostgreSQL has logged that the disk is full."""
        return "No space left on device" in self.log.read_text(errors="replace")


class Clock:
    """A wall clock that processes use instead of the machine's (see ``clock.c``).

    Its files are in a directory that every user must be able to read.
    """

    def __init__(self, directory: Path) -> None:
        self._offset_file = directory / "clock"
        self._library = directory / "clock.so"
        self.set(0)
        compiler = os.environ.get("CC", "cc")
        assert shutil.which(compiler), (
            "the library for clocks needs a C compiler: apt-get install gcc"
        )
        source = Path(__file__).with_name("clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self._library, source], check=True)

    def set(self, seconds: int) -> None:
        """Set the clock to the machine's time plus a number of seconds, which may be negative."""
        self._offset_file.touch(mode=0o644)
        with self._offset_file.open("r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for processes that use the clock."""
        return {"LD_PRELOAD": str(self._library), "FAULTS_CLOCK": str(self._offset_file)}


class ProvingGround(Deployment):
    """A deployment whose processes can be killed, stopped and started again.

    `counts` is the number of processes of each kind, one by default. `others` contains, by process
    name, the hosts of processes that run on another host. `customised` is the directory of the
    module ``sitecustomize`` that processes import when they start. Each worker runs tasks in `pool`
    processes. `more` contains settings that override those of the tests.
    """

    def __init__(
        self,
        servers: Servers,
        home: Path,
        counts: dict[str, int] | None = None,
        *,
        others: Mapping[str, OtherHost] | None = None,
        customised: Path = SABOTAGE,
        environment: Mapping[str, str] | None = None,
        pool: int = 2,
        **more: Any,
    ) -> None:
        self.servers = servers
        self._home = home
        self._counts = {"intake": 1, "relay": 1, "worker": 1, "beat": 1} | (counts or {})
        self._starts: Counter[str] = Counter()
        self._pids: dict[str, int] = {}
        self._traps = home / "traps"
        self._traps.mkdir(exist_ok=True)
        self._harmful_sites = self._traps / HARMFUL_SITES
        self._customised = customised
        self._environment = {**(environment or {}), TRAPS: str(self._traps)}
        self._variables: dict[str, str] = {}
        self._pool = pool
        self._others = others or {}
        super().__init__(
            Settings.model_validate(
                {
                    "database_url": servers.database_url,
                    "broker_url": servers.broker_url,
                    "queue_prefix": f"faults-{secrets.token_hex(4)}.",
                    "settle_seconds": 2,
                    **more,
                }
            ),
            home,
        )
        self.history: list[Delivery] = []
        """All deliveries to the consumer, in order."""
        self._work_queues = {*self.topology.work_queues} - {self.topology.articles_queue}

    def __enter__(self) -> Self:
        for kind, number in self._counts.items():
            for place in range(number):
                self.start(f"{kind}-{place}")
        self.wait_until(self._all_alive)
        return self

    def __exit__(self, *error: Any) -> None:
        for name in self._pids:
            self.kill(name)
        self.database.dispose()

    def _heartbeat(self, name: str) -> Heartbeat:
        """Return the heartbeat of a process; in these tests, each process has its own directory."""
        return Heartbeat(self._home / "heartbeats" / name, name.split("-")[0])

    def _all_alive(self) -> bool:
        return all((last := self._heartbeat(name).last()) and last.is_recent for name in self._pids)

    def idle_processes(self, since: float) -> set[str]:
        """Return the names of the processes that have not reported any work since a time.

        A heartbeat that only confirms that the process could work does not count.
        """
        working = set()
        for name in self._pids:
            beat = self._heartbeat(name).last()
            if beat and beat.at > since and beat.did.startswith(OWN_WORK[name.split("-")[0]]):
                working.add(name)
        return self._pids.keys() - working

    def check(self) -> None:
        """Restart processes that have exited, as a container manager does."""
        for name, pid in list(self._pids.items()):
            if not is_running(pid):
                self.start(name)

    def start(self, name: str) -> None:
        """Start a process of the service, named by kind and number, such as ``worker-0``."""
        path = os.pathsep.join([str(self._customised), str(Path(__file__).parents[2])])
        environment = {
            **process_environment(self.settings),
            **self._environment,
            **self._variables,
            "DETOURAGE_HEARTBEAT_DIRECTORY": str(self._home / "heartbeats" / name),
            "PYTHONPATH": path,
        }
        command = process_command(name, self._home, pool=self._pool)
        if name in self._others:
            command = [*self._others[name].command, *command]
            environment["DETOURAGE_DATABASE_URL"] = self.servers.remote_database_url
        self._starts[name] += 1
        incarnation = f"{name}.{self._starts[name]}"
        self._pids[name] = self.servers.supervisor.start(
            incarnation, command, log=self._home / f"{incarnation}.log", env=environment
        )

    def terminate(self, name: str) -> None:
        """Terminate a process with SIGTERM, and wait until it has exited."""
        signal_one(self._pids[name], signal.SIGTERM)

    def kill(self, name: str) -> None:
        """Kill a process and its descendants with SIGKILL."""
        signal_all(self._pids[name], signal.SIGKILL)

    @contextmanager
    def additional_process(self, kind: str) -> Iterator[None]:
        """Run an additional process of the given kind while the context is active."""
        name = f"{kind}-{self._counts[kind]}"
        self.start(name)
        yield
        self.terminate(name)
        del self._pids[name]

    def restart(self, **variables: str) -> None:
        """Terminate all processes, and start them again with the given environment variables."""
        for name in self._pids:
            self.terminate(name)
        self._variables = variables
        for name in list(self._pids):
            self.start(name)

    @contextmanager
    def all_killed(self, **variables: str) -> Iterator[None]:
        """Kill all processes; when the context exits, start them again with the given variables."""
        self._variables = variables
        for name in self._pids:
            self.kill(name)
        yield
        self.database.engine.dispose()
        for name in list(self._pids):
            self.start(name)

    def restarts(self) -> int:
        """Return how many times processes have been restarted."""
        return self._starts.total() - len(self._starts)

    def process(self, name: str) -> psutil.Process:
        return psutil.Process(self._pids[name])

    def processes(self) -> dict[str, list[psutil.Process]]:
        """Return the processes of the service by kind."""
        processes: dict[str, list[psutil.Process]] = {kind: [] for kind in self._counts}
        for name in self._pids:
            processes[name.split("-")[0]].append(self.process(name))
        return processes

    def kill_pool_child(self, name: str, number: int) -> bool:
        """Kill one of a worker's pool processes, chosen by `number`; return whether one exists."""
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self._pids[name]).children()
            if children:
                children[number % len(children)].kill()
                return True
        return False

    @contextmanager
    def trap(self, place: str, victim: Victim) -> Iterator[None]:
        """Kill the next process that reaches a place; wait for its death when the context exits.

        The place is one of those in `sabotage`, named after a kind of task or process.
        """
        trap = self._traps / place
        # The complete file is renamed into place, because processes may read it immediately.
        incomplete = trap.with_suffix(".incomplete")
        incomplete.write_text(victim)
        incomplete.rename(trap)
        yield
        sprung = trap.with_suffix(".sprung")
        self.wait_until(sprung.exists)
        sprung.unlink()

    def harm_clustering(self, host: str) -> None:
        """Make each process that groups a site's pages crash, until `stop_harming` is called."""
        self._harmful_sites.write_text(host)

    def stop_harming(self) -> None:
        """Undo `harm_clustering`."""
        self._harmful_sites.unlink()

    def publish_persistently(self, bodies: Iterable[bytes]) -> None:
        """Publish each message, again if necessary, until it is confirmed, as crawlers should."""
        unconfirmed = deque(bodies)

        def each_until_confirmed() -> Iterator[bytes]:
            while unconfirmed:
                yield unconfirmed[0]
                unconfirmed.popleft()

        deadline = time.monotonic() + PUBLISHED_AFTER_SECONDS
        while unconfirmed:
            try:
                self.publish(each_until_confirmed())
            except (OSError, amqp.AMQPError, amqp.exceptions.MessageNacked, ExpectedError):
                assert time.monotonic() < deadline
                time.sleep(0.2)

    def record_articles(self) -> None:
        """Consume the queued articles, and record each delivery before acknowledging it."""
        with (self._home / "history.jsonl").open("a") as record:
            for message in self.messages(self.topology.articles_queue):
                redelivered = bool(message.delivery_info["redelivered"])
                self.history.append(Delivery.of(message.body, redelivered=redelivered))
                print(json.dumps(vars(self.history[-1])), file=record)

    def latest_delivered_texts(self, urls: Iterable[str]) -> dict[str, str]:
        """Return, by URL, the text digest of the highest revision that the consumer received."""
        highest: dict[str, Delivery] = {}
        for delivery in self.history:
            previous = highest.get(delivery.url)
            if previous is None or delivery.revision > previous.revision:
                highest[delivery.url] = delivery
        return {url: highest[url].digest for url in set(urls) & highest.keys()}

    def stored_texts(self, urls: Iterable[str]) -> dict[str, str]:
        """Return, by URL, the text digest of the latest stored revision."""
        last = (
            select(StoredPage.url, Article.message["text"].astext)
            .join(Article, Article.page_id == StoredPage.id)
            .where(Article.revision == StoredPage.revision, StoredPage.url.in_(set(urls)))
        )
        with self.database.transaction() as session:
            return {url: digest_of(text) for url, text in session.execute(last)}

    def wait_for_work_done(self) -> float:
        """Wait until all pages have outcomes and the queues are empty; return the time of this."""
        while True:
            self.wait_for_outcomes()
            done_at = time.monotonic()
            are_empty = not self.servers.nonempty_queues() & self._work_queues
            # Pages that were still in a queue may have been stored since, without an outcome.
            if are_empty and self.has_outcomes():
                return done_at
            time.sleep(0.2)


def is_running(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def signal_one(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and wait until it has exited."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.send_signal(number)
        process.wait(120)


def signal_all(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and its descendants, and wait until the process has exited."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for descendant in process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                descendant.send_signal(number)
    signal_one(pid, number)


@dataclass(frozen=True)
class DeliveryReport:
    """Which of the published pages were stored and delivered to the consumer.

    `lost` contains the URLs of pages that were not stored, have no outcome, or have an article that
    was not delivered. `duplicated`, `reordered` and `repeats` are as in `Findings`. `since` is the
    time, on the monotonic clock, when all work was done.
    """

    outcomes: Counter[str]
    lost: set[str]
    duplicated: set[Revision]
    reordered: int
    repeats: int
    since: float

    @property
    def wrong(self) -> int:
        """Number of lost pages plus number of duplicated revisions."""
        return len(self.lost) + len(self.duplicated)


def compare_sent_and_received(ground: ProvingGround, urls: Iterable[str]) -> DeliveryReport:
    """Wait until all work is done, and report which of the given pages were lost or duplicated."""
    published = set(urls)
    stored_pages = select(func.count()).select_from(StoredPage)
    stored_pages = stored_pages.where(StoredPage.url.in_(published))
    ground.wait_until(lambda: ground.count(stored_pages) == len(published))
    since = ground.wait_for_work_done()
    ground.record_articles()
    with ground.database.transaction() as session:
        pages = {
            url: (outcome, revision)
            for url, outcome, revision in session.execute(
                select(StoredPage.url, StoredPage.outcome, StoredPage.revision)
            )
            if url in published
        }
        stored = {
            str(article): (url, revision)
            for article, url, revision in session.execute(
                select(Article.id, StoredPage.url, Article.revision).join(
                    StoredPage, StoredPage.id == Article.page_id
                )
            )
            if url in published
        }
    findings = check((each for each in ground.history if each.url in published), stored)
    articles = set(stored.values())
    incomplete = {
        url
        for url, (outcome, revision) in pages.items()
        if outcome is None
        or (outcome == "article" and not revision)
        or (revision and (url, revision) not in articles)
    }
    return DeliveryReport(
        outcomes=Counter(outcome or "none" for outcome, _ in pages.values()),
        lost=published - set(pages) | incomplete | {url for url, _ in findings.lost},
        duplicated=findings.duplicated,
        reordered=findings.reordered,
        repeats=findings.repeats,
        since=since,
    )
