"""State of the reprocessing of all sites: its progress, and when it may continue."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from worker.store.queries import Statements

SQL = Statements("reprocessings")

CATCH_UP = timedelta(minutes=2)
"""Maximum lag behind the requested rate that is caught up; more would cause a burst."""


@dataclass(frozen=True)
class ReprocessingProgress:
    """Progress of the latest reprocessing of all sites; which is running or has ended.

    ``sites_done`` and ``pages`` count the sites and pages that have been started.
    """

    stage: str
    pages_per_minute: float | None
    sites_done: int
    sites: int
    pages: int
    is_running: bool


def is_new_request(session: Session, task_id: str) -> bool:
    """Record a task, and return whether the task is being handled for the first time."""
    return session.scalar(SQL.is_new_request, {"task_id": task_id}) is not None


def begin(session: Session, stage: str, pages_per_minute: float | None) -> bool:
    """Start a reprocessing of all existing sites; return False if one is already in progress."""
    return session.scalar(SQL.begin, {"stage": stage, "rate": pages_per_minute}) is not None


class Reprocessing(NamedTuple):
    """The reprocessing in progress, whose latest site is ``site_id``."""

    id: int
    stage: str
    site_id: int
    last_site_id: int


def lock_due(session: Session) -> Reprocessing | None:
    """Lock and return the reprocessing in progress, or return None if none may continue now."""
    row = session.execute(SQL.lock_due).one_or_none()
    return None if row is None else Reprocessing(*row)


def next_site(session: Session, reprocessing: Reprocessing) -> int | None:
    """Return the next site; if there is none, mark the reprocessing as ended and return None."""
    asked = {"after": reprocessing.site_id, "last": reprocessing.last_site_id}
    site_id: int | None = session.scalar(SQL.next_site, asked)
    if site_id is None:
        cancel(session)
    return site_id


def note_site(session: Session, reprocessing: Reprocessing, site_id: int, pages: int) -> None:
    """Record that a site was started, and delay the next one in proportion to ``pages``."""
    done = {"id": reprocessing.id, "site_id": site_id, "pages": pages, "catch_up": CATCH_UP}
    session.execute(SQL.note_site, done)


def cancel(session: Session) -> bool:
    """Cancel the reprocessing in progress; return False if there is none."""
    changed: Any = session.execute(SQL.cancel)
    return bool(changed.rowcount)


def progress(session: Session) -> ReprocessingProgress | None:
    """Return the progress of the latest reprocessing, or None if there never was one."""
    row = session.execute(SQL.progress).one_or_none()
    return None if row is None else ReprocessingProgress(*row)
