"""The one way in which reading a source fails."""

from pathlib import Path

from worker.errors import ExpectedError


class SourceError(ExpectedError):
    """A source that cannot be read, or not to its end; the message is one line for a person.

    Parameters
    ----------
    path
        The file or folder.
    problem
        What is wrong with it.
    """

    def __init__(self, path: Path | str, problem: str) -> None:
        # A damaged file may put anything into the text of the error that it causes.
        self.path, self.problem = path, " ".join(problem.split())
        super().__init__(" ".join(f"{path}: {problem}".split()))
