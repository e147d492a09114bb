"""Resource usage of this process and the programs it started."""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

_PROCESSES = Path("/proc")
_USER_TIME, _SYSTEM_TIME = 11, 12
"""Indices of fields in ``/proc/PID/stat``, counted after the command's name; see proc(5)."""


def cpu_seconds(children: Iterable[int] = ()) -> float:
    """Return the CPU time of this process and, if ``/proc`` exists, of running child processes."""
    return time.process_time() + sum(_cpu_seconds_of(pid) for pid in children)


def peak_memory(children: Iterable[int] = ()) -> int | None:
    """Return the sum of the peak resident memories of this process and running children, in bytes.

    The peaks need not be simultaneous. Children are included only if ``/proc`` exists. Return None
    if no peak is reported.
    """
    if (_PROCESSES / "self").exists():
        return sum(_peak_bytes_of(pid) for pid in ("self", *map(str, children)))
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _cpu_seconds_of(pid: int) -> float:
    """Return the CPU time of a process, or 0 if it has ended."""
    try:
        stat = (_PROCESSES / str(pid) / "stat").read_text()
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()
    ticks = int(fields[_USER_TIME]) + int(fields[_SYSTEM_TIME])
    return ticks / os.sysconf("SC_CLK_TCK")


def _peak_bytes_of(pid: str) -> int:
    """Return a process's peak memory, which, unlike ``ru_maxrss``, excludes the parent's."""
    try:
        status = (_PROCESSES / pid / "status").read_text()
    except OSError:
        return 0
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) * 1024 if peaks else 0
