"""Clustering requests and attempts, and quarantined sites.

A killed process reports nothing, so each attempt is counted in a separate transaction before it
starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from detourage.text.plural import counted
from worker.store.database import has_passed, sql
from worker.store.provisional import PROVISIONAL

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
    query = sql(f"""
        WITH taken AS (
            DELETE FROM clustering_requests WHERE site_id = :site_id
        )
        INSERT INTO clustering_attempts (site_id, number) VALUES (:site_id, 1)
        ON CONFLICT (site_id) DO UPDATE
        SET number = clustering_attempts.number + 1, began_at = now() WHERE {_MAY_BEGIN}
        RETURNING number
    """)  # noqa: S608
    attempts: int | None = session.scalar(query, wanted)
    return attempts


def resting_sites(session: Session, pauses_seconds: Sequence[float]) -> set[int]:
    """Return the IDs of the sites for which `begin` would return None."""
    query = sql(f"SELECT site_id FROM clustering_attempts WHERE NOT ({_MAY_BEGIN})")  # noqa: S608
    return {*session.scalars(query, {"pauses_seconds": list(pauses_seconds)})}


_MAY_BEGIN = """
    clustering_attempts.quarantined_at IS NULL
    AND """ + has_passed(
    "clustering_attempts.began_at",
    """make_interval(secs => coalesce(
        (CAST(:pauses_seconds AS double precision[]))[clustering_attempts.number], 0
    ))""",
)


def note_asked(session: Session, site_ids: Sequence[int]) -> None:
    """Record that clustering was requested for sites."""
    query = sql("""
        INSERT INTO clustering_requests (site_id) SELECT unnest(CAST(:site_ids AS bigint[]))
        ON CONFLICT (site_id) DO UPDATE SET asked_at = now()
    """)
    session.execute(query, {"site_ids": sorted(site_ids)})


def note_taken(session: Session, site_id: int) -> None:
    """Record that a worker picked up the clustering request for a site."""
    query = sql("DELETE FROM clustering_requests WHERE site_id = :site_id")
    session.execute(query, {"site_id": site_id})


def note_error(session: Session, site_id: int, error: str) -> None:
    """Record the error with which a site's clustering failed."""
    query = sql("UPDATE clustering_attempts SET error = :error WHERE site_id = :site_id")
    session.execute(query, {"site_id": site_id, "error": error[:MAX_ERROR_LENGTH]})


def give_up(session: Session, site_id: int) -> Quarantine:
    """Disable clustering for a site, and subtract the attempt that was counted but not made."""
    query = sql("""
        UPDATE clustering_attempts SET number = number - 1, quarantined_at = now()
        WHERE site_id = :site_id
    """)
    session.execute(query, {"site_id": site_id})
    found = quarantine(session, site_id)
    assert found is not None
    return found


def forget(session: Session, site_id: int) -> None:
    """Delete a site's attempts, which also ends its quarantine."""
    query = sql("DELETE FROM clustering_attempts WHERE site_id = :site_id")
    session.execute(query, {"site_id": site_id})


def quarantine(session: Session, site_id: int) -> Quarantine | None:
    """Return the quarantine of a site, or None if clustering is enabled."""
    return quarantines(session, [site_id]).get(site_id)


def quarantines(session: Session, site_ids: Sequence[int] | None) -> dict[int, Quarantine]:
    """Return the quarantines of the given sites, or of all sites if None, by site ID."""
    query = sql("""
        SELECT site_id, quarantined_at, number, error FROM clustering_attempts
        WHERE quarantined_at IS NOT NULL
            AND (CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[])))
    """)
    return {
        site_id: Quarantine(since, _reason(number, error))
        for site_id, since, number, error in session.execute(query, {"ids": site_ids})
    }


def _reason(number: int, error: str | None) -> str:
    how = f"the last error was {error}" if error else "its process ended, or it took too long"
    return f"clustering was started {counted(number, 'time')} but never finished: {how}"


def count_quarantined(session: Session) -> int:
    """Return the number of sites for which clustering is disabled."""
    query = sql("SELECT count(*) FROM clustering_attempts WHERE quarantined_at IS NOT NULL")
    return int(session.execute(query).scalar_one())


@dataclass(frozen=True)
class SettleTimes:
    """Waiting times, in seconds, before a site is clustered."""

    silence: float
    """Minimum time without a changed page for a site to be settled."""
    first_silence: float
    """Same as ``silence``, for a site that has never been clustered."""
    longest: float
    """Maximum time that a site waits to settle, counted from its latest clustering."""
    first_longest: float
    """Same as ``longest``, for a site that has never been clustered; counted from its first
    page."""


@dataclass(frozen=True)
class DueSite:
    """A site to be clustered; ``is_new`` means that it has never been clustered."""

    id: int
    is_new: bool
    pages: int


_DUE = sql(f"""
    SELECT sites.id, last.at IS NULL, (SELECT count(*) FROM pages WHERE site_id = sites.id)
    FROM sites LEFT JOIN (
        SELECT site_id, max(site_version) AS version, max(created_at) AS at FROM generations
        WHERE method <> :provisional GROUP BY site_id
    ) AS last ON last.site_id = sites.id
    LEFT JOIN (
        SELECT site_id, min(asked_at) AS oldest FROM comparison_blocks GROUP BY site_id
    ) AS blocks ON blocks.site_id = sites.id
    LEFT JOIN clustering_requests AS requests ON requests.site_id = sites.id
    WHERE sites.version > coalesce(last.version, 0)
        AND (requests.asked_at IS NULL OR {has_passed("requests.asked_at", ":patience")})
        AND (blocks.oldest IS NULL OR {has_passed("blocks.oldest", ":patience")})
        AND (
            {has_passed("changed_at", ":silence")}
            OR {has_passed("last.at", ":longest")}
            OR last.at IS NULL AND (
                :first_at_once
                OR {has_passed("changed_at", ":first_silence")}
                OR (SELECT min(received_at) FROM pages WHERE site_id = sites.id)
                    <= now() - :first_longest
            )
        )
    ORDER BY changed_at, sites.id
""").bindparams(provisional=PROVISIONAL)  # noqa: S608


def due_sites(
    session: Session,
    settle: SettleTimes,
    *,
    patience_seconds: float,
    pauses_seconds: Sequence[float] = (),
    first_at_once: bool = False,
) -> list[DueSite]:
    """Return the settled sites whose pages have changed since their last clustering.

    With ``first_at_once``, new sites do not wait to settle. Excluded are resting sites
    (`worker.store.clusterings.resting_sites`), and sites whose clustering or comparisons have been
    requested within ``patience_seconds`` and are still pending.
    """
    resting = resting_sites(session, pauses_seconds)
    waits = {**vars(settle), "patience": patience_seconds}
    asked = {name: timedelta(seconds=seconds) for name, seconds in waits.items()}
    rows = session.execute(_DUE, {**asked, "first_at_once": first_at_once})
    return [site for site in (DueSite(*row) for row in rows) if site.id not in resting]
