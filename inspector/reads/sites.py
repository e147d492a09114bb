"""Lists of sites in a selectable order, one screen at a time."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from sqlalchemy import TextClause
from sqlalchemy.orm import Session

from detourage.messages import DOUBTFUL
from worker.store.database import sql
from worker.store.progress import SiteStatus, site_statuses

SiteOrder = Literal["name", "pages", "waiting", "doubtful", "changed"]

TREND_PAGES: Final = 200
"""Maximum number of pages in a site's trend; the newest are used."""

TREND_PARTS: Final = 20
"""Number of equal parts into which a trend is divided, in order of fetching."""


class Place(NamedTuple):
    """Cursor of a list: the sort values of its last row."""

    value: int
    id: int


@dataclass(frozen=True)
class TrendPart:
    """Consecutive pages of a site: the number of pages, of articles, and of doubtful articles."""

    pages: int
    articles: int
    doubtful: int


@dataclass(frozen=True)
class ListedSite:
    """A site in a list; ``trend`` describes its newest pages, oldest first."""

    id: int
    status: SiteStatus
    is_clustered: bool
    trend: list[TrendPart]


@dataclass(frozen=True)
class SiteList:
    """Sites in order, and the cursor from which to continue, or None at the end."""

    sites: list[ListedSite]
    after: Place | None


def sites_in_order(
    session: Session,
    order: SiteOrder,
    *,
    name: str | None = None,
    after: Place | None = None,
    limit: int,
) -> SiteList:
    """Return up to ``limit`` sites after a cursor, highest value (or first name) first.

    ``name`` restricts the list to sites whose names contain it, ignoring case.
    """
    asked = {
        "name": name,
        "after_id": after.id if after is not None else None,
        "after_value": after.value if after is not None else None,
        "limit": limit + 1,
    }
    rows = session.execute(_SITES_BY_NAME if order == "name" else _sites_by(order), asked).all()
    shown = rows[:limit]
    statuses = {each.key: each for each in site_statuses(session, [row.key for row in shown])}
    ids = [row.id for row in shown]
    trends: defaultdict[int, list[TrendPart]] = defaultdict(list)
    for site_id, *counts in session.execute(_TRENDS, {"site_ids": ids}):
        trends[site_id].append(TrendPart(*counts))
    return SiteList(
        [ListedSite(row.id, statuses[row.key], row.is_clustered, trends[row.id]) for row in shown],
        Place(shown[-1].value, shown[-1].id) if len(rows) > limit else None,
    )


_TRENDS = sql("""
    SELECT site_id, count(*), count(*) FILTER (WHERE outcome = 'article'),
        count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful)
    FROM (
        SELECT sites.id AS site_id, outcome, confidence,
            ntile(:parts) OVER (PARTITION BY sites.id ORDER BY moment, newest.id) AS part
        FROM sites CROSS JOIN LATERAL (
            SELECT id, outcome, confidence, coalesce(fetched_at, received_at) AS moment
            FROM pages WHERE site_id = sites.id
            ORDER BY id DESC LIMIT :pages
        ) AS newest
        WHERE sites.id = ANY(CAST(:site_ids AS bigint[]))
    ) AS placed
    GROUP BY site_id, part
    ORDER BY site_id, part
""").bindparams(parts=TREND_PARTS, pages=TREND_PAGES, doubtful=DOUBTFUL)


_LISTED = """
    SELECT id, key, value, EXISTS (
        SELECT FROM generations
        WHERE site_id = listed.id AND method NOT IN ('provisional', 'none')
    ) AS is_clustered
    FROM (SELECT sites.*, {value} AS value FROM sites {joined}) AS listed
    WHERE (CAST(:name AS text) IS NULL OR strpos(lower(key), lower(:name)) > 0)
        AND (CAST(:after_id AS bigint) IS NULL OR {is_after})
    ORDER BY {order} LIMIT :limit
"""
_SITES_BY_NAME = sql(
    _LISTED.format(
        value="0",
        joined="",
        is_after="key > (SELECT key FROM sites WHERE id = :after_id)",
        order="key",
    )
)
_COUNTED: Final = {
    "pages": "true",
    "waiting": "outcome IS NULL OR forced OR extracted_generation < generation",
    "doubtful": f"outcome = 'article' AND confidence < {DOUBTFUL}",
}
"""Conditions of the pages that are counted to sort sites, by sort order."""


def _sites_by(order: SiteOrder) -> TextClause:
    value, joined = "CAST(1000000 * extract(epoch FROM changed_at) AS bigint)", ""
    if order in _COUNTED:
        value = "coalesce(number, 0)"
        joined = f"""
            LEFT JOIN (
                SELECT site_id, count(*) AS number FROM pages WHERE {_COUNTED[order]}
                GROUP BY site_id
            ) AS counted ON site_id = sites.id
        """  # noqa: S608
    return sql(
        _LISTED.format(
            value=value,
            joined=joined,
            is_after="(-value, id) > (-CAST(:after_value AS bigint), :after_id)",
            order="value DESC, id",
        )
    )
