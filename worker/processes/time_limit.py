"""Limits of time for work: of the processor's in a main thread, of the clock's in any thread."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0
"""Time after which the limit is raised again in work that ignored it."""


class TimeIsUpError(BaseException):
    """A piece of work has used up its time; no ``except Exception`` of the work may keep it."""


@contextmanager
def time_limit(
    seconds: float,
    *,
    error: type[BaseException] = TimeIsUpError,
    again_seconds: float = AGAIN_SECONDS,
    kill_seconds: float = 0,
) -> Iterator[None]:
    """Raise in what is done within once it has taken so much of the processor.

    Native code hears of it when it returns. Time that other processes take does not count, so
    that a busy machine fails no work.

    Parameters
    ----------
    seconds
        Processor time of the process.
    error
        What is raised.
    again_seconds
        Processor time after which it is raised again; 0 for never.
    kill_seconds
        Processor time after which the system ends the process, even in native code; 0 for never.

    Raises
    ------
    TimeIsUpError
        Or another error where one is given, where the work does not end in time.
    """

    def is_up(_number: int, _frame: FrameType | None) -> None:
        raise error

    former = signal.signal(signal.SIGPROF, is_up)
    if kill_seconds:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, kill_seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds, again_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGPROF, former)


@contextmanager
def thread_time_limit(seconds: float) -> Iterator[None]:
    """Raise in what is done within, in any thread, once it has taken so long.

    Native code hears of it when it returns. What is done within must hold no lock and no
    connection: it may be left anywhere.

    Raises
    ------
    TimeIsUpError
        Where the work does not end in time.
    """
    worker, ended, telling = threading.get_ident(), threading.Event(), threading.Lock()

    def watch() -> None:
        delay = seconds
        while not ended.wait(delay):
            with telling:
                if not ended.is_set():
                    _raise_in_thread(worker, TimeIsUpError)
            delay = AGAIN_SECONDS

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with telling:
            ended.set()
            # An exception that is still pending must not interrupt later work.
            _raise_in_thread(worker, None)


def _raise_in_thread(thread: int, error: type[BaseException] | None) -> None:
    told = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), told)
