"""Failures of tasks."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from models.tables import TaskFailure
from worker.store.statements import Statements

SQL = Statements("progress")


class LastFailure(NamedTuple):
    """A task's latest failure."""

    failed_at: datetime
    error: str
    traceback: str


def note_failure(session: Session, *, task_id: str, task: str, error: str, traceback: str) -> None:
    """Record why a task failed."""
    session.add(TaskFailure(task_id=task_id, task=task, error=error, traceback=traceback))


def last_failures(session: Session, task_ids: Iterable[str]) -> dict[str, LastFailure]:
    """Return the latest failure of each given task that has failed, by task ID."""
    rows = session.execute(SQL.last_failures, {"ids": list(task_ids)})
    return {task_id: LastFailure(*rest) for task_id, *rest in rows}


def count_failures(session: Session, seconds: float) -> dict[str, int]:
    """Return the number of failures in the last ``seconds``, by task name."""
    return dict(session.execute(SQL.count_failures, {"seconds": seconds}).all())
