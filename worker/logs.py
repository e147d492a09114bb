"""Logging: one line per event, as text or JSON, with bound context and without passwords."""

import json
import logging
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

from detourage.text.terminal import printable
from worker import tracing
from worker.errors import cause, is_lost_connection, without_passwords

Format = Literal["text", "json"]

_context: ContextVar[Mapping[str, Any]] = ContextVar("context")


def bind(**values: Any) -> None:
    """Add values to the lines of this thread or coroutine."""
    _context.set({**_context.get({}), **values})


def unbind(*names: str) -> None:
    """Remove values by name."""
    _context.set({name: each for name, each in _context.get({}).items() if name not in names})


def unbind_all() -> None:
    """Remove all values."""
    _context.set({})


@contextmanager
def bound(**values: Any) -> Iterator[None]:
    """Add values within a block."""
    token = _context.set({**_context.get({}), **values})
    try:
        yield
    finally:
        _context.reset(token)


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


class _Formatter(logging.Formatter):
    """Formatter of log lines as text or JSON, in which secrets are masked."""

    def __init__(self, log_format: Format, secrets: Collection[str] = ()) -> None:
        super().__init__()
        self._is_json = log_format == "json"
        # The longest come first, since one secret may contain another.
        self._secrets = sorted((each for each in secrets if each), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        values = {
            "event": record.getMessage(),
            **_context.get({}),
            "logger": record.name,
            "level": record.levelname.lower(),
            "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "process": record.process,
        }
        for name, value in tracing.log_keys(tracing.current()).items():
            values.setdefault(name, value)
        if record.exc_info and record.exc_info[0]:
            values["exception"] = self.formatException(record.exc_info)
        line = json.dumps(values, default=repr) if self._is_json else _as_text(values)
        line = without_passwords(line)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def _as_text(values: dict[str, Any]) -> str:
    """Return the values on one line, without control characters, and the traceback below it."""
    traceback = values.pop("exception", None)
    shown = {
        name: printable(value) if isinstance(value, str) else repr(value)
        for name, value in values.items()
    }
    beginning = f"{shown.pop('timestamp')} [{shown.pop('level'):9}]"
    named = (beginning, shown.pop("event"), f"[{shown.pop('logger')}]")
    others = (
        f"{name}={repr(text) if isinstance(values[name], str) and _AMBIGUOUS & {*text} else text}"
        for name, text in sorted(shown.items())
    )
    line = " ".join(filter(None, (*named, *others)))
    return f"{line}\n{traceback}" if traceback else line


_AMBIGUOUS = frozenset(" \t=\r\n\"'")
"""Characters that would end a value without quotation marks."""
