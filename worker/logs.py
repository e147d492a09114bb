"""Logs: a line for each event, as text or as JSON, with what it is about and without passwords."""

import logging
import sys
from collections.abc import Collection, MutableMapping
from typing import Any, Literal

import structlog

from worker.errors import cause, is_lost_connection, without_passwords
from worker.text.terminal import printable

Format = Literal["text", "json"]

bind = structlog.contextvars.bind_contextvars
"""Say what the log lines of this task or message are about from now on."""

bound = structlog.contextvars.bound_contextvars
"""Say it of the log lines of a block only."""

unbind = structlog.contextvars.unbind_contextvars
"""Say no more what was bound by some names."""

unbind_all = structlog.contextvars.clear_contextvars
"""Say nothing of the kind any more."""


def configure(
    level: str, form: Format, file: str | None = None, *, secrets: Collection[str] = ()
) -> None:
    """Send all logs of this process to standard error, or to a file.

    Parameters
    ----------
    level
        Name of the lowest level that is logged.
    form
        ``json``: an object a line, with ``event``, ``level``, ``logger``, ``timestamp`` (RFC
        3339, UTC), ``process`` (its id), ``exception`` where there is one, and what was bound;
        ``text``: the same for people.
    file
        The file.
    secrets
        What must not be in any line, wherever it comes from.
    """
    handler = logging.FileHandler(file) if file else logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(form, secrets))
    handler.addFilter(_OneLineForLostConnections(level))
    logging.captureWarnings(True)
    # At each look at the schema it would tell what kind of database that is in.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


class _OneLineForLostConnections(logging.Filter):
    """Takes the trace off a record that tells of a lost connection, unless traces are asked for.

    Libraries log the same trace at every attempt to connect again.
    """

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
    def __init__(self, form: Format, secrets: Collection[str] = ()) -> None:
        # The longest first: one may hold another.
        self._secrets = sorted((each for each in secrets if each), key=len, reverse=True)
        final: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
        if form == "json":
            final += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        else:
            # The default formatter of exceptions prints local variables, and takes minutes for
            # large ones.
            final += [
                _on_one_line,
                structlog.dev.ConsoleRenderer(
                    colors=False,
                    pad_event_to=0,
                    exception_formatter=structlog.dev.plain_traceback,
                ),
            ]
        super().__init__(
            processors=final,
            foreign_pre_chain=[
                structlog.contextvars.merge_contextvars,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                _add_process,
            ],
        )

    def format(self, record: logging.LogRecord) -> str:
        line = without_passwords(super().format(record))
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def _on_one_line(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = printable(value)
    return event


def _add_process(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    event["process"] = event["_record"].process
    return event
