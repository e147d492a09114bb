"""Sampling profiler that measures CPU time by kind of work, and record of SQL and messages.

Python imports ``sitecustomize`` before any other module. Every few milliseconds of CPU time, the
stack is sampled, and the time since the previous sample is assigned to the innermost module that
belongs to one of the kinds below. Native code thus counts as part of its caller. Once per second,
the totals are written to a file per process in the directory named by `SAMPLES`.

A process has only one CPU-time timer. The measured code uses it for time limits
(`detourage.time_limit`), which would stop the sampling and are therefore disabled.

If `TRAFFIC` names a directory, each process appends to a file there the statements that it sends to
PostgreSQL and the messages that it publishes. The embedded PostgreSQL lacks ``pg_stat_statements``.
"""

import json
import os
import signal
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

SAMPLES = "DETOURAGE_BENCHMARK_SAMPLES"
TRAFFIC = "DETOURAGE_BENCHMARK_TRAFFIC"

MESSAGE = "MESSAGE"
"""Name under which messages to RabbitMQ are counted."""

INTERVAL_SECONDS = 0.005
WRITTEN_EVERY_SECONDS = 1.0

KINDS = {
    "detourage.html": "parsing",
    "detourage.template.distance": "distances",
    "detourage.template": "grouping",
    "detourage.reader": "extraction",
    "detourage.inference": "extraction",
    "detourage.comments": "extraction",
    "worker.store": "database client",
    "sqlalchemy": "database client",
    "psycopg2": "database client",
    "kombu": "queue client",
    "amqp": "queue client",
    "celery": "queue client",
    "billiard": "queue client",
    "models": "messages",
    "pydantic": "messages",
    "worker": "the rest of the service",
    "importlib": "starting",
}


class _Sampler:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._set_timer = signal.setitimer
        self._begin()
        _keep_from_others()

    def _begin(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._last = self._written = time.process_time()
        signal.signal(signal.SIGPROF, self._look)
        self._set_timer(signal.ITIMER_PROF, INTERVAL_SECONDS, INTERVAL_SECONDS)
        os.register_at_fork(after_in_child=self._begin_in_child)

    def _begin_in_child(self) -> None:
        self._seconds = defaultdict(float)
        self._last = self._written = time.process_time()
        self._set_timer(signal.ITIMER_PROF, INTERVAL_SECONDS, INTERVAL_SECONDS)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self._seconds[_kind(frame)] += now - self._last
        self._last = now
        if now - self._written > WRITTEN_EVERY_SECONDS:
            self._written = now
            path = self._directory / f"{os.getpid()}.json"
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps(self._seconds))
            partial.replace(path)


def _keep_from_others() -> None:
    set_timer, set_handler = signal.setitimer, signal.signal

    def setitimer(which: int, *times: float) -> Any:
        return (0.0, 0.0) if which == signal.ITIMER_PROF else set_timer(which, *times)

    def handle(number: int, handler: Any) -> Any:
        return None if number == signal.SIGPROF else set_handler(number, handler)

    signal.setitimer = setitimer
    signal.signal = handle  # type: ignore[assignment]


def _kind(frame: FrameType | None) -> str:
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        found = KINDS.get(".".join(name.split(".")[:2])) or KINDS.get(name.split(".")[0])
        if found:
            return found
        frame = frame.f_back
    return "other"


def _record_traffic(directory: Path) -> None:
    from kombu import Producer
    from sqlalchemy import Engine, event
    from sqlalchemy.engine.interfaces import ExecuteStyle

    def record(number: int, what: str) -> None:
        with (directory / f"{os.getpid()}.traffic").open("a") as file:
            file.write(f"{json.dumps([number, what])}\n")

    def record_statement(
        _connection: Any, _cursor: Any, text: str, parameters: Any, context: Any, _is_many: bool
    ) -> None:
        # Other inserts send all their rows in one statement.
        is_repeated = context.execute_style is ExecuteStyle.EXECUTEMANY
        number = len(parameters) if is_repeated else 1
        record(number, " ".join(text.partition("VALUES")[0].split()))

    def publish(producer: Any, *arguments: Any, **options: Any) -> Any:
        record(1, MESSAGE)
        return original(producer, *arguments, **options)

    original = Producer.publish
    Producer.publish = publish
    event.listen(Engine, "before_cursor_execute", record_statement)


if TRAFFIC in os.environ:
    _record_traffic(Path(os.environ[TRAFFIC]))

if SAMPLES in os.environ:
    _Sampler(Path(os.environ[SAMPLES]))
