"""What a run has beside its output: until it is finished, a folder that it can go on from.

Only the standard library: a run is refused before its libraries are imported.
"""

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import uuid4

from worker.errors import ExpectedError

Leftover = Literal["refuse", "resume", "overwrite"]
"""What becomes of an earlier run into the same file that is not finished."""


class UnfinishedRunError(ExpectedError):
    """An earlier run into the same file is in the way; the message says what to do about it."""


class RunFolder:
    """The folder of a run, which this process holds.

    Attributes
    ----------
    path
        Where it is.
    run_id
        What the ids of the run's messages begin with.
    is_resumed
        Whether an earlier process has begun the run.
    is_unfinished
        Whether there is something to go on with.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id = f"run-{uuid4()}-"
        self.is_resumed = self.is_unfinished = False
        self._begun = path / "run.json"
        self._conditions: Mapping[str, object] = {}

    @property
    def services(self) -> Path:
        """Directory of embedded services."""
        return self.path / "services"

    def take_up(self, leftover: Leftover) -> None:
        """Deal with what an earlier process left.

        Raises
        ------
        UnfinishedRunError
            If it is a run that is not finished, and nothing was said about it.
        """
        if leftover == "overwrite":
            self._begun.unlink(missing_ok=True)
        try:
            begun = json.loads(self._begun.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except ValueError as error:
            raise UnfinishedRunError(
                f"{self._begun} is damaged: --overwrite begins anew"
            ) from error
        if leftover == "refuse":
            raise UnfinishedRunError(
                f"{self.path} holds a run that was begun {begun['at']} and not finished: --resume"
                " goes on with it, --overwrite begins anew"
            )
        self.run_id, self._conditions = begun["id"], begun["conditions"]
        self.is_resumed = self.is_unfinished = True

    def require(self, conditions: Mapping[str, object]) -> None:
        """Note what the articles depend on beside the pages; a run that goes on has the same.

        Raises
        ------
        UnfinishedRunError
            If it has not.
        """
        if self.is_resumed and (
            differing := [k for k, v in conditions.items() if self._conditions.get(k) != v]
        ):
            raise UnfinishedRunError(
                f"{self.path}: the run was begun with another {', '.join(differing)}: go on with"
                " the same, or begin anew with --overwrite"
            )
        self._conditions = conditions

    def begin(self) -> None:
        """Note that there is something to go on with from now on."""
        if self.is_unfinished:
            return
        at = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        begun = {"id": self.run_id, "at": at, "conditions": self._conditions}
        draft = self._begun.with_suffix(".draft")
        draft.write_text(json.dumps(begun), encoding="utf-8")
        draft.replace(self._begun)
        self.is_unfinished = True

    def finish(self) -> None:
        """Note that there is nothing to go on with."""
        self._begun.unlink(missing_ok=True)
        self.is_unfinished = False

    def remove(self) -> None:
        """Remove the folder; what is in it of others stays."""
        shutil.rmtree(self.services, ignore_errors=True)
        for name in ("run.draft", "lock"):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()


def quarantine_of(output: Path) -> Path:
    """Return the file for the unusable messages of a run."""
    return output.with_name(f"{output.name}.quarantine.jsonl")


@contextmanager
def run_folder(output: Path, leftover: Leftover) -> Iterator[RunFolder]:
    """Hold the folder of a run, ``OUTPUT.run``, and remove it when the run is finished.

    Parameters
    ----------
    output
        File for the articles, whose folder is made if absent.
    leftover
        What to do about an earlier run that is not finished. To resume where there is none is
        to begin.

    Raises
    ------
    UnfinishedRunError
        If such a run is in the way, or still under way.
    """
    path = output.with_name(f"{output.name}.run")
    path.mkdir(parents=True, exist_ok=True)
    # The kernel lets go of it however this process ends.
    with (path / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnfinishedRunError(
                f"another run is writing {output}: wait for it, or choose another output"
            ) from None
        folder = RunFolder(path)
        folder.take_up(leftover)
        try:
            yield folder
        finally:
            if not folder.is_unfinished:
                folder.remove()
