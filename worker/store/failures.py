"""Why tasks failed."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from models.tables import TaskFailure


class Failure(NamedTuple):
    """The last failure of a task."""

    failed_at: datetime
    error: str
    traceback: str


def note_failure(session: Session, *, task_id: str, task: str, error: str, traceback: str) -> None:
    """Note why a task failed."""
    session.add(TaskFailure(task_id=task_id, task=task, error=error, traceback=traceback))


def last_failures(session: Session, task_ids: Iterable[str]) -> dict[str, Failure]:
    """Return the last failure of each of some tasks that failed."""
    rows = session.execute(
        select(TaskFailure.task_id, TaskFailure.failed_at, TaskFailure.error, TaskFailure.traceback)
        .where(TaskFailure.task_id.in_(list(task_ids)))
        .order_by(TaskFailure.id)
    )
    return {
        task_id: Failure(failed_at, error, traceback)
        for task_id, failed_at, error, traceback in rows
    }
