"""The folder next to a run's output, from which an unfinished run can be resumed."""

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import uuid4

from detourage.expected_errors import ExpectedError

Leftover = Literal["refuse", "resume", "overwrite"]  # treatment of an earlier run or its output


class UnfinishedRunError(ExpectedError):
    """The output or folder of another run prevents this run; the message says what to do."""


class RunFolder:
    """The folder of a run, locked by this process; ``run_id`` is the prefix of message IDs."""

    def __init__(self, path: Path, leftover: Leftover) -> None:
        """Resume, discard or refuse an unfinished run; raise `UnfinishedRunError` to refuse it."""
        self.path = path
        self.services = path / "services"
        self.run_id = f"run-{uuid4()}-"
        self._run_file = path / "run.json"
        self._conditions: Mapping[str, object] = {}
        if leftover == "overwrite":
            self._run_file.unlink(missing_ok=True)
        self.is_resumed = self.is_unfinished
        if not self.is_resumed:
            return
        try:
            begun = json.loads(self._run_file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UnfinishedRunError(
                f"{self._run_file} is damaged: use --overwrite to start over"
            ) from error
        if leftover == "refuse":
            raise UnfinishedRunError(
                f"{path} contains an unfinished run of {begun['at']}: use --resume"
                " to continue it or --overwrite to start over"
            )
        self.run_id, self._conditions = begun["id"], begun["conditions"]

    @property
    def is_unfinished(self) -> bool:
        """Whether the folder contains a run that can be resumed."""
        return self._run_file.exists()

    def require(self, conditions: Mapping[str, object]) -> None:
        """Record the run's conditions; raise `UnfinishedRunError` if the resumed run had others."""
        changed = [name for name in conditions if self._conditions.get(name) != conditions[name]]
        if self.is_resumed and changed:
            raise UnfinishedRunError(
                f"{self.path}: the run was started with a different {', '.join(changed)}: use the"
                " same value, or start over with --overwrite"
            )
        self._conditions = conditions

    def begin(self) -> None:
        """Record that the run can be resumed from now on."""
        if self.is_unfinished:
            return
        at = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        begun = {"id": self.run_id, "at": at, "conditions": self._conditions}
        draft = self._run_file.with_suffix(".draft")
        draft.write_text(json.dumps(begun), encoding="utf-8")
        draft.replace(self._run_file)

    def finish(self) -> None:
        """Record that the run is complete."""
        self._run_file.unlink(missing_ok=True)


def quarantine_of(output: Path) -> Path:
    """Return the file for a run's unusable messages."""
    return output.with_name(f"{output.name}.quarantine.jsonl")


@contextmanager
def run_folder(output: Path, leftover: Leftover) -> Iterator[RunFolder]:
    """Lock the folder of a run, ``OUTPUT.run``, and remove it once the run is finished."""
    path = output.with_name(f"{output.name}.run")
    path.mkdir(parents=True, exist_ok=True)
    # The kernel releases the lock no matter how this process ends.
    with (path / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnfinishedRunError(
                f"another run is writing {output}: wait for it, or choose another output"
            ) from None
        folder = RunFolder(path, leftover)
        try:
            may_write = folder.is_resumed or leftover == "overwrite"
            if not may_write and output.exists() and output.stat().st_size:
                raise UnfinishedRunError(
                    f"{output} exists, but is not from an interrupted run: use --overwrite to"
                    " replace it, or choose another output"
                )
            yield folder
        finally:
            if not folder.is_unfinished:
                shutil.rmtree(folder.services, ignore_errors=True)
                for name in ("run.draft", "lock"):
                    (path / name).unlink(missing_ok=True)
                with suppress(OSError):
                    # The folder may contain files of other programs.
                    path.rmdir()
