"""Supervisors that start processes of the service without importing its modules each time.

A test that starts the service would otherwise spend most of its time on imports. One fork server
per test run imports the modules. It forks a guardian for each supervisor, and the guardian forks
the children, as in `detourage run`. Intake and relay log summaries every fifth of a second.
"""

import atexit
import functools
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from worker.local.run import PRELOAD
from worker.processes import guardian
from worker.processes.supervisor import Supervisor
from worker.service import process_log


class PreloadedSupervisor(Supervisor):
    """A supervisor whose guardian comes from the fork server and has imported the service."""

    def wait_for(self, name: str) -> int:
        """Wait until a child ends, and return its exit status."""
        while name not in self._exited:
            self._receive(1)
        return self._exited[name]

    def _start_guardian(self) -> tuple[Connection, "_Guardian"]:  # type: ignore[override]
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(_fork_server_socket()))
        connection = Connection(client.detach())
        return connection, _Guardian(connection.recv())


class _Guardian(psutil.Process):
    """A process that raises the exceptions of `subprocess.Popen`, as the supervisor expects."""

    def wait(self, timeout: float | None = None) -> int:
        try:
            return super().wait(timeout)
        except psutil.TimeoutExpired as error:
            raise subprocess.TimeoutExpired(guardian.__name__, timeout or 0) from error


@functools.cache
def _fork_server_socket() -> Path:
    """Start the fork server, which ends with this process; return the path of its socket."""
    path = Path(tempfile.mkdtemp(prefix="detourage-preloaded-")) / "socket"
    command = [sys.executable, "-m", "tests.preloaded", str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(shutil.rmtree, path.parent)
    atexit.register(process.kill)
    assert process.stdout is not None
    process.stdout.readline()
    return path


def main(path: Path) -> None:
    """Run the fork server: fork a guardian for each connection, until standard input ends."""
    guardian.import_modules([*PRELOAD, "celery.apps.beat", "celery.beat", "stories.service"])
    process_log.PERIOD_SECONDS = 0.2
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    os.write(1, b"\n")
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            break
        connection.close()
    listener.close()
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    supervisor = Connection(connection.detach())
    supervisor.send(os.getpid())
    guardian.run(supervisor, is_preloaded=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
