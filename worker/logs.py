"""Logging: one line per event, as text or JSON, with bound context and without passwords."""

import logging
import re
import sys
from collections.abc import Collection, MutableMapping
from typing import Any, Literal, TypeAlias

import structlog

from detourage.text.terminal import printable
from worker import tracing
from worker.error_reports import cause, is_lost_connection, without_passwords

Format = Literal["text", "json"]
Event: TypeAlias = MutableMapping[str, Any]

bind = structlog.contextvars.bind_contextvars
bound = structlog.contextvars.bound_contextvars
unbind = structlog.contextvars.unbind_contextvars
unbind_all = structlog.contextvars.clear_contextvars


def configure(
    level: str, log_format: Format, file: str | None = None, *, secrets: Collection[str] = ()
) -> None:
    """Send all logs of at least ``level`` to a file or to standard error, and mask ``secrets``."""
    handler = logging.FileHandler(file) if file else logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(log_format, secrets))
    handler.addFilter(_OneLineForLostConnections(level))
    logging.captureWarnings(True)
    # Alembic would log the kind of database at each schema check.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


class _OneLineForLostConnections(logging.Filter):
    """Filter that removes the tracebacks of lost connections, except at debug level."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self._keeps_traces = level == "DEBUG"

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not self._keeps_traces and is_lost_connection(error):
            record.msg, record.args = f"{record.getMessage()} ({cause(error)})", ()
            record.exc_info = None
        return True


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Formatter of log lines as text or JSON, in which secrets are masked."""

    def __init__(self, log_format: Format, secrets: Collection[str] = ()) -> None:
        # The longest come first, since one secret may contain another. A secret inside a word is
        # not masked, because a short one would make the log unreadable.
        alternatives = map(re.escape, sorted(filter(None, secrets), key=len, reverse=True))
        self._secrets = re.compile(rf"(?<!\w)(?:{'|'.join(alternatives) or '(?!)'})(?!\w)")
        final: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
        if log_format == "json":
            final += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        else:
            # By default, tracebacks contain local variables; printing large ones takes minutes.
            final += [
                _escape_line_breaks,
                structlog.dev.ConsoleRenderer(
                    colors=False, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
                ),
            ]
        super().__init__(
            processors=final,
            foreign_pre_chain=[
                structlog.contextvars.merge_contextvars,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                _add_process_and_span,
            ],
        )

    def format(self, record: logging.LogRecord) -> str:
        return self._secrets.sub("***", without_passwords(super().format(record)))


def _escape_line_breaks(_logger: Any, _method: str, event: Event) -> Event:
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = printable(value)
    return event


def _add_process_and_span(_logger: Any, _method: str, event: Event) -> Event:
    event["process"] = event["_record"].process
    for name, value in tracing.log_keys(tracing.current()).items():
        event.setdefault(name, value)
    return event
