"""Functions shared by the commands that run deployment processes."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worker.settings import Settings


def process_settings(process: str | None = None) -> Settings:
    """Return the settings of a process that needs a deployment, and configure its logs.

    If ``process`` is named, log its start; commands that only print do not.
    """
    from worker import logs
    from worker.service.build import log_beginning
    from worker.settings import load_settings

    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format, secrets=settings.secrets)
    settings.require_database_url()
    settings.require_broker_url()
    if process is not None:
        log_beginning(process, settings)
    return settings


def stop_on_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set from now on."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop
