"""Heartbeat files, in which each process records its latest work for health checks.

A process writes its file only after work that a server has confirmed, never because time passes. A
process without work confirms a round trip to its servers instead. The alternative, ``celery inspect
ping``, is slow, fails while workers are busy, and shows only that a process can answer.
"""

import errno
import json
import os
import time
from math import inf
from pathlib import Path
from typing import NamedTuple

PROCESSES = ("intake", "relay", "worker", "beat")  # kinds of processes with a heartbeat file

CONFIRM_SECONDS = 5.0  # interval at which a process without work confirms that it could work

MAX_AGE_SECONDS = 30.0
"""Age of the last confirmed work at which a process counts as stuck; beat's is longer."""

STOP_SECONDS = 8.0
"""Time that a process has to finish its current batch when it is asked to stop. A batch that takes
longer is not lost: it was neither committed nor acknowledged."""


class ConfirmedWork(NamedTuple):
    """The last confirmed work of a process, and the age at which the process counts as stuck."""

    did: str  # such as "stored 8 messages"
    at: float  # on the monotonic clock
    allowed_seconds: float

    @property
    def age_seconds(self) -> float:
        """Number of seconds since the work was confirmed."""
        return time.monotonic() - self.at

    @property
    def is_recent(self) -> bool:
        """Whether the last work was confirmed at most `allowed_seconds` ago."""
        return self.age_seconds <= self.allowed_seconds


class Heartbeat:
    """The heartbeat file of one kind of process on this host."""

    def __init__(self, directory: Path, process: str) -> None:
        self._path = directory / f"{process}.heartbeat"
        self._confirmed_at = -inf

    def confirm(self, did: str, allowed_seconds: float = MAX_AGE_SECONDS) -> None:
        """Record work that has just been confirmed."""
        self._confirmed_at = time.monotonic()
        record = ConfirmedWork(did, self._confirmed_at, allowed_seconds)._asdict()
        # The pool processes of a worker share its file, so each replaces it as a whole.
        new = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(record))
            new.replace(self._path)
        except OSError as error:
            # A full disk must not end the process; health checks see that the file is old.
            if error.errno != errno.ENOSPC:
                setting = f"DETOURAGE_HEARTBEAT_DIRECTORY: {error.strerror}"
                raise type(error)(error.errno, setting, error.filename) from None

    def remove(self) -> None:
        """Remove the file when the process ends; another process of this kind writes it again."""
        self._path.unlink(missing_ok=True)

    @property
    def is_due(self) -> bool:
        """Whether it is time for a process without work to confirm that it could work."""
        return time.monotonic() - self._confirmed_at >= CONFIRM_SECONDS

    def last(self) -> ConfirmedWork | None:
        """Return the last confirmed work, or None if there was none since the host started."""
        try:
            last = ConfirmedWork(**json.loads(self._path.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return last if last.at <= time.monotonic() else None
