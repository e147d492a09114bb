"""Time limits in any thread."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from detourage.time_limit import AGAIN_SECONDS, TimeIsUpError


@contextmanager
def thread_time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUpError` in the ``with`` block when time is up; works in any thread.

    Native code is interrupted only when it returns. The body must hold no locks or connections, as
    it may be interrupted anywhere.
    """
    limited_thread = threading.current_thread()
    thread_id = threading.get_ident()
    has_ended, raise_lock = threading.Event(), threading.Lock()

    def watch() -> None:
        """Raise the exception in the limited thread when time is up, repeatedly until it ends."""
        delay = seconds
        while not has_ended.wait(delay):
            with raise_lock:
                # Another thread may have been given the ID of one that has ended.
                if has_ended.is_set() or not limited_thread.is_alive():
                    return
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread_id), ctypes.py_object(TimeIsUpError)
                )
            delay = AGAIN_SECONDS

    def end_watch() -> None:
        """End the watching thread, and let a pending exception be raised."""
        with raise_lock:
            has_ended.set()
        # If an exception is still pending, let the interpreter raise it here, in a loop, so that it
        # does not interrupt later work. If it were cancelled instead, the interpreter would check
        # for it at every call and every iteration from then on.
        for _ in range(2):
            pass

    try:
        threading.Thread(target=watch, daemon=True).start()
        yield
    finally:
        try:
            end_watch()
        except TimeIsUpError:
            # The exception was raised within `end_watch`, perhaps before `has_ended` was set; the
            # watching thread would then raise it again.
            end_watch()
            raise
