"""A limit of the processor's time for a piece of work in the main thread of a process."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0
"""Processor time after which work that took no notice of the limit is told of it again."""


class TimeIsUpError(BaseException):
    """A piece of work has used up its time; no ``except Exception`` of the work may keep it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise in what is done within once it has taken so much of the processor.

    Native code hears of it when it returns. Time that other processes take does not count, so
    that a busy machine fails no work.

    Raises
    ------
    TimeIsUpError
        Where the work does not end in time.
    """
    former = signal.signal(signal.SIGPROF, _raise)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise TimeIsUpError
