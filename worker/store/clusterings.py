"""Clustering requests and attempts, and quarantined sites.

A killed process reports nothing, so each attempt is counted in a separate transaction before it
starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from detourage.text.plural import counted
from worker.store.provisional import PROVISIONAL
from worker.store.queries import Statements

SQL = Statements("clusterings")


@dataclass(frozen=True)
class Quarantine:
    """When and why a site was quarantined: clustering is disabled for it."""

    since: datetime
    reason: str


def give_up(session: Session, site_id: int) -> Quarantine:
    """Quarantine a site, and subtract the attempt that was counted but not made."""
    since, number, error = session.execute(SQL.give_up, {"site_id": site_id}).one()
    return Quarantine(since, quarantine_reason(number, error))


def quarantine(session: Session, site_id: int) -> Quarantine | None:
    """Return the quarantine of a site, or None if it is not quarantined."""
    row = session.execute(SQL.quarantine, {"site_id": site_id}).one_or_none()
    return Quarantine(row.quarantined_at, quarantine_reason(row.number, row.error)) if row else None


def quarantine_reason(attempts: int, error: str | None) -> str:
    """Return why clustering is disabled for a site after a number of attempts."""
    how = f"the last error was {error}" if error else "its process ended, or it took too long"
    return f"clustering was started {counted(attempts, 'time')} but never finished: {how}"


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


_DUE = SQL.due.bindparams(provisional=PROVISIONAL)


def due_sites(
    session: Session,
    settle: SettleTimes,
    *,
    patience_seconds: float,
    pauses_seconds: Sequence[float] = (),
    first_at_once: bool = False,
) -> list[DueSite]:
    """Return the settled sites whose pages have changed since their last clustering.

    With ``first_at_once``, new sites do not wait to settle. Excluded are sites for which `begin`
    would return None, and sites whose clustering or comparisons have been requested within
    ``patience_seconds`` and are still pending.
    """
    asked = {
        **vars(settle),
        "patience": patience_seconds,
        "pauses_seconds": list(pauses_seconds),
        "first_at_once": first_at_once,
    }
    return [DueSite(*row) for row in session.execute(_DUE, asked)]
