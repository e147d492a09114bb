"""Error raised when a page cannot be examined."""

from worker.errors import ExpectedError
from worker.outcomes import PageOutcome


class ExplainingError(ExpectedError):
    """There is no page to examine, or the page has no article.

    The message is a single line for users. The name is the page's URL or file, and the outcome is
    None if there is no page.
    """

    def __init__(self, name: str, problem: str, outcome: PageOutcome | None = None) -> None:
        # The text may contain line breaks sent by a server; the message must be a single line.
        self.name, self.problem, self.outcome = name, " ".join(problem.split()), outcome
        parts = (name, outcome, self.problem) if outcome else (name, self.problem)
        super().__init__(": ".join(parts))
