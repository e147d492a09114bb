"""Measurement of the time and memory used by a function call."""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")

MIN_TOTAL_SECONDS = 0.2  # a call is repeated until its total CPU time reaches this

MAX_REPETITIONS = 50  # maximum number of calls, for very short ones


def time_call(call: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of a call and its median CPU time; short calls are repeated."""
    times: list[float] = []
    while True:
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
        if len(times) == MAX_REPETITIONS or sum(times) >= MIN_TOTAL_SECONDS:
            return result, statistics.median(times)


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the median CPU time of a call; short calls are repeated."""
    return time_call(call)[1]


def peak_megabytes(call: Callable[[], object]) -> float:
    """Return how much a call, run in a separate process, raises the peak memory, in MB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        before, after = pool.apply(_peaks_before_and_after, (call,))
    return after - before


def _peaks_before_and_after(call: Callable[[], object]) -> tuple[float, float]:
    """Return the peak memory of this process before and after a call, in MB."""
    # Reset the peak (see proc(5)); otherwise, that of the imports would hide that of the call.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak_megabytes()
    call()
    return before, _peak_megabytes()


def _peak_megabytes() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmHWM in /proc/self/status")
