"""Waiting in tests that start processes themselves."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds, at most as long as a test may take."""
    while not condition():
        time.sleep(0.02)
