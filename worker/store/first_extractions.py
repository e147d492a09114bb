"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site, so these pages become outliers of a
provisional generation. It does not count as a clustering: the site remains new, and its later
pages wait for the clustering.
"""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store.advisory_locks import AdvisoryLock
from worker.store.queries import Statements

SQL = Statements("first_extractions")

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering, but has no groups."""

NUMBER = 1  # number of the provisional generation, which is always a site's first

_LOCK_FREE_SITES = SQL.lock_free_sites.bindparams(lock=AdvisoryLock.GENERATION.value)


def lock_free_sites(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Lock the given sites, except those locked by other transactions; return the locked IDs."""
    return list(session.scalars(_LOCK_FREE_SITES, {"sites": list(site_ids)}))


_ADD_PAGES = SQL.add_pages.bindparams(number=NUMBER, method=PROVISIONAL)


def add_pages(session: Session, site_ids: Sequence[int], page_ids: Sequence[int]) -> None:
    """Make pages of new sites outliers of their sites' provisional generations."""
    session.execute(_ADD_PAGES, {"sites": list(site_ids), "pages": list(page_ids)})


_MARK_CLUSTERED = SQL.mark_clustered.bindparams(ungrouped=UNGROUPED, provisional=PROVISIONAL)


def mark_clustered(session: Session, site_id: int) -> None:
    """Turn the provisional generation of a site into a clustering without groups."""
    session.execute(_MARK_CLUSTERED, {"site_id": site_id})


_MARK_SEEN = SQL.mark_seen.bindparams(provisional=PROVISIONAL)


def mark_seen(session: Session, site_ids: Sequence[int]) -> None:
    """Let locked sites be due again only when another page arrives."""
    session.execute(_MARK_SEEN, {"sites": list(site_ids)})
