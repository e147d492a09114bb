"""The process that owns all child processes of a command, and outlives the command.

:class:`worker.processes.supervisor.Supervisor` runs it as a script, in its own session. It uses
only the standard library, so that it starts within a few milliseconds. With modules to preload, it
runs as a module instead, imports them once, and forks each child that runs a Python module
(``python -m``).

The guardian is the parent of all children and, on Linux, their *subreaper*: any process that a
child leaves behind, even in another session, becomes a child of the guardian. ``waitpid`` therefore
reports when nothing is left running. The guardian stops at the end of standard input, which is
closed no matter how the command ends, or on SIGTERM.

The protocol is JSON lines. Each line on standard input is a request: ``{"do": "configure", "grace":
seconds, "remove": [directory, …]}`` or ``{"do": "start", …}`` with the arguments of :class:`Child`.
Each line on standard output is an event: ``{"event": "importing", "module"}`` before each preloaded
module, ``{"event": "started", "name", "pid"}``, ``{"event": "failed", "name", "error"}`` if the
program cannot be run, or ``{"event": "exited", "name", "status"}`` with the status as in
:attr:`subprocess.Popen.returncode`.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

POLL_SECONDS = 0.02
"""Polling interval while processes are ending."""

HANDLED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that wake the guardian; its children handle them by default."""

SWEEP_SECONDS = 60.0
"""Time limit for the final sweep; only a process stuck in the kernel survives SIGKILL that long."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class Child:
    """A child process in its own session.

    `env` is its entire environment, and its output is appended to the file `log`. `user` is a pair
    of user and group ID. On Linux, the child also gets the `stop_signal` if the guardian dies.
    """

    def __init__(
        self,
        *,
        name: str,
        argv: list[str],
        env: dict[str, str],
        cwd: str | None,
        log: str,
        user: list[int] | None,
        stop_signal: int,
        is_forked: bool,
    ) -> None:
        self.name = name
        self.stop_signal = stop_signal
        self.status: int | None = None
        """Exit status, as in :attr:`subprocess.Popen.returncode`; None until reaped."""
        self._process: subprocess.Popen[bytes] | None = None
        guardian = os.getpid()

        def die_with_guardian() -> None:
            for number in HANDLED:
                signal.signal(number, signal.SIG_DFL)
            _prctl(PR_SET_PDEATHSIG, stop_signal)
            if os.getppid() != guardian:
                os._exit(1)

        with Path(log).open("ab") as output:
            if is_forked:
                self.pid = os.fork()
                if self.pid == 0:
                    try:
                        die_with_guardian()
                        _become_child(env, cwd, output.fileno(), user)
                    except BaseException:  # noqa: BLE001 - a second guardian must never run
                        traceback.print_exc()
                        os._exit(1)
                    raise ForkedChild(argv[2:])
                return
            uid, gid = user or (None, None)
            # The guardian is single-threaded, so no lock can be held when the preexec function
            # runs.
            self._process = subprocess.Popen(  # noqa: S603
                argv,
                env=env,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=uid,
                group=gid,
                extra_groups=None if user is None else [],
                preexec_fn=die_with_guardian,
            )
            self.pid = self._process.pid

    def note_status(self, status: int) -> None:
        """Record the exit status of the reaped process."""
        self.status = status
        if self._process is not None:
            self._process.returncode = status


class ForkedChild(BaseException):
    """Raised in a forked child to leave the guardian's code and run a module with arguments."""


def _become_child(
    env: dict[str, str], cwd: str | None, output: int, user: list[int] | None
) -> None:
    """Give this process, just forked, the state of a new one."""
    signal.set_wakeup_fd(-1)
    os.setsid()
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if user is not None:
        uid, gid = user
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if cwd is not None:
        os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)


