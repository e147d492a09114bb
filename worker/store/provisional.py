"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site, so the page becomes an outlier of a
provisional generation. Such a generation does not count as a clustering: the site remains new, and
later pages wait.
"""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store.database import AdvisoryLock
from worker.store.queries import Statements

SQL = Statements("provisional")

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering, but has no groups."""

NUMBER = 1
"""Number of the provisional generation, which is always a site's first."""


def urgent_pages(
    session: Session,
    *,
    alone_seconds: float,
    watched_seconds: float,
    patience_seconds: float,
    limit: int,
) -> dict[int, int]:
    """Return the longest-waiting pages that must not wait any longer, mapped to their site IDs.

    They are alone on their site, or have waited for its first clustering for ``patience_seconds``.
    Only pages that have waited between ``alone_seconds`` and ``watched_seconds`` count as alone: a
    page with siblings by then will never be alone. ``limit`` applies to either kind.
    """
    asked = {
        "alone": alone_seconds,
        "watched": watched_seconds,
        "patience": patience_seconds,
        "limit": limit,
    }
    return dict(session.execute(SQL.urgent_pages, asked).all())


_HOLD = SQL.hold.bindparams(lock=AdvisoryLock.GENERATION.value)


def hold(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Lock those sites that are not yet locked, and return their IDs.

    The locks are held until the transaction ends.
    """
    return list(session.scalars(_HOLD, {"sites": list(site_ids)}))


def still_waiting(
    session: Session, page_ids: Sequence[int], site_ids: Sequence[int]
) -> dict[int, list[int]]:
    """Return the given pages still waiting for the first clustering of these sites, by site ID."""
    asked = {"pages": list(page_ids), "sites": list(site_ids)}
    by_site: defaultdict[int, list[int]] = defaultdict(list)
    for site_id, page_id in session.execute(SQL.still_waiting, asked):
        by_site[site_id].append(page_id)
    return by_site


_ADD_GENERATIONS = SQL.add_generations.bindparams(number=NUMBER, method=PROVISIONAL)
_ADD_OUTLIERS = SQL.add_outliers.bindparams(number=NUMBER)


def place(session: Session, site_ids: Sequence[int], page_ids: Sequence[int]) -> None:
    """Make pages of new sites outliers of the site's provisional generation."""
    session.execute(_ADD_GENERATIONS, {"sites": list(site_ids)})
    session.execute(_ADD_OUTLIERS, {"pages": list(page_ids)})


def without_siblings(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Return the given sites that are new and have fewer than two comparable pages."""
    return list(session.scalars(SQL.without_siblings, {"sites": list(site_ids)}))


def comparable_pages(session: Session, site_ids: Sequence[int]) -> dict[int, bool]:
    """Return for each of the sites' pages with a tree, by ID, whether it still waits."""
    return dict(session.execute(SQL.comparable_pages, {"sites": list(site_ids)}).all())


_COUNT_AS_CLUSTERED = SQL.count_as_clustered.bindparams(
    ungrouped=UNGROUPED, provisional=PROVISIONAL
)


def count_as_clustered(session: Session, site_ids: Sequence[int], *, has_seen_all: bool) -> None:
    """Turn the provisional generations of locked sites into clusterings without groups.

    With ``has_seen_all``, all their current pages count as clustered; otherwise, none do.
    """
    session.execute(_COUNT_AS_CLUSTERED, {"sites": list(site_ids), "has_seen_all": has_seen_all})


def overlooked(session: Session, site_id: int, generation: int) -> list[tuple[int, int]]:
    """Return a site's waiting pages that are not in the given generation, ascending.

    Each has the current version of the site.
    """
    rows = session.execute(SQL.overlooked, {"site_id": site_id, "generation": generation})
    return [(page_id, version) for page_id, version in rows]
