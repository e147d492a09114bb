"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site, so the page becomes an outlier of a
provisional generation. It does not count as a clustering: the site remains new, and later pages
wait.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from models.tables import Generation, Membership, Site, StoredPage
from worker.store.locks import AdvisoryLock

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering, but has no groups."""

NUMBER = 1
"""Number of the provisional generation, which is always a site's first."""


def has_clustering(site_id: ColumnElement[int] | InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: the site has a generation that is not provisional."""
    return exists().where(Generation.site_id == site_id, Generation.method != PROVISIONAL)


def _is_unasked() -> ColumnElement[bool]:
    """Condition: the page has a tree but no outcome, and no extraction has been requested."""
    return and_(
        StoredPage.outcome.is_(None),
        StoredPage.tree_id.is_not(None),
        StoredPage.extracted_generation >= StoredPage.generation,
    )


def _comparable_pages(
    site_id: ColumnElement[int] | InstrumentedAttribute[int],
) -> ColumnElement[int]:
    """Return the number of a site's pages that have a tree, at most 2."""
    page = aliased(StoredPage)
    some = (
        select(page.id)
        .where(page.site_id == site_id, page.tree_id.is_not(None))
        .limit(2)
        .correlate_except(page)
        .subquery()
    )
    return select(func.count()).select_from(some).scalar_subquery()


def lone_pages(
    session: Session, *, alone_seconds: float, watched_seconds: float, most: int
) -> dict[int, int]:
    """Return the longest-waiting pages that are alone on their site, mapped to their site IDs.

    Only pages that have waited between ``alone_seconds`` and ``watched_seconds`` are considered: a
    page with siblings by then will never be alone.
    """
    now = func.now()
    since, until = now - timedelta(seconds=watched_seconds), now - timedelta(seconds=alone_seconds)
    is_alone = and_(
        StoredPage.waiting_since.between(since, until), _comparable_pages(StoredPage.site_id) == 1
    )
    return _of_new_sites(session, is_alone, most)


def late_pages(session: Session, *, patience_seconds: float, most: int) -> dict[int, int]:
    """Return the longest-waiting pages overdue for a first clustering, mapped to site IDs."""
    is_late = StoredPage.waiting_since <= func.now() - timedelta(seconds=patience_seconds)
    return _of_new_sites(session, is_late, most)


def _of_new_sites(session: Session, condition: ColumnElement[bool], most: int) -> dict[int, int]:
    rows = session.execute(
        select(StoredPage.id, StoredPage.site_id)
        .where(
            _is_unasked(),
            StoredPage.html_removed_at.is_(None),
            condition,
            ~has_clustering(StoredPage.site_id),
        )
        .order_by(StoredPage.waiting_since, StoredPage.id)
        .limit(most)
    )
    return dict(rows.all())


_HOLD = text("""
    WITH free AS MATERIALIZED (
        SELECT id FROM sites WHERE id = ANY (CAST(:sites AS bigint[]))
        ORDER BY key FOR UPDATE SKIP LOCKED
    )
    SELECT id FROM free WHERE pg_try_advisory_xact_lock(:lock, hashint8(id))
""").bindparams(lock=AdvisoryLock.GENERATION.value)


def hold(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Lock those sites that are not locked, until the transaction ends, and return their IDs."""
    return list(session.scalars(_HOLD, {"sites": list(site_ids)}))


def still_waiting(
    session: Session, page_ids: Sequence[int], site_ids: Sequence[int]
) -> dict[int, list[int]]:
    """Return the given pages still waiting for the first clustering of these sites, by site ID."""
    rows = session.execute(
        select(StoredPage.site_id, StoredPage.id).where(
            StoredPage.id.in_(page_ids),
            StoredPage.site_id.in_(site_ids),
            _is_unasked(),
            ~has_clustering(StoredPage.site_id),
        )
    )
    by_site: defaultdict[int, list[int]] = defaultdict(list)
    for site_id, page_id in sorted(map(tuple, rows)):
        by_site[site_id].append(page_id)
    return by_site


_ADD_GENERATIONS = text("""
    INSERT INTO generations (site_id, number, site_version, method)
    SELECT site_id, :number, 0, :method
    FROM unnest(CAST(:sites AS bigint[])) AS new (site_id)
    ON CONFLICT (site_id, number) DO NOTHING
""").bindparams(number=NUMBER, method=PROVISIONAL)
_ADD_OUTLIERS = text("""
    INSERT INTO memberships (page_id, generation, site_id, role)
    SELECT id, :number, site_id, 'outlier' FROM pages WHERE id = ANY (CAST(:pages AS bigint[]))
    ON CONFLICT (page_id, generation) DO NOTHING
""").bindparams(number=NUMBER)


def place(session: Session, site_ids: Sequence[int], page_ids: Sequence[int]) -> None:
    """Make pages of new sites outliers of the site's provisional generation."""
    session.execute(_ADD_GENERATIONS, {"sites": list(site_ids)})
    session.execute(_ADD_OUTLIERS, {"pages": list(page_ids)})


def without_siblings(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Return the given sites that are new and have fewer than two comparable pages."""
    return list(
        session.scalars(
            select(Site.id)
            .where(
                Site.id.in_(site_ids),
                ~has_clustering(Site.id),
                _comparable_pages(Site.id) <= 1,
            )
            .order_by(Site.id)
        )
    )


def comparable_pages(session: Session, site_ids: Sequence[int]) -> list[tuple[int, int, bool]]:
    """Return the sites' pages with a tree: page ID, site ID, and whether the page still waits."""
    is_unasked = and_(
        or_(StoredPage.outcome.is_(None), StoredPage.forced),
        StoredPage.extracted_generation >= StoredPage.generation,
    )
    rows = session.execute(
        select(StoredPage.id, StoredPage.site_id, is_unasked).where(
            StoredPage.site_id.in_(site_ids), StoredPage.tree_id.is_not(None)
        )
    )
    return [(page_id, site_id, waits) for page_id, site_id, waits in rows]


_COUNT_AS_CLUSTERED = text("""
    UPDATE generations SET method = :ungrouped, site_version = CASE
        WHEN :has_seen_all THEN (SELECT version FROM sites WHERE id = generations.site_id)
        ELSE site_version END
    WHERE site_id = ANY (CAST(:sites AS bigint[])) AND method = :provisional
""").bindparams(ungrouped=UNGROUPED, provisional=PROVISIONAL)


def count_as_clustered(session: Session, site_ids: Sequence[int], *, has_seen_all: bool) -> None:
    """Turn the provisional generations of locked sites into clusterings without groups.

    With ``has_seen_all``, all their current pages count as clustered; otherwise, none do.
    """
    session.execute(_COUNT_AS_CLUSTERED, {"sites": list(site_ids), "has_seen_all": has_seen_all})


def overlooked(session: Session, site_id: int, generation: int) -> list[int]:
    """Return a site's waiting pages that are not in the given generation, ascending."""
    is_placed = exists().where(
        Membership.page_id == StoredPage.id, Membership.generation == generation
    )
    return list(
        session.scalars(
            select(StoredPage.id)
            .where(StoredPage.site_id == site_id, _is_unasked(), ~is_placed)
            .order_by(StoredPage.id)
        )
    )
