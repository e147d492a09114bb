"""Logs: a line for each event, as text or as JSON, with what it is about and without passwords."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Literal

import structlog

Format = Literal["text", "json"]

# The password of a URL, and that of a connection string of libpq.
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(?=@)|(\bpassword=)\S+")

bind = structlog.contextvars.bind_contextvars
"""Say what the log lines of this task or message are about from now on."""

unbind = structlog.contextvars.unbind_contextvars
"""Say no more what was bound by some names."""

unbind_all = structlog.contextvars.clear_contextvars
"""Say nothing of the kind any more."""


def configure(level: str, form: Format, file: str | None = None) -> None:
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
    """
    handler = logging.FileHandler(file) if file else logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(form))
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def without_passwords(text: str) -> str:
    """Return text with the passwords of its URLs and connection strings hidden."""
    return _PASSWORD.sub(r"\1\2***", text)


class _Formatter(structlog.stdlib.ProcessorFormatter):
    def __init__(self, form: Format) -> None:
        final: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
        if form == "json":
            final += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        else:
            final.append(structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0))
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
        return without_passwords(super().format(record))


def _add_process(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    event["process"] = event["_record"].process
    return event
