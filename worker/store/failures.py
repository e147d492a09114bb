"""Failures of tasks."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from models.tables import TaskFailure
from worker.store.database import sql


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
    query = sql("""
        SELECT DISTINCT ON (task_id) task_id, failed_at, error, traceback FROM task_failures
        WHERE task_id = ANY (CAST(:ids AS text[]))
        ORDER BY task_id, id DESC
    """)
    rows = session.execute(query, {"ids": list(task_ids)})
    return {task_id: LastFailure(*rest) for task_id, *rest in rows}


def count_failures(session: Session, seconds: float) -> dict[str, int]:
    """Return the number of failures in the last ``seconds``, by task name."""
    query = sql("""
        SELECT task, count(*) FROM task_failures
        WHERE failed_at >= now() - make_interval(secs => :seconds)
        GROUP BY task ORDER BY task
    """)
    return dict(session.execute(query, {"seconds": seconds}).all())
