"""Log lines of a process about itself: its start, and regular summaries of its work."""

import logging
import os
import time
from collections import Counter, defaultdict
from importlib.metadata import version

from worker import logs
from worker.error_reports import without_passwords
from worker.settings import SECRETS, Settings, unknown_variables

logger = logging.getLogger(__name__)


def log_start(process: str, settings: Settings) -> None:
    """Log the start of a process, with its version and its settings without passwords."""
    values = settings.model_dump(mode="json")
    for name in SECRETS:
        if secret := getattr(settings, name):
            values[name] = without_passwords(secret.get_secret_value())
    with logs.bound(version=version("detourage"), settings=values):
        logger.info("%s started", process)
    if unknown := unknown_variables(os.environ):
        logger.warning("unknown settings have no effect: %s", ", ".join(unknown))


PERIOD_SECONDS = 60.0  # interval at which a process logs the counts of its work


class Summary:
    """Counter of a process's work, which logs the counts once per period if there was any work."""

    def __init__(self, process: str) -> None:
        self._process = process
        self._began = time.monotonic()
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def count(self, name: str, number: int = 1, *, kind: str = "") -> None:
        """Add to the count with a name, such as "stored"; each ``kind`` is counted separately."""
        self._counts[name][str(kind)] += number

    def log_if_due(self) -> None:
        """Log the counts if the period is over."""
        if time.monotonic() - self._began >= PERIOD_SECONDS:
            self.log()

    def log(self) -> None:
        """Log the counts and reset them."""
        now = time.monotonic()
        if self._counts:
            # The summary does not belong to a single message.
            logs.unbind_all()
            counts = {
                name: kinds[""] if "" in kinds else dict(sorted(kinds.items()))
                for name, kinds in self._counts.items()
            }
            with logs.bound(**counts, seconds=round(now - self._began)):
                logger.info("%s summary", self._process)
        self._began = now
        self._counts.clear()
