"""Time and memory of a call."""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")

LEAST_SECONDS = 0.2
"""CPU time over which a short call is repeated."""

MOST_REPEATS = 50


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """Give the result of a call and its median CPU time, repeated where it is short."""
    times: list[float] = []
    while True:
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
        if len(times) == MOST_REPEATS or sum(times) >= LEAST_SECONDS:
            return result, statistics.median(times)


def cpu_seconds(call: Callable[[], object]) -> float:
    """Give the median CPU time of a call, repeated where it is short."""
    return timed(call)[1]


def peak_megabytes(call: Callable[[], object]) -> float:
    """Memory that a call needs at its peak, beyond what its process has before.

    Measured in a process of its own; the call is sent there.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        before, after = pool.apply(_peaks, (call,))
    return after - before


def _peaks(call: Callable[[], object]) -> tuple[float, float]:
    # From here on the peak is counted anew, or that of the imports would hide it (proc(5)).
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak()
    call()
    return before, _peak()


def _peak() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmHWM in /proc/self/status")
