"""What an error must be to end a command in one line, and what any error says on one line."""

import logging
import re
from importlib.util import find_spec

# The password of a URL, and that of a connection string of libpq.
_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(?=@)|(\bpassword=)\S+")

_LOST = frozenset(
    {
        "ConnectionError",
        "InterfaceError",
        "OperationalError",
        "RecoverableConnectionError",
        "SSLError",
        "gaierror",
    }
)
"""Errors of Python, of the broker's libraries and of the database's that say so."""

_REFUSED = frozenset({"AccessRefused", "InsufficientPrivilege", "ReadOnlySqlTransaction"})
"""Errors of the broker's library and of the database's that tell of a missing right."""


class ExpectedError(Exception):
    """Something that a person can set right; its first line says what, for a person."""


class MissingExtraError(ExpectedError):
    """What is optional, and was asked for, is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the extra {extra}: pip install 'detourage[{extra}]',"
            f" or make {extra} in a checkout"
        )


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Raise a `MissingExtraError` unless the modules that an extra brings are there."""
    if not all(map(find_spec, modules)):
        raise MissingExtraError(extra, purpose)


def warn_of(logger: logging.Logger, event: str, error: BaseException) -> None:
    """Log a passing trouble on one line with its cause; the trace at debug level."""
    logger.warning("%s: %s", event, cause(error))
    logger.debug("%s", event, exc_info=error)


def cause(error: BaseException) -> str:
    """Return what an error says, on one line, without the statement that it was raised by."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return f"{type(error).__name__}: {lines[0].strip() if lines else ''}"


def without_passwords(text: str) -> str:
    """Return text with the passwords of its URLs and connection strings hidden."""
    return _PASSWORD.sub(r"\1\2***", text)


def is_lost_connection(error: BaseException) -> bool:
    """Tell whether an error says that a server does not answer, by whichever library."""
    names = {each.__name__ for each in type(error).__mro__}
    return bool(names & _LOST)


def is_refusal(error: BaseException) -> bool:
    """Tell whether an error says that a user may not do something on a server."""
    told = getattr(error, "orig", None) or error
    return bool({each.__name__ for each in type(told).__mro__} & _REFUSED)
