"""Pages that must not wait for their site's first clustering.

Every extraction belongs to a generation of the site, so the page becomes an outlier of a
provisional generation. Such a generation does not count as a clustering: the site remains new, and
later pages wait.
"""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from worker.store.database import has_passed, sql
from worker.store.locks import AdvisoryLock

PROVISIONAL = "provisional"
"""`Generation.method` of a generation that does not count as a clustering."""

UNGROUPED = "none"
"""`Generation.method` of a generation that counts as a clustering, but has no groups."""

NUMBER = 1
"""Number of the provisional generation, which is always a site's first."""


_IS_UNASKED = """
    outcome IS NULL AND tree_id IS NOT NULL AND extracted_generation >= generation
    AND NOT EXISTS (
        SELECT FROM generations
        WHERE generations.site_id = pages.site_id AND method <> 'provisional'
    )
"""
"""The page has a tree but no outcome, no extraction has been requested, and its site is new."""

_COMPARABLE = """(
    SELECT count(*) FROM (
        SELECT FROM pages AS page
        WHERE page.site_id = {site_id} AND page.tree_id IS NOT NULL LIMIT 2
    ) AS at_most_two
)"""
"""Number of a site's pages that have a tree, at most 2."""


def lone_pages(
    session: Session, *, alone_seconds: float, watched_seconds: float, limit: int
) -> dict[int, int]:
    """Return the longest-waiting pages that are alone on their site, mapped to their site IDs.

    Only pages that have waited between ``alone_seconds`` and ``watched_seconds`` are considered: a
    page with siblings by then will never be alone.
    """
    query = sql(f"""
        SELECT id, site_id FROM pages
        WHERE waiting_since BETWEEN now() - make_interval(secs => :watched)
                AND now() - make_interval(secs => :alone)
            AND html_removed_at IS NULL AND {_IS_UNASKED}
            AND {_COMPARABLE.format(site_id="pages.site_id")} = 1
        ORDER BY waiting_since, id LIMIT :limit
    """)  # noqa: S608
    asked = {"alone": alone_seconds, "watched": watched_seconds, "limit": limit}
    return dict(session.execute(query, asked).all())


def late_pages(session: Session, *, patience_seconds: float, limit: int) -> dict[int, int]:
    """Return the longest-waiting pages whose first clustering is overdue, mapped to site IDs."""
    query = sql(f"""
        SELECT id, site_id FROM pages
        WHERE {has_passed("waiting_since", "make_interval(secs => :patience)")}
            AND html_removed_at IS NULL AND {_IS_UNASKED}
        ORDER BY waiting_since, id LIMIT :limit
    """)  # noqa: S608
    return dict(session.execute(query, {"patience": patience_seconds, "limit": limit}).all())


_HOLD = sql("""
    WITH free AS MATERIALIZED (
        SELECT id FROM sites WHERE id = ANY (CAST(:sites AS bigint[]))
        ORDER BY key FOR UPDATE SKIP LOCKED
    )
    SELECT id FROM free WHERE pg_try_advisory_xact_lock(:lock, hashint8(id))
""").bindparams(lock=AdvisoryLock.GENERATION.value)


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
    query = sql(f"""
        SELECT site_id, id FROM pages
        WHERE id = ANY (CAST(:pages AS bigint[])) AND site_id = ANY (CAST(:sites AS bigint[]))
            AND {_IS_UNASKED}
        ORDER BY site_id, id
    """)  # noqa: S608
    for site_id, page_id in session.execute(query, asked):
        by_site[site_id].append(page_id)
    return by_site


_ADD_GENERATIONS = sql("""
    INSERT INTO generations (site_id, number, site_version, method)
    SELECT site_id, :number, 0, :method
    FROM unnest(CAST(:sites AS bigint[])) AS new (site_id)
    ON CONFLICT (site_id, number) DO NOTHING
""").bindparams(number=NUMBER, method=PROVISIONAL)
_ADD_OUTLIERS = sql("""
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
    query = sql(f"""
        SELECT id FROM sites
        WHERE id = ANY (CAST(:sites AS bigint[])) AND {_COMPARABLE.format(site_id="sites.id")} <= 1
            AND NOT EXISTS (
                SELECT FROM generations
                WHERE generations.site_id = sites.id AND method <> 'provisional'
            )
        ORDER BY id
    """)  # noqa: S608
    return list(session.scalars(query, {"sites": list(site_ids)}))


def comparable_pages(session: Session, site_ids: Sequence[int]) -> list[tuple[int, int, bool]]:
    """Return the sites' pages with a tree: page ID, site ID, and whether the page still waits."""
    query = sql("""
        SELECT id, site_id, (outcome IS NULL OR forced) AND extracted_generation >= generation
        FROM pages WHERE site_id = ANY (CAST(:sites AS bigint[])) AND tree_id IS NOT NULL
    """)
    return [tuple(row) for row in session.execute(query, {"sites": list(site_ids)})]


_COUNT_AS_CLUSTERED = sql("""
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


def overlooked(session: Session, site_id: int, generation: int) -> list[tuple[int, int]]:
    """Return a site's waiting pages that are not in the given generation, ascending.

    Each has the current version of the site.
    """
    query = sql("""
        SELECT pages.id, version FROM pages JOIN sites ON sites.id = site_id
        WHERE site_id = :site_id AND outcome IS NULL AND tree_id IS NOT NULL
            AND extracted_generation >= pages.generation AND NOT EXISTS (
                SELECT FROM memberships
                WHERE page_id = pages.id AND memberships.generation = :generation
            )
        ORDER BY pages.id
    """)
    rows = session.execute(query, {"site_id": site_id, "generation": generation})
    return [(page_id, version) for page_id, version in rows]
