"""Time limits: CPU time in the main thread, wall-clock time in any thread."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0
"""Time after which the exception is raised again if the code has ignored it."""


class TimeIsUpError(BaseException):
    """Raised in code that has used up its time; ``except Exception`` does not catch it."""


@contextmanager
def time_limit(
    seconds: float,
    *,
    error: type[BaseException] = TimeIsUpError,
    again_seconds: float = AGAIN_SECONDS,
    kill_seconds: float = 0,
) -> Iterator[None]:
    """Raise `error` in the body of the ``with`` statement once it has used up its CPU time.

    Native code is interrupted only when it returns. `error` is raised again every `again_seconds`
    of CPU time; after `kill_seconds` in user mode, the system kills the process, even in native
    code. For both, 0 means never.
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
    """Raise `TimeIsUpError` in the body of the ``with`` statement after a time, in any thread.

    Native code is interrupted only when it returns. The body must hold no locks or connections, as
    it may be interrupted anywhere.
    """
    worker, ended, raising = threading.current_thread(), threading.Event(), threading.Lock()
    ident = threading.get_ident()

    def watch() -> None:
        delay = seconds
        while not ended.wait(delay):
            with raising:
                # Another thread may have been given the ident of one that has ended.
                if ended.is_set() or not worker.is_alive():
                    return
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(ident), ctypes.py_object(TimeIsUpError)
                )
            delay = AGAIN_SECONDS

    def end() -> None:
        with raising:
            ended.set()
        # An exception that is still pending must not interrupt later work: rounds of a loop are
        # where the interpreter raises it. If it were cancelled instead, the interpreter would look
        # for it at every call and round from then on.
        for _ in range(2):
            pass

    try:
        threading.Thread(target=watch, daemon=True).start()
        yield
    finally:
        try:
            end()
        except TimeIsUpError:
            # The exception was raised here rather than in the body. Unless the watch ends, it
            # would be raised again.
            end()
            raise
