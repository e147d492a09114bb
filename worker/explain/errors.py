"""The one way in which looking into a page fails."""

from worker.errors import ExpectedError
from worker.outcomes import PageOutcome


class ExplainingError(ExpectedError):
    """There is no page to look into, or no article in it; the message is one line for a person.

    Attributes
    ----------
    name
        What the page is called: its address, its file.
    problem
        What is wrong with it.
    outcome
        The page's outcome, None where there is no page.
    """

    def __init__(self, name: str, problem: str, outcome: PageOutcome | None = None) -> None:
        # What a server sends may put anything into the text of the error that it causes.
        self.name, self.problem, self.outcome = name, " ".join(problem.split()), outcome
        parts = (name, outcome, self.problem) if outcome else (name, self.problem)
        super().__init__(": ".join(parts))
