"""Errors that abort a measurement."""

from detourage.command_errors import ExpectedError


class BenchError(ExpectedError):
    """A corpus, article file or method name cannot be used."""
