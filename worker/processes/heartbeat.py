"""Heartbeat files: a process that works touches its file, a health check looks at the age.

A broadcast to the workers (``celery inspect ping``) is slow and fails on a busy
worker; the age of a file tells the same at the cost of one look.
"""

import time
from pathlib import Path

MAX_AGE_SECONDS = 30.0
"""Age from which a process counts as stuck; every loop touches its file each few seconds."""


class Heartbeat:
    """The heartbeat file of one kind of process on this host."""

    def __init__(self, directory: Path, process: str) -> None:
        self._path = directory / f"{process}.heartbeat"

    def beat(self) -> None:
        """Touch the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()

    def age_seconds(self) -> float | None:
        """Return the seconds since the last beat, or nothing if there never was one."""
        try:
            return max(0.0, time.time() - self._path.stat().st_mtime)
        except FileNotFoundError:
            return None

    def is_alive(self) -> bool:
        """Tell whether the last beat is recent."""
        age = self.age_seconds()
        return age is not None and age <= MAX_AGE_SECONDS
