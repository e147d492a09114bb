"""Failures of tasks."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.tables import TaskFailure


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
    rows = session.execute(
        select(TaskFailure.task_id, TaskFailure.failed_at, TaskFailure.error, TaskFailure.traceback)
        .where(TaskFailure.task_id.in_(list(task_ids)))
        .order_by(TaskFailure.id)
    )
    return {
        task_id: LastFailure(failed_at, error, traceback)
        for task_id, failed_at, error, traceback in rows
    }


def count_since(session: Session, seconds: float) -> dict[str, int]:
    """Return the number of failures in the last ``seconds``, by task name."""
    rows = session.execute(
        select(TaskFailure.task, func.count())
        .where(TaskFailure.failed_at >= func.now() - timedelta(seconds=seconds))
        .group_by(TaskFailure.task)
        .order_by(TaskFailure.task)
    )
    return dict(rows.all())
