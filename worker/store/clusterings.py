"""Clustering requests and attempts, and quarantined sites.

A killed process reports nothing, so each attempt is counted in a separate transaction before it
starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from models.tables import ClusteringAttempt
from worker.store.pages import only_sites
from worker.text.plural import counted

MAX_ERROR_LENGTH = 500
"""Maximum length of a stored error; the full traceback is stored with the failed task."""


@dataclass(frozen=True)
class Quarantine:
    """When and why clustering was disabled for a site."""

    since: datetime
    reason: str


def begin(session: Session, site_id: int, pauses_seconds: Sequence[float]) -> int | None:
    """Consume the pending request, and return the number of attempts since the last success.

    The number includes this attempt; None if clustering must not start yet. ``pauses_seconds``
    holds the pause after each attempt; attempts beyond its end are not followed by a pause.
    """
    wanted = {"site_id": site_id, "pauses_seconds": list(pauses_seconds)}
    attempts: int | None = session.scalar(_BEGIN, wanted)
    return attempts


def resting_sites(session: Session, pauses_seconds: Sequence[float]) -> set[int]:
    """Return the IDs of the sites for which `begin` would return None."""
    return {*session.scalars(_RESTING, {"pauses_seconds": list(pauses_seconds)})}


_MAY_BEGIN = """
    clustering_attempts.quarantined_at IS NULL
    AND clustering_attempts.began_at <= now() - make_interval(
        secs => coalesce(
            (CAST(:pauses_seconds AS double precision[]))[clustering_attempts.number], 0
        )
    )
"""
_BEGIN = text(f"""
    WITH taken AS (
        DELETE FROM clustering_requests WHERE site_id = :site_id
    )
    INSERT INTO clustering_attempts (site_id, number) VALUES (:site_id, 1)
    ON CONFLICT (site_id) DO UPDATE
    SET number = clustering_attempts.number + 1, began_at = now() WHERE {_MAY_BEGIN}
    RETURNING number
""")  # noqa: S608
_RESTING = text(f"SELECT site_id FROM clustering_attempts WHERE NOT ({_MAY_BEGIN})")  # noqa: S608


def note_asked(session: Session, site_ids: Sequence[int]) -> None:
    """Record that clustering was requested for sites."""
    session.execute(_NOTE_ASKED, {"site_ids": sorted(site_ids)})


def note_taken(session: Session, site_id: int) -> None:
    """Record that a worker picked up the clustering request for a site."""
    session.execute(_NOTE_TAKEN, {"site_id": site_id})


_NOTE_ASKED = text("""
    INSERT INTO clustering_requests (site_id) SELECT unnest(CAST(:site_ids AS bigint[]))
    ON CONFLICT (site_id) DO UPDATE SET asked_at = now()
""")
_NOTE_TAKEN = text("DELETE FROM clustering_requests WHERE site_id = :site_id")


def note_error(session: Session, site_id: int, error: str) -> None:
    """Record the error with which a site's clustering failed."""
    _change(session, site_id, error=error[:MAX_ERROR_LENGTH])


def give_up(session: Session, site_id: int) -> Quarantine:
    """Disable clustering for a site; the counted attempt was not made and is subtracted."""
    _change(session, site_id, number=ClusteringAttempt.number - 1, quarantined_at=func.now())
    found = quarantine(session, site_id)
    assert found is not None
    return found


def forget(session: Session, site_id: int) -> None:
    """Delete a site's attempts, which also ends its quarantine."""
    session.execute(_FORGET, {"site_id": site_id})


_FORGET = text("DELETE FROM clustering_attempts WHERE site_id = :site_id")


def quarantine(session: Session, site_id: int) -> Quarantine | None:
    """Return the quarantine of a site, or None if clustering is enabled."""
    return quarantines(session, [site_id]).get(site_id)


def quarantines(session: Session, site_ids: Sequence[int] | None) -> dict[int, Quarantine]:
    """Return the quarantines of the given sites, or of all sites if None, by site ID."""
    query = select(
        ClusteringAttempt.site_id,
        ClusteringAttempt.quarantined_at,
        ClusteringAttempt.number,
        ClusteringAttempt.error,
    ).where(ClusteringAttempt.quarantined_at.is_not(None))
    rows = session.execute(only_sites(query, ClusteringAttempt.site_id, site_ids))
    return {
        site_id: Quarantine(since, _reason(number, error))
        for site_id, since, number, error in rows
        if since is not None
    }


def _reason(number: int, error: str | None) -> str:
    how = f"the last error was {error}" if error else "its process ended, or it took too long"
    return f"clustering was started {counted(number, 'time')} but never finished: {how}"


def count_quarantined(session: Session) -> int:
    """Return the number of sites for which clustering is disabled."""
    query = select(func.count()).where(ClusteringAttempt.quarantined_at.is_not(None))
    return session.scalar(query) or 0


def _change(session: Session, site_id: int, **values: object) -> None:
    session.execute(
        update(ClusteringAttempt)
        .where(ClusteringAttempt.site_id == site_id)
        .values(**values)
        .execution_options(synchronize_session=False)
    )
