"""Settings, signals and database access, shared by the commands that need a deployment."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from worker.settings import Settings
    from worker.store.database import Database

P = ParamSpec("P")
T = TypeVar("T")


def process_settings(process: str | None = None) -> Settings:
    """Return settings that have both URLs; set up logging and, for a ``process``, tracing."""
    from worker import logs, tracing
    from worker.service.process_log import log_start
    from worker.settings import has_trace_receiver, load_settings

    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format, secrets=settings.secrets)
    settings.require_database_url()
    settings.require_broker_url()
    if process is not None:
        log_start(process, settings)
        if has_trace_receiver():
            tracing.enable(process)
    return settings


def stop_on_signals() -> threading.Event:
    """Return an event that is set on SIGTERM or SIGINT."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def with_database(use: Callable[[Database], T]) -> T:
    """Call ``use`` with the configured database, then close its connections."""
    from worker.settings import load_settings
    from worker.store.schema import current_database

    with current_database(load_settings().require_database_url()) as database:
        return use(database)


def read_database(
    query: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
) -> T:
    """Run a query against one consistent snapshot, and return its result."""
    return with_database(lambda database: database.read_snapshot(query, *args, **options))
