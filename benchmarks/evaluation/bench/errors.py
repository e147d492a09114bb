"""Errors that abort a measurement."""

from detourage.expected_errors import ExpectedError


class BenchError(ExpectedError):
    """A corpus, article file or method name cannot be used."""
