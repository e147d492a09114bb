"""The one way in which an explanation fails."""

from worker.errors import ExpectedError


class ExplainingError(ExpectedError):
    """There is no page to explain; the message is one line for a person."""
