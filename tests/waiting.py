"""Waiting in tests that start processes themselves."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 600) -> None:
    """Wait until a condition holds, at most as long as the given time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not reached in {seconds:g} seconds"
        time.sleep(0.02)
