"""Requests and attempts to cluster sites; a site in quarantine is no longer clustered."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from detourage.text.plural import pluralise
from worker.store.first_extractions import PROVISIONAL
from worker.store.queries import Statements

SQL = Statements("clusterings")


def quarantine_site(session: Session, site_id: int) -> str:
    """Put a site into quarantine without counting the current attempt, and return the reason."""
    _, number, error = session.execute(SQL.quarantine_site, {"site_id": site_id}).one()
    return quarantine_reason(number, error)


def quarantine_reason(attempts: int, error: str | None) -> str:
    """Return the reason why a site is in quarantine after a number of attempts to cluster it."""
    how = f"the last error was {error}" if error else "its process ended, or it took too long"
    return f"clustering was started {pluralise(attempts, 'time')} but never finished: {how}"


class SettleTimes(NamedTuple):
    """Seconds until a changed site is settled, and thus due for clustering.

    A new site has never been clustered. Other sites settle after `silence` only if the pages that
    have been assigned amount to `growth`, where those that fit a group count as a quarter. If all
    changes are such pages, the wait is not limited to `longest`.
    """

    silence: float  # time without a changed page after which a site is settled
    first_silence: float  # time without a changed page after which a new site is settled
    longest: float  # maximum time that a site waits to settle, counted from its latest clustering
    first_longest: float  # the same for a site with few pages, or counted from a new site's first
    growth: float = 0  # minimum new pages since the latest clustering, as a share of all pages


class DueSite(NamedTuple):
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
    backlog_limit: int = 0,
) -> list[DueSite]:
    """Return the changed sites that have settled and whose clustering has not been requested.

    Requests older than ``patience_seconds`` count as lost. While the backlog is full (see
    `progress.is_backlog_full`), sites that have never been clustered need not have settled.
    """
    limits = {"patience": patience_seconds, "pauses_seconds": list(pauses_seconds)}
    backlog = {"most": backlog_limit, "repeated": [], "counts_repeated": True}
    return [
        DueSite(*row) for row in session.execute(_DUE, {**settle._asdict(), **limits, **backlog})
    ]
