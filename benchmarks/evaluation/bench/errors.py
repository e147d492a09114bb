"""Errors that end a measurement."""

from worker.errors import ExpectedError


class BenchError(ExpectedError):
    """A corpus, a file of articles or a name of a method that cannot be used."""
