"""The process that owns all child processes of a command, and outlives the command.

:class:`worker.processes.supervisor.Supervisor` runs it in its own session, and names modules that
it imports once for all children that run Python modules (``python -m``). All children are forked.

The guardian is the parent of all children and, on Linux, their *subreaper*: any process that a
child leaves behind, even in another session, becomes a child of the guardian. ``waitpid`` therefore
reports when nothing is left running. The guardian stops at the end of standard input, which is
closed no matter how the command ends, or on SIGTERM.

Standard input is a socket with pickled dictionaries. A request is ``{"do": "configure", "grace":
seconds, "remove": [directory, …]}`` or ``{"do": "start", …}`` with the arguments of
`Guardian.start`. An event is ``{"importing": module}`` before each module, ``{"started":
name, "pid"}``, or ``{"exited": name, "status"}`` with the status as in
:attr:`subprocess.Popen.returncode`.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import runpy
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import psutil

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
"""Options of prctl(2): the signal for a process whose parent ends, and adoption of orphans."""
POLL_SECONDS = 0.02  # interval at which the guardian checks whether its children have ended

HANDLED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that wake the guardian; in its children, they have their default effects."""

SWEEP_SECONDS = 60.0
"""Time limit for killing all remaining processes; only one stuck in the kernel survives so long."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class Child(NamedTuple):
    """A running child, in its own session."""

    name: str
    stop_signal: int


class ForkedChild(BaseException):
    """Raised in a forked child to leave the guardian's code and run a module with arguments."""


class Guardian:
    """Guardian that starts children, reports their exits, and terminates all of them."""

    def __init__(self, connection: Connection, *, is_preloaded: bool) -> None:
        self._connection = connection
        self.is_preloaded = is_preloaded
        self.grace = 0.0
        self.remove: list[str] = []
        self.children: dict[int, Child] = {}
        self.has_no_children = False

    def configure(self, *, grace: float, remove: list[str]) -> None:
        """Set the grace period and the directories to remove at the end."""
        self.grace = grace
        self.remove = remove

    def start(
        self,
        *,
        name: str,
        argv: list[str],
        env: dict[str, str],
        cwd: str | None,
        log: str,
        user: list[int] | None,
        stop_signal: int,
    ) -> None:
        """Start a child, which on Linux ends if the guardian dies, and report its process ID."""
        guardian = os.getpid()
        with Path(log).open("ab") as output:
            # A signal to the child is delivered only once the child has replaced the handlers.
            signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
            pid = os.fork()
            if pid == 0:
                try:
                    _become_child(env, cwd, output.fileno(), user)
                    # Set after the change of user, which would clear this signal.
                    _prctl(PR_SET_PDEATHSIG, stop_signal)
                    if os.getppid() != guardian:
                        os._exit(1)
                    if not self.is_preloaded or argv[:2] != [sys.executable, "-m"]:
                        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                        os.execvpe(argv[0], argv, env)  # noqa: S606 - the supervisor's programs
                except BaseException:  # noqa: BLE001 - a second guardian must never run
                    traceback.print_exc()
                    os._exit(1)
                raise ForkedChild(argv[2:])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        self.children[pid] = Child(name, stop_signal)
        self.has_no_children = False
        self._emit(started=name, pid=pid)

    def reap(self) -> None:
        """Reap every process that has ended, both children and adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.has_no_children = True
                return
            if pid == 0:
                return
            if child := self.children.pop(pid, None):
                self._emit(exited=child.name, status=os.waitstatus_to_exitcode(status))

    def _emit(self, **event: object) -> None:
        # If the command has ended, no one receives the event, but the children must still be ended.
        with contextlib.suppress(OSError):
            self._connection.send(event)

    def stop(self) -> None:
        """Ask all processes to end, and kill any that remain after the grace period."""
        for pid, child in self.children.items():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, child.stop_signal)
        deadline = time.monotonic() + self.grace
        while self.children and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            self.reap()
        deadline = time.monotonic() + SWEEP_SECONDS
        self.reap()
        while not self.has_no_children and time.monotonic() < deadline:
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    process.kill()
            time.sleep(POLL_SECONDS)
            self.reap()
        for directory in self.remove:
            shutil.rmtree(directory, ignore_errors=True)


def _become_child(
    env: dict[str, str], cwd: str | None, output: int, user: list[int] | None
) -> None:
    """Set up a forked process: signals, session, standard streams, directory, user, environment."""
    signal.set_wakeup_fd(-1)
    for number in HANDLED:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
    os.setsid()
    with Path(os.devnull).open("rb") as devnull:
        os.dup2(devnull.fileno(), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if cwd is not None:
        # The user need not have access to the parents of the directory.
        os.chdir(cwd)
    if user is not None:
        uid, gid = user
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    os.environ.clear()
    os.environ.update(env)


def requests(connection: Connection, wakeup_fd: int) -> Iterator[dict[str, Any] | None]:
    """Yield requests, or None after other signals, until the connection ends or SIGTERM arrives."""
    while True:
        ready = wait([connection, wakeup_fd])
        if wakeup_fd in ready:
            if signal.SIGTERM in os.read(wakeup_fd, 4096):
                return
            yield None
        if connection in ready:
            try:
                yield connection.recv()
            except (EOFError, OSError):
                return


def import_modules(
    names: Sequence[str], report: Callable[[str], object] = lambda _name: None
) -> None:
    """Import modules for the children to share; `report` is called before each."""
    # Otherwise, NumPy starts a thread per core, each of which busy-waits for work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in names:
        report(name)
        importlib.import_module(name)
    # A garbage collection in a child would copy the memory that it shares with this process.
    gc.freeze()


def run(connection: Connection, *, is_preloaded: bool) -> None:
    """Serve requests, then end all child processes; in a forked child, run the child's module."""
    wakeup_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    signal.set_wakeup_fd(write_fd)
    # Handled rather than ignored: children would inherit an ignored signal.
    for number in HANDLED:
        signal.signal(number, lambda *_: None)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    guardian = Guardian(connection, is_preloaded=is_preloaded)
    try:
        for request in requests(connection, wakeup_fd):
            if request is None:
                guardian.reap()
            else:
                getattr(guardian, request.pop("do"))(**request)
    except ForkedChild as child:
        os.close(wakeup_fd)
        os.close(write_fd)
        connection.close()
        sys.argv = list(child.args[0])
    except BaseException:
        guardian.stop()
        raise
    else:
        guardian.stop()
        return
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    supervisor = Connection(os.dup(0))
    modules = sys.argv[1:]
    # If the command has ended meanwhile, only its directories remain to be removed.
    with contextlib.suppress(ConnectionError):
        import_modules(modules, lambda name: supervisor.send({"importing": name}))
    run(supervisor, is_preloaded=bool(modules))
