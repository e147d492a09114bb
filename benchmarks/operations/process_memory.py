"""Memory of processes, compared at equal ages.

A new process has not yet imported all modules or filled its caches, and a new pool process still
shares most of its memory with its parent. Because processes are restarted during a run,
measurements are comparable only at equal ages of the processes, not at equal times of the run.
"""

import statistics
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

from tests.faults.proving_ground import Servers

AGES_MINUTES = (1, 3, 9)
TOLERANCE_MINUTES = 0.25

COLUMNS = (
    "process",
    *(f"at {age} min, MiB:" for age in AGES_MINUTES),
    "final age, min:",
    "at that age, MiB:",
    "maximum, MiB:",
)


class MemoryLog:
    """Log of the proportional memory (PSS) of processes over time.

    The log records the memory of each given process and, for each server, the total memory of its
    processes.
    """

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._began = time.time()
        self._found: dict[str, dict[int, list[tuple[float, float]]]] = {}

    def note(self, processes: Iterable[tuple[str, psutil.Process]]) -> None:
        """Record the current memory of the given processes, by name, and of their descendants."""
        for name, process in processes:
            self._add(name, process)
            with suppress(psutil.Error):
                for child in process.children(recursive=True):
                    self._add(f"{name}, a process of its pool", child)
        self._add_all("RabbitMQ", self._servers.broker_processes())
        self._add_all("PostgreSQL", self._servers.postgresql_processes())

    def by_age(self) -> list[tuple[str, ...]]:
        """Return rows for `COLUMNS`; each is a mean over processes of the same name and age."""
        rows = []
        for name, processes in self._found.items():
            samples = [sample for found in processes.values() for sample in found]
            cells = [
                [size for age, size in samples if abs(age - wanted) <= TOLERANCE_MINUTES]
                for wanted in AGES_MINUTES
            ]
            age, size = max(samples)
            most = max(size for _, size in samples)
            means = (f"{statistics.fmean(cell):.0f}" if cell else "" for cell in cells)
            rows.append((name, *means, f"{age:.0f}", f"{size:.0f}", f"{most:.0f}"))
        return rows

    def _add(self, name: str, process: psutil.Process) -> None:
        with suppress(psutil.Error):
            age = time.time() - process.create_time()
            self._put(name, process.pid, age, proportional_mebibytes(process))

    def _add_all(self, name: str, processes: Iterable[psutil.Process]) -> None:
        total = 0.0
        for process in processes:
            with suppress(psutil.Error):
                total += proportional_mebibytes(process)
        if total:
            self._put(name, 0, time.time() - self._began, total)

    def _put(self, name: str, process: int, age_seconds: float, mebibytes: float) -> None:
        found = self._found.setdefault(name, {}).setdefault(process, [])
        found.append((age_seconds / 60, mebibytes))


def proportional_mebibytes(process: psutil.Process) -> float:
    """Return the proportional memory (PSS) of a process, in MiB."""
    return float(process.memory_full_info().pss) / 2**20
