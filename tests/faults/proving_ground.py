"""The service with a broker and a database of its own, all of which may be killed."""

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
from types import TracebackType
from typing import Any, Literal, Self
from unittest.mock import patch

import amqp
import psutil
from sqlalchemy import create_engine, func, make_url, select, text

from models.tables import Article, StoredPage
from tests.deployment import Deployment, process_command, process_environment
from tests.faults.history import Delivery, Revision, check, digest_of
from tests.faults.network import OtherHost
from tests.faults.sabotage.sitecustomize import HARMFUL_SITES, TRAPS
from tests.services import private_node, rabbitmq_program, unused_ports, wait_for_broker
from worker.errors import ExpectedError
from worker.local.embedded import (
    SERVER_SETTINGS,
    THROWAWAY_SETTINGS,
    embedded_services,
    postgresql_programs,
)
from worker.processes.supervisor import Supervisor
from worker.service.quarantine import QuarantinedMessage, browse
from worker.settings import Settings
from worker.store.database import Database
from worker.store.migrations import migrate

SABOTAGE = Path(__file__).parent / "sabotage"
"""Directory that, on the path of a process, lets pages and traps kill it or hold it up."""

CONTROL = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
"""The program in Debian's package; the one on the path changes the user."""

LOOPBACK = "127.0.0.1"

PUBLISHED_AFTER_SECONDS = 120.0

ROOM_BYTES = 64 * 2**20
"""Free space of PostgreSQL on a small disk before it is filled."""


Victim = Literal["process", "group"]
"""Target of a trap: the process that triggers it, or its whole group, as a worker with its pool."""


