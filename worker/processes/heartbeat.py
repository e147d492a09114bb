"""Heartbeat files: what each process has last done, and when, for health checks.

A process writes its file only after work that a server has confirmed, never because time passes. A
process without work confirms a round trip to its servers instead. The alternative, ``celery inspect
ping``, is slow, fails while workers are busy, and shows only that a process can answer.
"""

import errno
import json
import os
import time
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path

PROCESSES = ("intake", "relay", "worker", "beat")

CONFIRM_SECONDS = 5.0  # interval at which a process without work confirms that it could work

MAX_AGE_SECONDS = 30.0
"""Age at which a process is considered stuck, unless its work has longer intervals."""


@dataclass(frozen=True)
class Confirmed:
    """The last confirmed work of a process, and the age at which the process counts as stuck."""

    did: str
    at: float
    allowed_seconds: float

    @property
    def age_seconds(self) -> float:
        """Number of seconds since the work was confirmed."""
        return time.monotonic() - self.at

    @property
    def is_recent(self) -> bool:
        """Whether the work was confirmed as recently as it should be."""
        return self.age_seconds <= self.allowed_seconds


class Heartbeat:
    """The heartbeat file of one kind of process on this host."""

    def __init__(self, directory: Path, process: str) -> None:
        self._path = directory / f"{process}.heartbeat"
        self._confirmed_at = -inf

    def confirm(self, did: str, allowed_seconds: float = MAX_AGE_SECONDS) -> None:
        """Record work that has just been confirmed."""
        self._confirmed_at = time.monotonic()
        record = asdict(Confirmed(did, self._confirmed_at, allowed_seconds))
        # The pool processes of a worker share its file, so none may read or replace half of one.
        new = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(record))
            new.replace(self._path)
        except OSError as error:
            # A full disk shows in the age of the file; it must not end a process that works.
            if error.errno != errno.ENOSPC:
                raise

    @property
    def is_due(self) -> bool:
        """Whether this process, if it has no work, should confirm that it could work."""
        return time.monotonic() - self._confirmed_at >= CONFIRM_SECONDS

    def last(self) -> Confirmed | None:
        """Return the last confirmed work, or None if there was none since the host started."""
        try:
            found = Confirmed(**json.loads(self._path.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return found if found.at <= time.monotonic() else None
