"""Waiting in tests that start processes themselves."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.02)
