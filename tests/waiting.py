"""Waiting for a condition, for tests that do not use a `Deployment`."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 600) -> None:
    """Wait until a condition holds; fail after the given time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the condition does not hold after {seconds:g} seconds"
        time.sleep(0.02)
