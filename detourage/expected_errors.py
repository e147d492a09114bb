"""Errors that end a command with a one-line message."""

from importlib.util import find_spec


class ExpectedError(Exception):
    """An error that the user can fix; the first line of its message says what is wrong."""


class MissingExtraError(ExpectedError):
    """A requested optional feature is not installed."""

    def __init__(self, extra: str, purpose: str, distribution: str = "detourage") -> None:
        super().__init__(
            f"{purpose} needs the {extra} extra: pip install '{distribution}[{extra}]',"
            f" or make {extra} in a checkout"
        )


def require_extra(extra: str, purpose: str, *modules: str, distribution: str = "detourage") -> None:
    """Raise `MissingExtraError` unless the modules of an extra are installed."""
    if not all(map(find_spec, modules)):
        raise MissingExtraError(extra, purpose, distribution)


def require_groups() -> None:
    """Raise `MissingExtraError` unless the libraries needed to group pages are installed."""
    require_extra("groups", "grouping pages", "scipy", "sklearn", "threadpoolctl")
