"""Errors that abort a measurement."""

from worker.errors import ExpectedError


class BenchError(ExpectedError):
    """A corpus, article file or method name cannot be used."""