class Servers:
    """A private RabbitMQ and PostgreSQL, to be killed and started again.

    Parameters
    ----------
    home
        Directory for logs.
    address
        Address on which both listen; other hosts can reach it unless it is the loopback.
    """

    def __init__(self, home: Path, *, address: str = LOOPBACK) -> None:
        self._home = home
        self._address = address
        self._broker_home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
        port, *others = unused_ports(3)
        self._node = private_node(self._broker_home, port, *others)
        self._node["RABBITMQ_NODE_IP_ADDRESS"] = address
        configuration = self._broker_home / "rabbitmq.conf"
        configuration.write_text("loopback_users = none\n")
        self.broker_url = f"amqp://guest:guest@{address}:{port}//"
        self.supervisor = Supervisor(remove=[self._broker_home])
        self.database_url = ""
        self._starts = 0
        self._broker_pid = 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.supervisor)
            listening = "" if self._address == LOOPBACK else self._address
            with (
                patch.dict(SERVER_SETTINGS, {"listen_addresses": listening}),
                # Of a server that is killed, what it confirmed must be there again.
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
                self._let_others_in()
            database = Database(self.database_url)
            stack.callback(database.dispose)
            migrate(database)
            self.start_broker()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def open_directory(self) -> Path:
        """A directory whose files every user can read."""
        return self._postgresql

    @property
    def remote_database_url(self) -> str:
        """Address of the database for another host."""
        return str(make_url(self.database_url).set(host=self._address, query={}))

    def start_broker(self) -> None:
        """Start RabbitMQ, with what it had before, and wait until it answers."""
        program = rabbitmq_program()
        assert program is not None, "RabbitMQ's program is needed: apt-get install rabbitmq-server"
        self._starts += 1
        self._broker_pid = self.supervisor.start(
            f"broker.{self._starts}",
            [program],
            log=self._home / f"broker.{self._starts}.log",
            env=self._node,
            cwd=self._broker_home,
        )
        assert wait_for_broker(self.broker_url)

    def kill_broker(self) -> None:
        """End RabbitMQ with SIGKILL."""
        signal_all(self._broker_pid, signal.SIGKILL)

    def stop_broker(self) -> None:
        """Have RabbitMQ end in good order."""
        signal_one(self._broker_pid, signal.SIGTERM)

    def _let_others_in(self) -> None:
        with (self._postgresql / "postgresql" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {self._address}/24 trust\n")
        postmaster, *_ = self.postgresql_processes()
        postmaster.send_signal(signal.SIGHUP)

    def control_broker(self, *command: str) -> str:
        """Have RabbitMQ's control program do something to this node; return what it says."""
        node = ("--node", self._node["RABBITMQ_NODENAME"])
        done = subprocess.run(
            [CONTROL, "--quiet", *node, *command],
            env=self._node,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout

    def messages_left(self) -> set[str]:
        """Return the queues that hold messages, those included that consumers hold."""
        return {name for name, messages in self.queues().items() if messages}

    def queues(self) -> dict[str, int]:
        """Return the number of messages of each queue."""
        listed = self.control_broker("list_queues", "--formatter", "json", "name", "messages")
        return {queue["name"]: queue["messages"] for queue in json.loads(listed)}

    def crash_postgresql(self) -> None:
        """Kill a server process, for which PostgreSQL cuts every connection and recovers."""
        for process in self.postgresql_processes():
            with suppress(psutil.NoSuchProcess):
                if "checkpointer" in " ".join(process.cmdline()):
                    process.kill()

    def stop_postgresql(self) -> None:
        """Stop PostgreSQL in good order, as its restart does."""
        for postmaster in self.postgresql_processes()[:1]:
            signal_one(postmaster.pid, signal.SIGINT)

    def start_postgresql(self, **variables: str) -> None:
        """Start PostgreSQL, with what it had before, and wait until it answers.

        Parameters
        ----------
        variables
            Of its environment.
        """
        self._starts += 1
        name = f"postgresql.{self._starts}"
        self.supervisor.start(
            name,
            self._postgresql_command,
            log=self._home / f"{name}.log",
            env={**os.environ, **variables},
            cwd=self._data,
            user=self._postgresql_user,
            stop_signal=signal.SIGINT,
        )
        database = Database(self.database_url)
        database.wait()
        database.dispose()

    @contextmanager
    def small_disk(self) -> Iterator["Disk"]:
        """Have PostgreSQL's data on a disk of their own, with little room, until the end."""
        self.stop_postgresql()
        kept = self._data.with_name("kept")
        self._data.rename(kept)
        self._data.mkdir(mode=0o700)
        os.chown(self._data, *self._postgresql_user)
        size = sum(file.stat().st_blocks * 512 for file in kept.rglob("*")) + ROOM_BYTES
        owner, group = self._postgresql_user
        options = f"size={size},mode=700,uid={owner},gid={group}"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self._data],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert mounted.returncode == 0, f"a disk that fills needs root to mount: {mounted.stderr}"
        try:
            subprocess.run(["cp", "--archive", f"{kept}/.", self._data], check=True)
            self.start_postgresql()
            disk = Disk(self._data / "filler", self._home / f"postgresql.{self._starts}.log")
            yield disk
            disk.free()
            self.stop_postgresql()
            shutil.rmtree(kept)
            subprocess.run(["cp", "--archive", self._data, kept], check=True)
        finally:
            self.stop_postgresql()
            subprocess.run(["umount", self._data], check=True)
            self._data.rmdir()
            kept.rename(self._data)
            self.start_postgresql()

    def dump(self) -> Path:
        """Dump the database, as an operator does."""
        file = self._home / "dump"
        self._run_program("pg_dump", "--format=custom", f"--file={file}")
        return file

    def restore(self, dump: Path) -> None:
        """Remove the database, as a disaster does, and restore a dump into an empty one."""
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
        # Without a driver, which the programs of PostgreSQL do not know.
        address = f"--dbname={make_url(self.database_url).set(drivername='postgresql')}"
        subprocess.run([postgresql_programs() / program, address, *arguments], check=True)

    @property
    def _data(self) -> Path:
        return self._postgresql / "postgresql"

    def broker_processes(self) -> list[psutil.Process]:
        """Return the processes of RabbitMQ."""
        with suppress(psutil.NoSuchProcess):
            broker = psutil.Process(self._broker_pid)
            return [broker, *broker.children(recursive=True)]
        return []

    def postgresql_processes(self) -> list[psutil.Process]:
        """Return the processes of PostgreSQL, the one that the others belong to first."""
        for process in psutil.process_iter(["cmdline"]):
            line = process.info["cmdline"] or [""]
            if line[0].endswith("/postgres") and str(self._postgresql) in " ".join(line):
                with suppress(psutil.NoSuchProcess):
                    return [process, *process.children()]
        return []


@dataclass(frozen=True)
class Disk:
    """The disk of PostgreSQL's data, filled by another program.

    Attributes
    ----------
    filler
        File that takes up all the space.
    log
        PostgreSQL's log.
    """

    filler: Path
    log: Path

    def fill(self) -> None:
        """Take up all the space until `free`."""
        with self.filler.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

    def free(self) -> None:
        """Free the space."""
        self.filler.unlink(missing_ok=True)

    def is_missed(self) -> bool:
        """Return whether PostgreSQL has run out of space."""
        return "No space left on device" in self.log.read_text(errors="replace")


class Clock:
    """A wall clock that processes use instead of the machine's; see ``clock.c``.

    Parameters
    ----------
    directory
        Directory for its files, readable by every user.
    """

    def __init__(self, directory: Path) -> None:
        self._ahead = directory / "clock"
        self._library = directory / "clock.so"
        self.set(0)
        compiler = os.environ.get("CC", "cc")
        assert shutil.which(compiler), "clocks that jump need a compiler: apt-get install gcc"
        source = Path(__file__).with_name("clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self._library, source], check=True)

    def set(self, seconds: int) -> None:
        """Set it ahead of the machine's clock, or back if negative."""
        self._ahead.touch(mode=0o644)
        with self._ahead.open("r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    @property
    def environment(self) -> dict[str, str]:
        """Environment of the processes that use it."""
        return {"LD_PRELOAD": str(self._library), "FAULTS_CLOCK": str(self._ahead)}


class ProvingGround(Deployment):
    """A deployment whose processes may be killed, stopped and started again.

    Parameters
    ----------
    servers
        Its database and broker.
    home
        Directory for logs and heartbeats.
    counts
        How many processes of each kind there are, where not one.
    others
        Other hosts, by the names of the processes that run there.
    customised
        Directory of the module ``sitecustomize`` that the processes begin with.
    environment
        Variables beside the settings.
    pool
        Number of processes in which each worker runs tasks.
    more
        Settings that differ from the tests' usual ones.
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
                    "cluster_interval_seconds": 2,
                    "comparison_patience_seconds": 15,
                    "extraction_patience_seconds": 15,
                    "heartbeat_directory": home / "heartbeats",
                    **more,
                }
            ),
            home,
        )
        self.history: list[Delivery] = []
        """All articles that the consumer took, in their order."""
        self._work_queues = {*self.topology.work_queues} - {self.topology.articles_queue}

    def __enter__(self) -> Self:
        for kind, number in self._counts.items():
            for place in range(number):
                self.start(f"{kind}-{place}")
        self.wait_until(self._all_alive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for name in self._pids:
            self.kill(name)
        self.database.dispose()

    def check(self) -> None:
        """Start again what has ended by itself, as the service's container manager does."""
        for name, pid in list(self._pids.items()):
            if not is_running(pid):
                self.start(name)

    def start(self, name: str) -> None:
        """Start a process of the service, named after its kind, such as ``worker-0``."""
        path = os.pathsep.join([str(self._customised), str(Path(__file__).parents[2])])
        environment = {
            **process_environment(self.settings),
            **self._environment,
            **self._variables,
            "PYTHONPATH": path,
        }
        command = process_command(name, self._home, pool=self._pool)
        if name in self._others:
            command = [*self._others[name].command, *command]
            environment["DETOURAGE_DATABASE_URL"] = self.servers.remote_database_url
        self._starts[name] += 1
        incarnation = f"{name}.{self._starts[name]}"
        self._pids[name] = self.servers.supervisor.start(
            incarnation,
            command,
            log=self._home / f"{incarnation}.log",
            env=environment,
        )

    def terminate(self, name: str) -> None:
        """Ask a process to end, and wait until it has."""
        signal_one(self._pids[name], signal.SIGTERM)

    def kill(self, name: str) -> None:
        """End a process and all below it with SIGKILL."""
        signal_all(self._pids[name], signal.SIGKILL)

    @contextmanager
    def another(self, kind: str) -> Iterator[None]:
        """Have one more process of a kind until the end."""
        name = f"{kind}-{self._counts[kind]}"
        self.start(name)
        yield
        self.terminate(name)
        del self._pids[name]

    def restart(self, **variables: str) -> None:
        """End all processes in good order and start them again.

        Parameters
        ----------
        variables
            Of their environment from now on, beside the usual ones.
        """
        for name in self._pids:
            self.terminate(name)
        self._variables = variables
        for name in list(self._pids):
            self.start(name)

    @contextmanager
    def away(self, **variables: str) -> Iterator[None]:
        """Kill all processes, and start them again at the end.

        Parameters
        ----------
        variables
            Of their environment from now on, beside the usual ones.
        """
        self._variables = variables
        for name in self._pids:
            self.kill(name)
        yield
        self.database.engine.dispose()
        for name in list(self._pids):
            self.start(name)

    def process(self, name: str) -> psutil.Process:
        """Return a process of the service."""
        return psutil.Process(self._pids[name])

    def processes(self) -> dict[str, list[psutil.Process]]:
        """Return the processes of the service by kind."""
        found: dict[str, list[psutil.Process]] = {kind: [] for kind in self._counts}
        for name in self._pids:
            found[name.split("-")[0]].append(self.process(name))
        return found

    def kill_pool_child(self, name: str, place: int) -> bool:
        """End one of the processes in which a worker runs tasks; tell whether there was one."""
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self._pids[name]).children()
            if children:
                children[place % len(children)].kill()
                return True
        return False

    @contextmanager
    def trap(self, place: str, victim: Victim) -> Iterator[None]:
        """Kill the next process that comes by a place, and wait at the end until that was.

        Parameters
        ----------
        place
            Kind of task or process, see `sabotage`.
        victim
            Who dies.
        """
        trap = self._traps / place
        unset = trap.with_suffix(".unset")
        unset.write_text(victim)
        unset.rename(trap)
        yield
        sprung = trap.with_suffix(".sprung")
        self.wait_until(sprung.exists)
        sprung.unlink()

    def harm_clustering(self, host: str) -> None:
        """Have every process that groups the pages of a site crash, until it is forgiven."""
        self._harmful_sites.write_text(host)

    def forgive(self) -> None:
        """Let no site's clustering harm its process any more."""
        self._harmful_sites.unlink()

    def publish_persistently(self, bodies: Iterable[bytes]) -> None:
        """Publish each message until the broker confirms it, as a careful crawler does."""
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
        """Take the articles that wait, as a consumer does, and record each before its receipt."""
        with (self._home / "history.jsonl").open("a") as record:
            for message in self.messages(self.topology.articles_queue):
                redelivered = bool(message.delivery_info["redelivered"])
                self.history.append(Delivery.of(message.body, redelivered=redelivered))
                print(json.dumps(vars(self.history[-1])), file=record)

    def standing(self, urls: Iterable[str]) -> dict[str, str]:
        """Return the digest of the text that stands for the consumer, by page."""
        wanted = set(urls)
        standing: dict[str, Delivery] = {}
        for each in self.history:
            known = standing.get(each.url)
            if each.url in wanted and (known is None or each.revision > known.revision):
                standing[each.url] = each
        return {url: each.digest for url, each in standing.items()}

    def stored_texts(self, urls: Iterable[str]) -> dict[str, str]:
        """Return the digest of the text of the last article that is stored, by page."""
        last = (
            select(StoredPage.url, Article.message["text"].astext)
            .join(Article, Article.page_id == StoredPage.id)
            .where(Article.revision == StoredPage.revision, StoredPage.url.in_(set(urls)))
        )
        with self.database.transaction() as session:
            return {url: digest_of(text) for url, text in session.execute(last)}

    def wait_for_work_done(self) -> float:
        """Wait until every page has its outcome and no queue holds work; return since when."""
        while True:
            self.wait_for_outcomes()
            since = time.monotonic()
            if not self.servers.messages_left() & self._work_queues:
                return since
            time.sleep(0.2)

    def quarantined(self) -> list[QuarantinedMessage]:
        """Return what is in all quarantines."""
        return [
            message
            for stage in self.topology.quarantines
            for message in browse(self.settings, stage)
        ]


def is_running(pid: int) -> bool:
    """Return whether a process is still running."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def signal_one(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and wait until it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.send_signal(number)
        process.wait(120)


def signal_all(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and all below it, and wait until it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for below in process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                below.send_signal(number)
    signal_one(pid, number)


@dataclass(frozen=True)
class Balance:
    """Final state of the pages of a site.

    Attributes
    ----------
    outcomes
        Number of pages by outcome.
    lost
        Published addresses without a page, an outcome, or the article of one of their revisions.
    doubled, reordered, repeats
        See `Findings`.
    since
        Time of the last outcome, by the monotonic clock.
    """

    outcomes: Counter[str]
    lost: set[str]
    doubled: set[Revision]
    reordered: int
    repeats: int
    since: float


def balance(ground: ProvingGround, urls: Iterable[str]) -> Balance:
    """Wait until all work is done, and check the history of what came out of the queue.

    Parameters
    ----------
    ground
        Where.
    urls
        The pages.
    """
    published = set(urls)
    known = select(func.count()).select_from(StoredPage).where(StoredPage.url.in_(published))
    ground.wait_until(lambda: ground.count(known) == len(published))
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
    found = check((each for each in ground.history if each.url in published), stored)
    articles = set(stored.values())
    without = {
        url
        for url, (outcome, last) in pages.items()
        if outcome is None
        or (outcome == "article" and not last)
        or (last and (url, last) not in articles)
    }
    return Balance(
        outcomes=Counter(outcome or "none" for outcome, _ in pages.values()),
        lost=published - set(pages) | without | {url for url, _ in found.lost},
        doubled=found.doubled,
        reordered=found.reordered,
        repeats=found.repeats,
        since=since,
    )
