"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site, so the page becomes an outlier of a
provisional generation. Such a generation does not count as a clustering: the site remains new, and
later pages wait.
"""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store.database import AdvisoryLock
from worker.store.queries import Statements

SQL = Statements("provisional")

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering, but has no groups."""

NUMBER = 1  # number of the provisional generation, which is always a site's first

_HOLD = SQL.hold.bindparams(lock=AdvisoryLock.GENERATION.value)


def hold(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Lock those of the sites that no other transaction has locked, and return their IDs."""
    return list(session.scalars(_HOLD, {"sites": list(site_ids)}))


_PLACE = SQL.place.bindparams(number=NUMBER, method=PROVISIONAL)


def place(session: Session, site_ids: Sequence[int], page_ids: Sequence[int]) -> None:
    """Make pages of new sites outliers of the site's provisional generation."""
    session.execute(_PLACE, {"sites": list(site_ids), "pages": list(page_ids)})


_COUNT_AS_CLUSTERED = SQL.count_as_clustered.bindparams(
    ungrouped=UNGROUPED, provisional=PROVISIONAL
)


def count_as_clustered(session: Session, site_ids: Sequence[int], *, has_seen_all: bool) -> None:
    """Turn provisional generations of locked sites into clusterings without groups."""
    session.execute(_COUNT_AS_CLUSTERED, {"sites": list(site_ids), "has_seen_all": has_seen_all})
