"""State of the reprocessing of all sites: its progress, and when it may continue."""

from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from worker.store.queries import Statements

SQL = Statements("reprocessings")


def cancel(session: Session) -> bool:
    """Cancel the reprocessing in progress; return False if there is none."""
    changed: Any = session.execute(SQL.cancel)
    return bool(changed.rowcount)


def progress(session: Session) -> Row[Any] | None:
    """Return the progress of the latest reprocessing, or None if there never was one."""
    return session.execute(SQL.progress).one_or_none()
