"""Periodic log summaries of a process's work."""

import logging
import time
from collections import Counter

from worker import logs

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 60.0
"""Interval between summaries."""


class Summary:
    """Counter of a process's work, which logs the counts once per period if there was any work."""

    def __init__(self, process: str) -> None:
        self._process = process
        self._began = time.monotonic()
        self._counts: dict[str, Counter[str]] = {}
        self._totals: Counter[str] = Counter()

    def count(self, what: str, number: int = 1, *, kind: str | None = None) -> None:
        """Add to a count; each ``kind`` is counted separately."""
        if not number:
            return
        if kind is None:
            self._totals[what] += number
        else:
            self._counts.setdefault(what, Counter())[str(kind)] += number

    def log_if_due(self) -> None:
        """Log the counts if the period is over."""
        if time.monotonic() - self._began >= PERIOD_SECONDS:
            self.log()

    def log(self) -> None:
        """Log the counts and reset them."""
        now = time.monotonic()
        if self._totals or self._counts:
            # The summary does not belong to a single message.
            logs.unbind_all()
            kinds = {what: dict(sorted(counted.items())) for what, counted in self._counts.items()}
            with logs.bound(**self._totals, **kinds, seconds=round(now - self._began)):
                logger.info("%s summary", self._process)
        self._began = now
        self._counts = {}
        self._totals = Counter()