class Guardian:
    """Guardian that starts children, reports their exits, and terminates all of them."""

    def __init__(self, *, is_preloaded: bool) -> None:
        self.is_preloaded = is_preloaded
        self.grace = 0.0
        self.remove: list[str] = []
        self.children: dict[int, Child] = {}
        self.alone = False

    def configure(self, *, grace: float, remove: list[str]) -> None:
        """Set the grace period and the directories to remove at the end."""
        self.grace = grace
        self.remove = remove

    def start(self, **description: Any) -> None:
        """Start a child and report the result."""
        try:
            is_module = description["argv"][:2] == [sys.executable, "-m"]
            child = Child(**description, is_forked=self.is_preloaded and is_module)
        except (OSError, subprocess.SubprocessError) as error:
            emit(event="failed", name=description["name"], error=str(error))
            return
        self.children[child.pid] = child
        self.alone = False
        emit(event="started", name=child.name, pid=child.pid)

    def reap(self) -> None:
        """Reap every process that has ended, both children and adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.alone = True
                return
            if pid == 0:
                return
            child = self.children.get(pid)
            if child is not None:
                child.note_status(os.waitstatus_to_exitcode(status))
                emit(event="exited", name=child.name, status=child.status)

    def stop(self) -> None:
        """Ask all processes to end, and kill any that remain after the grace period."""
        for child in self._running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, child.stop_signal)
        deadline = time.monotonic() + self.grace
        while any(self._running()) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            self.reap()
        deadline = time.monotonic() + SWEEP_SECONDS
        self.reap()
        while not self.alone and time.monotonic() < deadline:
            for child in self._running():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            for pid in descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(POLL_SECONDS)
            self.reap()
        for directory in self.remove:
            shutil.rmtree(directory, ignore_errors=True)

    def _running(self) -> Iterator[Child]:
        return (child for child in self.children.values() if child.status is None)


def descendants(ancestor: int) -> list[int]:
    """Return the IDs of all descendants of a process, or none if there is no ``/proc``."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The second field, the command in parentheses, may itself contain spaces and
            # parentheses.
            parent = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def emit(**event: object) -> None:
    """Report an event. A missing reader is ignored, as the children still need the guardian."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(event).encode() + b"\n")


def requests(wakeup: int) -> Iterator[dict[str, Any] | None]:
    """Yield each request, and None after signals, until standard input ends or SIGTERM arrives."""
    source = sys.stdin.fileno()
    buffered = b""
    while True:
        ready, _, _ = select.select([source, wakeup], [], [])
        if wakeup in ready:
            if signal.SIGTERM in os.read(wakeup, 4096):
                return
            yield None
        if source in ready:
            try:
                chunk = os.read(source, 65536)
            except OSError:
                return
            if not chunk:
                return
            *lines, buffered = (buffered + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)


def import_modules(
    names: Sequence[str], report: Callable[[str], object] = lambda _name: None
) -> None:
    """Import modules for the children to share; `report` is called before each."""
    # Not imported above, because the guardian, if run as a script, has only the standard library.
    importlib.import_module("worker.processes.threads").start_no_idle_threads()
    for name in names:
        report(name)
        importlib.import_module(name)
    # A garbage collection in a child would copy the memory that it shares with this process.
    gc.freeze()


def main(*, is_preloaded: bool) -> list[str]:
    """Serve requests, then terminate all processes; in a forked child, return module and arguments.

    The guardian itself returns an empty list.
    """
    wakeup, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written)
    # Handled rather than ignored: children would inherit an ignored signal.
    for number in HANDLED:
        signal.signal(number, lambda *_: None)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    guardian = Guardian(is_preloaded=is_preloaded)
    serve = {"configure": guardian.configure, "start": guardian.start}
    try:
        for request in requests(wakeup):
            if request is None:
                guardian.reap()
            else:
                serve[request.pop("do")](**request)
    except ForkedChild as child:
        os.close(wakeup)
        os.close(written)
        return list(child.args[0])
    except BaseException:
        guardian.stop()
        raise
    guardian.stop()
    return []


def run(*, is_preloaded: bool) -> None:
    """Run the guardian and, in a forked child, the child's module."""
    if arguments := main(is_preloaded=is_preloaded):
        sys.argv = arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        import_modules(sys.argv[1:], lambda name: emit(event="importing", module=name))
    run(is_preloaded=bool(sys.argv[1:]))
