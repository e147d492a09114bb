"""Durations of work, counted in the database so that all processes share the histograms."""

import logging
import math
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from time import monotonic
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from worker.store.database import Database
from worker.store.queries import Statements

SQL = Statements("durations")

logger = logging.getLogger(__name__)

BOUNDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, math.inf)  # upper bounds of buckets, seconds

SLOTS = 16  # number of rows per bucket, so that processes rarely wait for each other's row locks

WRITTEN_AFTER_SECONDS = 5.0
"""Maximum delay before a duration is written; Prometheus usually scrapes less often."""


class Histogram(NamedTuple):
    """Durations of one kind of work: number of executions up to each bound, and total time."""

    cumulative: dict[float, int]  # number of executions by upper bound
    seconds: float


class Durations:
    """The durations measured by a process; they are written together, after a delay."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counts: dict[tuple[str, float], tuple[int, float]] = {}
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    @contextmanager
    def measure(self, work: str, pieces: int = 1) -> Iterator[None]:
        """Record the duration of a ``with`` block, even if it raises an exception; see `record`."""
        began = monotonic()
        try:
            yield
        finally:
            self.record(work, monotonic() - began, pieces)

    def record(self, work: str, seconds: float, pieces: int = 1) -> None:
        """Record the time spent on several ``pieces`` of work together, an equal share for each."""
        at_most = next(bound for bound in BOUNDS if seconds / pieces <= bound)
        with self._lock:
            number, total = self._counts.get((work, at_most), (0, 0.0))
            self._counts[work, at_most] = number + pieces, total + seconds
            if self._timer is None:
                self._timer = threading.Timer(WRITTEN_AFTER_SECONDS, self.write)
                # The timer must not delay the process exit.
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Write the counts, or drop them with a warning if the database is unavailable."""
        with self._lock:
            # Processes that write the same rows in different orders would deadlock.
            counts = sorted(self._counts.items(), key=itemgetter(0))
            self._counts.clear()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if not counts:
            return
        values = {
            "work": [work for (work, _), _ in counts],
            "at_most": [at_most for (_, at_most), _ in counts],
            "number": [number for _, (number, _) in counts],
            "seconds": [seconds for _, (_, seconds) in counts],
            "slot": os.getpid() % SLOTS,
        }
        try:
            with self._database.transaction() as session:
                session.execute(SQL.count, values)
        except SQLAlchemyError:
            logger.warning("durations could not be written to the database", exc_info=True)


def histograms(session: Session) -> dict[str, Histogram]:
    """Return the histogram of durations of each kind of work, by its name."""
    counts: dict[str, dict[float, int]] = {}
    totals: Counter[str] = Counter()
    for work, at_most, number, seconds in session.execute(SQL.histograms):
        cumulative = counts.setdefault(work, dict.fromkeys(BOUNDS, 0))
        for bound in BOUNDS:
            if at_most <= bound:
                cumulative[bound] += int(number)
        totals[work] += seconds
    return {work: Histogram(each, float(totals[work])) for work, each in counts.items()}
