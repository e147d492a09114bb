"""Sites due for clustering."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from worker.store.clusterings import resting_sites
from worker.store.provisional import PROVISIONAL


@dataclass(frozen=True)
class SettleTimes:
    """Waiting times, in seconds, before a site is clustered."""

    silence: float
    """Minimum time without a changed page for a site to be settled."""
    first_silence: float
    """Same as ``silence``, for a site that has never been clustered."""
    longest: float
    """Maximum time since the latest clustering for which the site waits to settle."""
    first_longest: float
    """Maximum time since the first page, for a site that has never been clustered."""


@dataclass(frozen=True)
class DueSite:
    """A site to be clustered; ``is_new`` means that it has never been clustered."""

    id: int
    is_new: bool
    pages: int


_DUE = text("""
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
        AND (requests.asked_at IS NULL OR requests.asked_at <= now() - :patience)
        AND (blocks.oldest IS NULL OR blocks.oldest <= now() - :patience)
        AND (
            changed_at <= now() - :silence
            OR last.at <= now() - :longest
            OR last.at IS NULL AND (
                :first_at_once
                OR changed_at <= now() - :first_silence
                OR (SELECT min(received_at) FROM pages WHERE site_id = sites.id)
                    <= now() - :first_longest
            )
        )
    ORDER BY changed_at, sites.id
""").bindparams(provisional=PROVISIONAL)


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
