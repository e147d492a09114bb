"""Child processes of a command, which a guardian ends even if ``kill -9`` ends the command."""

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from detourage.expected_errors import ExpectedError
from worker.processes import guardian

GRACE_SECONDS = 10.0  # time between asking a child to end and sending SIGKILL

TAIL_LINES = 20  # number of log lines in the error message of a child that died
TAIL_BYTES = 16 * 1024  # maximum size of the end of a log file that is read for error messages

SAFE_PATH = {"PYTHONSAFEPATH": "1"}  # children do not import modules from the current folder

STALL_SECONDS = 600.0
"""Time without any report from the guardian after which the guardian counts as stuck. It reports
each module that it imports, because on a busy machine all imports together may take minutes."""


class SupervisorError(ExpectedError):
    """The children cannot be supervised because the guardian has ended or does not respond."""


class ChildDied(SupervisorError):  # noqa: N818
    """A child ended unexpectedly, or could not be started, in which case it has no status."""

    def __init__(self, name: str, status: int | None, log: Path, reason: str) -> None:
        self.name = name
        self.status = status
        self.tail = tail(log)
        super().__init__(f"{name} {reason}\n{self.tail}".rstrip())


def tail(log: Path) -> str:
    """Return the last lines of a log file, or an empty string if there is none."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - TAIL_BYTES))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-TAIL_LINES:])


class Supervisor:
    """Context manager that starts child processes and leaves none running.

    Each child has its own session, so that Ctrl-C reaches only this process. At the end, children
    have ``grace`` seconds between being asked to end and SIGKILL. ``remove`` lists directories to
    remove after the last child has ended. Children started as ``python -m`` are forked from the
    guardian, which imports the modules to ``preload`` once.
    """

    def __init__(
        self,
        *,
        grace: float = GRACE_SECONDS,
        remove: Sequence[Path] = (),
        preload: Sequence[str] = (),
    ) -> None:
        self.grace = grace
        self._preload = preload
        self._remove = [str(directory) for directory in remove]
        self._logs: dict[str, Path] = {}
        self._pids: dict[str, int] = {}
        self._exited: dict[str, int] = {}
        self._importing = ""

    def __enter__(self) -> Self:
        self._connection, self._guardian = self._start_guardian()
        self._configure()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(SupervisorError):
            self._configure()
        self._connection.close()
        limit = self.grace + guardian.SWEEP_SECONDS + STALL_SECONDS
        try:
            self._guardian.wait(limit)
        except subprocess.TimeoutExpired:
            self._guardian.kill()
            self._guardian.wait()
            raise SupervisorError(f"children still running after {limit:.0f} seconds") from error

    def _start_guardian(self) -> tuple[Connection, subprocess.Popen[bytes]]:
        ours, theirs = Pipe()
        with theirs:
            return ours, subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", guardian.__name__, *self._preload],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=os.environ | SAFE_PATH,
                start_new_session=True,
            )

    def start(
        self,
        name: str,
        argv: Sequence[str | os.PathLike[str]],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        user: tuple[int, int] | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> int:
        """Start a child and return its process ID; raise `ChildDied` if it cannot be run."""
        if name in self._logs:
            raise ValueError(f"a child is already named {name}")
        environment = {**(os.environ if env is None else env), **SAFE_PATH}
        if shutil.which(argv[0], path=environment.get("PATH")) is None:
            raise ChildDied(name, None, log, f"did not start: {argv[0]} is not a program")
        self._logs[name] = log
        self._send(
            {
                "do": "start",
                "name": name,
                "argv": [os.fspath(argument) for argument in argv],
                "env": environment,
                "cwd": None if cwd is None else str(cwd),
                "log": str(log),
                "user": user,
                "stop_signal": int(stop_signal),
            }
        )
        while name not in self._pids:
            if not self._receive(STALL_SECONDS):
                when = f" while importing {self._importing}" if self._importing else ""
                raise SupervisorError(
                    f"{name} did not start: no progress for {STALL_SECONDS:g} seconds{when}; check"
                    " the load of the machine and its disk, then start again"
                )
        return self._pids[name]

    def check(self) -> None:
        """Raise `ChildDied` if a child has ended, or `SupervisorError` if the guardian has."""
        while self._receive(0):
            pass
        for name, status in self._exited.items():
            reason = f"exited with status {status}"
            if status < 0:
                reason = f"was killed by signal {-status}"
                with contextlib.suppress(ValueError):
                    reason = f"was killed by {signal.Signals(-status).name}"
            raise ChildDied(name, status, self._logs[name], reason)

    def _configure(self) -> None:
        self._send({"do": "configure", "grace": self.grace, "remove": self._remove})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._connection.send(message)
        except OSError as error:
            raise SupervisorError(f"the guardian process has ended: {error}") from error

    def _receive(self, timeout: float) -> bool:
        """Receive an event, waiting up to ``timeout``; return whether there was one."""
        try:
            if not self._connection.poll(timeout):
                return False
            event = self._connection.recv()
        except (EOFError, OSError) as error:
            raise SupervisorError("the guardian process has ended") from error
        match event:
            case {"importing": module}:
                self._importing = module
            case {"started": name, "pid": pid}:
                self._pids[name] = pid
            case {"exited": name, "status": status}:
                self._exited[name] = status
        return True


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[Callable[[], None]]:
    """Convert SIGTERM and SIGHUP into :class:`SystemExit`, so that ``finally`` blocks run.

    Yield a function to call in long-running loops. It raises the exception of the latest signal
    or Ctrl-C again, because Python drops exceptions raised in finalizers or library callbacks.
    """
    raised: list[BaseException] = []
    driver_logger = logging.getLogger("psycopg")
    level = driver_logger.level

    def raise_exception(number: int, _frame: FrameType | None) -> None:
        if not raised:
            os.write(2, b"stopping ...\n")
            # The broker's driver would warn about the queries that the exception interrupts.
            driver_logger.setLevel(logging.ERROR)
        exception = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
        raised.append(exception)
        raise exception

    def raise_pending() -> None:
        if raised:
            raise raised[-1]

    numbers = [signal.SIGTERM, signal.SIGHUP]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        numbers.append(signal.SIGINT)
    previous = {number: signal.signal(number, raise_exception) for number in numbers}
    try:
        yield raise_pending
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        driver_logger.setLevel(level)
