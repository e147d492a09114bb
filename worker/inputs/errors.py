"""The error that is raised when a source cannot be read."""

from pathlib import Path

from worker.errors import ExpectedError


class SourceError(ExpectedError):
    """A source cannot be read completely; the message tells users why in one line."""

    def __init__(self, path: Path | str, problem: str) -> None:
        # A damaged file may inject line breaks into error messages, which must stay on one line.
        self.path, self.problem = path, " ".join(problem.split())
        super().__init__(" ".join(f"{path}: {problem}".split()))
