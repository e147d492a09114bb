"""Errors that end a command with a one-line message, and helpers for reporting errors."""

import logging
import re

from detourage.expected_errors import ExpectedError

# The password in a URL or in a libpq connection string.
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(?=@)|(\bpassword=)\S+")

_CONNECTION_ERRORS = {"ConnectionError", "InterfaceError", "OperationalError", "gaierror"}
_CONNECTION_ERRORS |= {"RecoverableConnectionError", "SSLError"}
"""Names of the errors that Python and client libraries raise for a lost connection."""

_MISSING_PRIVILEGE_ERRORS = {"AccessRefused", "InsufficientPrivilege", "ReadOnlySqlTransaction"}
"""Names of the errors that client libraries raise for a missing privilege."""


class LostContentError(ExpectedError):
    """The stored content of a page is missing or damaged."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; restore it, or send the page again, and then run"
            " detourage reprocess SITE --from parse"
        )


def log_transient(logger: logging.Logger, event: str, error: BaseException) -> None:
    """Log a transient error with its cause on one line, and its traceback at debug level."""
    logger.warning("%s: %s", event, cause(error))
    logger.debug("%s", event, exc_info=error)


def cause(error: BaseException) -> str:
    """Return an error's type and message on one line, without the SQL statement that raised it."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    # An AMQP error begins with its class ID and method ID, which are 0 if there was no method.
    line = lines[0].strip().removeprefix("(0, 0): ") if lines else ""
    return f"{type(error).__name__}: {line}"


def without_passwords(text: str) -> str:
    """Return text with the passwords in URLs and connection strings masked."""
    return _PASSWORD.sub(r"\1\2***", text)


def is_lost_connection(error: BaseException) -> bool:
    """Return whether an error, raised by any library, means that a server does not respond."""
    return bool({each.__name__ for each in type(error).__mro__} & _CONNECTION_ERRORS)


def is_missing_privilege(error: BaseException) -> bool:
    """Return whether an error means that a server denied a user a privilege."""
    origin = getattr(error, "orig", None) or error
    return bool({each.__name__ for each in type(origin).__mro__} & _MISSING_PRIVILEGE_ERRORS)
