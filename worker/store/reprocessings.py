"""State of the reprocessing of all sites: its progress, and when it may continue."""

from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from worker.store.queries import Statements

SQL = Statements("reprocessings")


class ReprocessingProgress(NamedTuple):
    """Settings of the latest reprocessing of all sites, and the sites and pages it has started."""

    stage: str
    pages_per_minute: float | None
    sites_done: int
    sites: int
    pages: int
    is_running: bool


def cancel(session: Session) -> bool:
    """Cancel the reprocessing in progress; return False if there is none."""
    changed: Any = session.execute(SQL.cancel)
    return bool(changed.rowcount)


def progress(session: Session) -> ReprocessingProgress | None:
    """Return the progress of the latest reprocessing, or None if there never was one."""
    row = session.execute(SQL.progress).one_or_none()
    return None if row is None else ReprocessingProgress(*row)
