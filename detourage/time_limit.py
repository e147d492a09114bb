"""Limit on the CPU time of a block of code in the main thread."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0  # CPU time after which the error is raised again, in case the block caught it


class TimeIsUpError(BaseException):
    """A block has used up its CPU time. ``except Exception`` does not catch this error."""


@contextmanager
def time_limit(
    seconds: float,
    *,
    error: type[BaseException] = TimeIsUpError,
    again_seconds: float = AGAIN_SECONDS,
    kill_seconds: float = 0,
) -> Iterator[None]:
    """Raise `error` in the body of the ``with`` statement after `seconds` of CPU time.

    Native code is interrupted only when it returns. The error is raised again every `again_seconds`
    of CPU time. After `kill_seconds` of CPU time in user mode, the kernel kills the process, even
    in native code. A value of 0 disables the repetition or the kill.
    """

    def raise_error(_number: int, _frame: FrameType | None) -> None:
        raise error

    former_handler = signal.signal(signal.SIGPROF, raise_error)
    if kill_seconds:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, kill_seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds, again_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGPROF, former_handler)
