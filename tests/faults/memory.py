"""The memory of processes over a time."""

import statistics
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

from tests.faults.proving_ground import Servers


class MemoryLog:
    """What processes hold of their own, and whether it grows.

    Parameters
    ----------
    servers
        Whose memory is noted beside that of the given processes.
    """

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._found: dict[str, list[tuple[float, float]]] = {}

    def note(self, processes: Iterable[tuple[str, psutil.Process]]) -> None:
        """Note what processes, each with its name, and those below them hold now."""
        now = time.monotonic()
        sums: dict[str, float] = {}

        def add(name: str, process: psutil.Process) -> None:
            with suppress(psutil.Error):
                sums[name] = sums.get(name, 0.0) + process.memory_full_info().uss / 2**20

        for name, process in processes:
            add(name, process)
            with suppress(psutil.Error):
                for child in process.children(recursive=True):
                    add(f"{name}, pool", child)
        for process in self._servers.broker_processes():
            add("RabbitMQ", process)
        for process in self._servers.postgresql_processes():
            add("PostgreSQL", process)
        for name, megabytes in sums.items():
            self._found.setdefault(name, []).append((now, megabytes))

    def thirds(self) -> list[tuple[str, str, str, str]]:
        """Return the mean over the first and the last third of the time, and the most, in MiB."""
        times = [at for found in self._found.values() for at, _ in found]
        begin, end = min(times), max(times)
        third = (end - begin) / 3
        rows = []
        for name, found in self._found.items():
            first = [size for at, size in found if at <= begin + third]
            last = [size for at, size in found if at >= end - third]
            if first and last:
                means = statistics.fmean(first), statistics.fmean(last)
                most = max(size for _, size in found)
                rows.append((name, f"{means[0]:.0f}", f"{means[1]:.0f}", f"{most:.0f}"))
        return rows
