"""Heartbeat files: a running process touches its file, and health checks read the file's age.

The alternative, ``celery inspect ping``, is slow and fails while workers are busy.
"""

import time
from pathlib import Path

PROCESSES = ("intake", "relay", "worker", "beat")
"""Kinds of processes of a deployment that have a heartbeat."""

BRIDGES = ("bridge-pages", "bridge-articles")
"""Processes that only deployments with Kafka have."""

MAX_AGE_SECONDS = 30.0
"""Age at which a process is considered stuck; every loop touches its file every few seconds."""


class Heartbeat:
    """The heartbeat file of one kind of process on this host."""

    def __init__(self, directory: Path, process: str) -> None:
        self._path = directory / f"{process}.heartbeat"

    def beat(self) -> None:
        """Touch the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()

    def age_seconds(self) -> float | None:
        """Return the number of seconds since the latest beat, or None if there was none."""
        try:
            return max(0.0, time.time() - self._path.stat().st_mtime)
        except FileNotFoundError:
            return None

    def is_alive(self) -> bool:
        """Return whether the latest beat is recent."""
        age = self.age_seconds()
        return age is not None and age <= MAX_AGE_SECONDS
