"""State of the reprocessing of all sites: its progress, and when it may continue."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from models.tables import FollowedRequest, Reprocessing, Site

CATCH_UP = timedelta(minutes=2)
"""Maximum lag behind the requested rate that is caught up; more would cause a burst."""


@dataclass(frozen=True)
class ReprocessingProgress:
    """Progress of the latest reprocessing of all sites; ``state`` is running, paused or ended.

    ``sites_done`` and ``pages`` count the sites and pages that have been started.
    """

    stage: str
    pages_per_minute: float | None
    sites_done: int
    sites: int
    pages: int
    state: str


def is_new_request(session: Session, task_id: str) -> bool:
    """Record a task, and return whether the task is being handled for the first time."""
    added = session.scalar(
        insert(FollowedRequest)
        .values(task_id=task_id)
        .on_conflict_do_nothing(index_elements=[FollowedRequest.task_id])
        .returning(FollowedRequest.id)
    )
    return added is not None


def begin(session: Session, stage: str, pages_per_minute: float | None) -> bool:
    """Start a reprocessing of all existing sites; return False if one is already in progress."""
    last = select(func.coalesce(func.max(Site.id), 0)).scalar_subquery()
    added = session.scalar(
        insert(Reprocessing)
        .values(stage=stage, pages_per_minute=pages_per_minute, last_site_id=last)
        .on_conflict_do_nothing()
        .returning(Reprocessing.id)
    )
    return added is not None


def lock_due(session: Session) -> Reprocessing | None:
    """Lock and return the reprocessing in progress, or return None if none may continue now."""
    return session.scalar(
        select(Reprocessing)
        .where(
            Reprocessing.ended_at.is_(None),
            ~Reprocessing.is_paused,
            Reprocessing.resume_at <= func.now(),
        )
        .with_for_update(skip_locked=True)
    )


def next_site(session: Session, reprocessing: Reprocessing) -> int | None:
    """Return the next site; if there is none, mark the reprocessing as ended and return None."""
    site_id = session.scalar(
        select(func.min(Site.id)).where(
            Site.id > reprocessing.site_id, Site.id <= reprocessing.last_site_id
        )
    )
    if site_id is None:
        reprocessing.ended_at = func.now()
    return site_id


def note_site(session: Session, reprocessing: Reprocessing, site_id: int, pages: int) -> None:
    """Record that a site was started, and delay the next one in proportion to ``pages``."""
    reprocessing.site_id = site_id
    reprocessing.pages += pages
    if reprocessing.pages_per_minute is not None:
        share = timedelta(minutes=pages / reprocessing.pages_per_minute)
        reprocessing.resume_at = (
            func.greatest(Reprocessing.resume_at, func.now() - CATCH_UP) + share
        )
    session.flush()


def pause(session: Session) -> bool:
    """Pause before the next site; return False if nothing is in progress."""
    return _change(session, is_paused=True)


def resume(session: Session) -> bool:
    """Continue a paused reprocessing; return False if nothing is in progress."""
    return _change(session, is_paused=False, resume_at=func.now())


def cancel(session: Session) -> bool:
    """End the reprocessing before its last site; return False if nothing is in progress."""
    return _change(session, ended_at=func.now())


def _change(session: Session, **values: object) -> bool:
    changed = session.scalar(
        update(Reprocessing)
        .where(Reprocessing.ended_at.is_(None))
        .values(**values)
        .returning(Reprocessing.id)
    )
    return changed is not None


def progress(session: Session) -> ReprocessingProgress | None:
    """Return the progress of the latest reprocessing, or None if there never was one."""
    last = session.scalar(select(Reprocessing).order_by(Reprocessing.id.desc()).limit(1))
    if last is None:
        return None
    state = "ended" if last.ended_at is not None else "paused" if last.is_paused else "running"
    return ReprocessingProgress(
        stage=last.stage,
        pages_per_minute=last.pages_per_minute,
        sites_done=_sites_until(session, last.site_id),
        sites=_sites_until(session, last.last_site_id),
        pages=last.pages,
        state=state,
    )


def _sites_until(session: Session, site_id: int) -> int:
    return session.scalar(select(func.count()).select_from(Site).where(Site.id <= site_id)) or 0
