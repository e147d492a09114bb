"""Errors that abort a measurement."""

from detourage.errors import ExpectedError


class BenchError(ExpectedError):
    """A corpus, article file or method name cannot be used."""
