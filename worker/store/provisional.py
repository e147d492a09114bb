"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site. A page that does not wait for the first
clustering therefore becomes an outlier of a provisional generation, which does not count as a
clustering: the site remains new, later pages wait, and the first clustering can include all pages.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Float,
    Result,
    Select,
    and_,
    any_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from models.tables import Generation, Membership, Site, StoredPage
from worker.store.locks import AdvisoryLock

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering although none was made."""

NUMBER = 1
"""Number of the provisional generation, which is always a site's first."""


def has_clustering(site_id: ColumnElement[int] | InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: the site has a generation that is not provisional."""
    return exists().where(Generation.site_id == site_id, Generation.method != PROVISIONAL)


def _is_unasked() -> ColumnElement[bool]:
    """Condition: the page has no outcome, and its extraction has not been requested."""
    return and_(
        StoredPage.outcome.is_(None),
        StoredPage.tree_id.is_not(None),
        StoredPage.extracted_generation >= StoredPage.generation,
    )


def _comparable_pages(
    site_id: ColumnElement[int] | InstrumentedAttribute[int],
) -> ColumnElement[int]:
    """Return the number of a site's pages with a tree, capped at two as more make no difference."""
    page = aliased(StoredPage)
    some = (
        select(page.id)
        .where(page.site_id == site_id, page.tree_id.is_not(None))
        .limit(2)
        .correlate_except(page)
        .subquery()
    )
    return select(func.count()).select_from(some).scalar_subquery()


def _ago(seconds: str) -> ColumnElement[datetime]:
    return func.now() - func.make_interval(0, 0, 0, 0, 0, 0, bindparam(seconds, type_=Float))


def _of_new_sites(condition: ColumnElement[bool]) -> Select[int, int]:
    return (
        select(StoredPage.id, StoredPage.site_id)
        .where(
            _is_unasked(),
            StoredPage.html_removed_at.is_(None),
            condition,
            ~has_clustering(StoredPage.site_id),
        )
        .order_by(StoredPage.waiting_since, StoredPage.id)
        .limit(bindparam("most"))
    )


_LONE = _of_new_sites(
    and_(
        StoredPage.waiting_since.between(_ago("watched_seconds"), _ago("alone_seconds")),
        _comparable_pages(StoredPage.site_id) == 1,
    )
)
_LATE = _of_new_sites(StoredPage.waiting_since <= _ago("patience_seconds"))
_STILL_WAITING = select(StoredPage.site_id, StoredPage.id).where(
    StoredPage.id == any_(bindparam("pages", type_=ARRAY(BigInteger))),
    StoredPage.site_id == any_(bindparam("sites", type_=ARRAY(BigInteger))),
    _is_unasked(),
    ~has_clustering(StoredPage.site_id),
)


def lone_pages(
    session: Session, *, alone_seconds: float, watched_seconds: float, most: int
) -> dict[int, int]:
    """Return waiting pages that are the only ones of their site, mapped to their site IDs.

    Only pages that have waited between ``alone_seconds`` and ``watched_seconds`` are considered: a
    page that had siblings in that period will never be alone. At most ``most`` pages are returned.
    """
    values = {"alone_seconds": alone_seconds, "watched_seconds": watched_seconds, "most": most}
    return _by_page(session.execute(_LONE, values))


def late_pages(session: Session, *, patience_seconds: float, most: int) -> dict[int, int]:
    """Return pages that have waited too long for the first clustering, mapped to their site IDs.

    At most ``most`` pages are returned, the longest-waiting first.
    """
    values = {"patience_seconds": patience_seconds, "most": most}
    return _by_page(session.execute(_LATE, values))


def _by_page(rows: Result[int, int]) -> dict[int, int]:
    return dict(rows.all())


def hold(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Lock sites until the transaction ends, and return their IDs.

    Sites locked by other transactions are skipped rather than waited for.
    """
    free = session.scalars(
        select(Site.id)
        .where(Site.id == any_(bindparam("sites", list(site_ids), type_=ARRAY(BigInteger))))
        .order_by(Site.key)
        .with_for_update(skip_locked=True)
    ).all()
    asked = func.unnest(bindparam("free", list(free), type_=ARRAY(BigInteger))).column_valued("of")
    lock = func.pg_try_advisory_xact_lock(AdvisoryLock.GENERATION.value, func.hashint8(asked))
    return [site_id for site_id, is_held in session.execute(select(asked, lock)) if is_held]


def still_waiting(
    session: Session, page_ids: Sequence[int], site_ids: Sequence[int]
) -> dict[int, list[int]]:
    """Return the given pages still waiting for the first clustering of these sites, by site ID."""
    rows = session.execute(_STILL_WAITING, {"pages": list(page_ids), "sites": list(site_ids)})
    by_site: defaultdict[int, list[int]] = defaultdict(list)
    for site_id, page_id in sorted(map(tuple, rows)):
        by_site[site_id].append(page_id)
    return by_site


def place(session: Session, site_ids: Sequence[int], page_ids: Sequence[int]) -> None:
    """Make pages of new sites outliers of the site's provisional generation."""
    session.execute(
        insert(Generation)
        .values(
            [
                {
                    "site_id": site_id,
                    "number": NUMBER,
                    "site_version": 0,
                    "method": PROVISIONAL,
                    "silhouette": None,
                }
                for site_id in site_ids
            ]
        )
        .on_conflict_do_nothing(index_elements=[Generation.site_id, Generation.number])
    )
    outliers = select(StoredPage.id, literal(NUMBER), StoredPage.site_id, literal("outlier")).where(
        StoredPage.id == any_(bindparam("pages", list(page_ids), type_=ARRAY(BigInteger)))
    )
    session.execute(
        insert(Membership)
        .from_select(["page_id", "generation", "site_id", "role"], outliers)
        .on_conflict_do_nothing(index_elements=[Membership.page_id, Membership.generation])
    )


def without_siblings(session: Session, site_ids: Sequence[int]) -> list[int]:
    """Return the given sites that are new and have fewer than two comparable pages."""
    return list(
        session.scalars(
            select(Site.id)
            .where(
                Site.id == any_(bindparam("sites", list(site_ids), type_=ARRAY(BigInteger))),
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
            StoredPage.site_id == any_(bindparam("sites", list(site_ids), type_=ARRAY(BigInteger))),
            StoredPage.tree_id.is_not(None),
        )
    )
    return [(page_id, site_id, waits) for page_id, site_id, waits in rows]


def count_as_clustered(session: Session, site_ids: Sequence[int], *, has_seen_all: bool) -> None:
    """Turn the provisional generations of sites into clusterings without groups.

    The sites must be locked. With ``has_seen_all``, all their current pages count as clustered;
    otherwise none do, so that the next clustering treats them all as new.
    """
    version = select(Site.version).where(Site.id == Generation.site_id).scalar_subquery()
    seen = {"site_version": version} if has_seen_all else {}
    session.execute(
        update(Generation)
        .where(
            Generation.site_id == any_(bindparam("sites", list(site_ids), type_=ARRAY(BigInteger))),
            Generation.method == PROVISIONAL,
        )
        .values(method=UNGROUPED, **seen)
        .execution_options(synchronize_session=False)
    )


def overlooked(session: Session, site_id: int, generation: int) -> list[int]:
    """Return a site's pages that have neither an outcome nor a membership in a generation."""
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
