"""Execution of a method in a separate process, which may crash and can be stopped."""

import logging
import os
import signal
import time
import warnings
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.evaluation.methods.outcome import Failure, Job, Outcome
from benchmarks.evaluation.methods.peers.bridge import running_programs
from benchmarks.evaluation.methods.usage import cpu_seconds, peak_memory
from detourage.html import PageError
from detourage.papers.interface import Extracted, Extractor, UnavailableError
from detourage.reader import NoArticleError

_FORKSERVER = get_context("forkserver")
"""Multiprocessing context whose fork server has imported only this module. As a result, the
measured memory is the method's own, no thread is lost in the fork, and processes start in
milliseconds."""
_FORKSERVER.set_forkserver_preload([__name__])


class ExtractorProcess:
    """A process that prepares a method and then extracts one page at a time.

    `connection` becomes readable when the process has responded or died. `job` is the number of the
    current page, and `deadline` its time limit on the monotonic clock.
    """

    def __init__(self, extractor: Extractor, start_seconds: float) -> None:
        self.connection, child_connection = _FORKSERVER.Pipe()
        self.job: int | None = None
        self.deadline = time.monotonic() + start_seconds
        self._process = _FORKSERVER.Process(
            target=serve, args=(child_connection, extractor), daemon=True
        )
        self._process.start()
        child_connection.close()

    def send(self, number: int, job: Job, seconds: float) -> None:
        """Send a page to the process."""
        self.job = number
        self.deadline = time.monotonic() + seconds
        # If the process has died, this is noticed when its response is read.
        with suppress(BrokenPipeError):
            self.connection.send(job)

    def receive(self) -> Outcome | None:
        """Return the response of the process: an outcome, or None when preparation is complete.

        Raise UnavailableError if the method cannot run here, and EOFError if the process died.
        """
        try:
            message = self.connection.recv()
        except OSError as error:
            raise EOFError from error
        if isinstance(message, UnavailableError):
            raise message
        self.job = None
        self.deadline = float("inf")
        return message if isinstance(message, Outcome) else None

    def describe_end(self) -> str:
        """Describe how the process ended."""
        self._process.join()
        code = self._process.exitcode or 0
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def kill(self) -> None:
        """Stop the process and all programs that it started."""
        pid = self._process.pid
        if pid is not None and self._process.exitcode is None and hasattr(os, "killpg"):
            # The process group has the ID of the process and exists once the process is running;
            # before that, there are no programs to stop. After the process has ended, its ID may be
            # reused; its programs then exit at the end of their input.
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


def serve(connection: Connection, extractor: Extractor) -> None:
    """Prepare the method, then respond to pages with outcomes until the connection closes."""
    _isolate()
    try:
        extractor.prepare()
    except UnavailableError as error:
        connection.send(error)
        return
    except Exception as error:  # noqa: BLE001 - a method that cannot start is a result
        connection.send(UnavailableError(f"{extractor.name}: {type(error).__name__}: {error}"))
        return
    connection.send("ready")
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_extract(extractor, job))


def _isolate() -> None:
    """Leave the parent's process group and discard all output, because libraries print freely."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


def _extract(extractor: Extractor, job: Job) -> Outcome:
    """Extract a page; an exception becomes a failure, and CPU time and memory are measured."""
    programs = running_programs()
    seconds_before = cpu_seconds(programs)
    result: Extracted | Failure
    try:
        result = extractor.extract(job.source, job.neighbours)
    except (NoArticleError, PageError) as error:
        result = Failure("refused", error.outcome)
    except Exception as error:  # noqa: BLE001 - a method that fails is a result
        result = Failure("error", f"{type(error).__name__}: {error}"[:500])
    programs = running_programs()
    seconds_used = cpu_seconds(programs) - seconds_before
    return Outcome(result, max(seconds_used, 0.0), peak_memory(programs))
