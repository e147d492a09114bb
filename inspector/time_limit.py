"""Time limits in any thread."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from detourage.time_limit import AGAIN_SECONDS, TimeIsUpError


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
