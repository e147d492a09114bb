"""The embedded PostgreSQL, which stops when the process that started it ends."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import create_engine, text

from tests.waiting import wait_until
from worker.local.embedded import Services, embedded_services, postgresql_programs
from worker.processes.supervisor import ChildDied

OWNER_PROGRAM = """
import sys, time
from pathlib import Path
from worker.local.embedded import embedded_services
from worker.processes.supervisor import signals_as_exceptions

directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
with signals_as_exceptions(), embedded_services(directory) as services:
    print(services.directory, services.database_url, flush=True)
    time.sleep(1000)
"""


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement, and return the rows that it selects."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            return [tuple(row) for row in result] if result.returns_rows else []
    finally:
        engine.dispose()


def postmaster_pid(services: Services) -> int:
    pid_file = services.directory / "postgresql" / "postmaster.pid"
    return int(pid_file.read_text().splitlines()[0])


def servers_in(directory: Path) -> list[psutil.Process]:
    """Return the PostgreSQL processes whose data is in a directory."""
    servers = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name() == "postgres" and process.cwd().startswith(str(directory)):
                servers.append(process)
    return servers


@contextlib.contextmanager
def running_owner(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Path, str]]:
    """Run `OWNER_PROGRAM`; yield the process, the server's directory and the database URL."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER_PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().split()
        assert line, process.communicate()
        yield process, Path(line[0]), line[1]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with embedded_services() as running:
        yield running


@pytest.fixture
def shared_directory() -> Iterator[Path]:
    # The server does not run as root, and pytest's own temporary directories are accessible only to
    # the user who runs pytest.
    with tempfile.TemporaryDirectory(prefix="detourage-test-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory) / "state"


def test_the_embedded_database_has_the_features_that_the_service_needs(services: Services) -> None:
    assert query(services.database_url, "SELECT current_database(), 'é' < 'z'") == [
        ("detourage", False)
    ]
    services.check()
    # Only the user who started the server can reach it.
    assert query(services.database_url, "SHOW listen_addresses") == [("",)]
    assert (services.directory / "socket").stat().st_mode & 0o077 == 0
    assert psutil.Process(postmaster_pid(services)).net_connections("inet") == []


def test_the_death_of_the_server_is_reported() -> None:
    with embedded_services() as services:
        directory = services.directory
        os.kill(postmaster_pid(services), signal.SIGKILL)
        with pytest.raises(ChildDied, match="postgresql was killed by SIGKILL"):
            wait_until(services.check)
    assert not servers_in(directory)
    assert not directory.exists()


def test_data_in_a_chosen_directory_survives_a_kill(shared_directory: Path) -> None:
    with running_owner(str(shared_directory)) as (process, runtime, url):
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        process.kill()
        process.communicate()
        # This run starts while the guardian of the killed run is still cleaning up.
        with embedded_services(shared_directory) as services:
            assert query(services.database_url, "SELECT answer FROM kept") == [(42,)]
        assert not servers_in(shared_directory)
        wait_until(lambda: not runtime.exists())


def test_a_stale_server_is_stopped_first(shared_directory: Path) -> None:
    with embedded_services(shared_directory) as services:
        query(services.database_url, "CREATE TABLE kept AS SELECT 42 AS answer")
    data = shared_directory / "postgresql"
    user = data.owner() if os.geteuid() == 0 else None
    stale = subprocess.Popen(
        [postgresql_programs() / "postgres", "-D", data, "-h", "", "-k", data],
        user=user,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    pid_file = data / "postmaster.pid"
    wait_until(lambda: pid_file.exists() and "ready" in pid_file.read_text())
    with embedded_services(shared_directory) as services:
        assert stale.wait() == 0
        assert query(services.database_url, "SELECT answer FROM kept") == [(42,)]


def test_a_process_with_the_pid_of_a_stale_server_is_not_killed(shared_directory: Path) -> None:
    with embedded_services(shared_directory):
        pass
    pid_file = shared_directory / "postgresql" / "postmaster.pid"
    with subprocess.Popen(["sleep", "1000"]) as bystander:
        pid_file.write_text(f"{bystander.pid}\n{pid_file.parent}\n1\n5432\n\n\n\nready\n")
        with embedded_services(shared_directory) as services:
            assert query(services.database_url, "SELECT 1") == [(1,)]
        assert bystander.poll() is None
        bystander.kill()


def test_the_permissions_of_an_inaccessible_installation_are_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = postgresql_programs()
    package = installed.parent.parent
    inaccessible = tmp_path / "closed"
    inaccessible.mkdir(mode=0o700)
    for part in package.parent.glob(f"{package.name}*"):
        shutil.copytree(part, inaccessible / part.name, symlinks=True)
    programs = inaccessible / installed.relative_to(package.parent)
    monkeypatch.setattr("worker.local.embedded.postgresql_programs", lambda: programs)
    with embedded_services() as services:
        assert query(services.database_url, "SELECT 1") == [(1,)]
    assert inaccessible.stat().st_mode & 0o777 == 0o700
