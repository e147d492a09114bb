"""The heartbeat file, written only after the servers have confirmed work or a round trip."""

import time
from contextlib import suppress
from math import inf
from pathlib import Path

CONFIRM_SECONDS = 5.0
"""Interval at which an idle process makes a round trip to the servers, to confirm that it could
work."""

MAX_AGE_SECONDS = 30.0
"""Age of the last confirmation above which the process is considered stuck."""


class Heartbeat:
    """The heartbeat file of this host's stories worker, with a time on the monotonic clock."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "stories.heartbeat"
        self._confirmed_at = -inf

    def confirm(self) -> None:
        """Record that work has just been confirmed."""
        self._confirmed_at = time.monotonic()
        # A full disk must not end a process that works; the file then becomes too old.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_text(str(self._confirmed_at))
            new.replace(self._path)

    @property
    def is_due(self) -> bool:
        """Whether an idle process should confirm that it could work."""
        return time.monotonic() - self._confirmed_at >= CONFIRM_SECONDS

    def age_seconds(self) -> float:
        """Return the time since work was last confirmed, or infinity if it never was."""
        try:
            age = time.monotonic() - float(self._path.read_text())
        except (OSError, ValueError):
            return inf
        # A time in the future means that the host has restarted since then.
        return age if age >= 0 else inf
