"""Time and memory of a call."""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path

LEAST_SECONDS = 0.2
"""CPU time over which a short call is repeated."""

MOST_REPEATS = 50


def cpu_seconds(call: Callable[[], object]) -> float:
    """Give the median CPU time of a call, repeated where it is short."""
    times: list[float] = []
    while len(times) < MOST_REPEATS and sum(times) < LEAST_SECONDS:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def wall_seconds(call: Callable[[], object]) -> float:
    """Give the time that passes during a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peak_megabytes(call: Callable[[], object]) -> float:
    """Memory that a call needs at its peak, beyond what its process has before.

    Measured in a process of its own; the call is sent there.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        before, after = pool.apply(_peaks, (call,))
    return after - before


def _peaks(call: Callable[[], object]) -> tuple[float, float]:
    before = _peak()
    call()
    return before, _peak()


def _peak() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmHWM in /proc/self/status")
