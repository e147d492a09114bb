"""Lists of sites in a selectable order, one screen at a time."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from detourage.limits import DOUBTFUL_CONFIDENCE
from inspector.reads import SQL
from inspector.reads.articles import PENDING
from inspector.reads.details import site_quarantines
from inspector.reads.overview import MIN_DOUBTFUL, RECENT_PERIOD

SiteOrder = Literal["name", "pages", "waiting", "doubtful", "changed"]

TREND_PAGES: Final = 200
"""Maximum number of pages in a site's trend: the newest ones."""

TREND_PARTS: Final = 20
"""Number of bars in a trend; each bar represents equally many pages, in order of fetching."""


class Cursor(NamedTuple):
    """Position in a list of sites from which to continue: the sort values of its last row."""

    value: int
    id: int


@dataclass(frozen=True)
class TrendPart:
    """One bar of a trend: the number of its pages, and how many are articles, or doubtful ones."""

    pages: int
    articles: int
    doubtful: int


@dataclass(frozen=True)
class SiteStatus:
    """State of a site.

    ``pages`` is the number of its pages, ``outcomes`` that number by outcome, and ``pending`` the
    number without an outcome. ``again`` is the number of pages that have an outcome and are being
    extracted again. ``changed_design`` is the start of the latest design change. ``dark`` is True
    if most articles of the last day, and at least `MIN_DOUBTFUL`, are doubtful.
    """

    key: str
    pages: int
    pending: int
    again: int
    generation: int
    groups: dict[int, int]
    outliers: int
    silhouette: float | None
    outcomes: dict[str, int]
    changed_design: datetime | None
    not_clustered_since: datetime | None
    not_clustered_because: str | None
    doubtful: int
    dark: bool


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
    after: Cursor | None


def sites_in_order(
    session: Session,
    order: SiteOrder,
    *,
    name: str | None = None,
    after: Cursor | None = None,
    limit: int,
) -> SiteList:
    """Return up to ``limit`` sites after a cursor, highest value (or first name) first.

    ``name`` restricts the list to sites whose names contain it, ignoring case.
    """
    params = {
        "name": name,
        "after_id": after.id if after is not None else None,
        "after_value": after.value if after is not None else None,
        "limit": limit + 1,
    }
    rows = session.execute(_SITES_BY_NAME if order == "name" else _sites_by(order), params).all()
    listed = rows[:limit]
    ids = [row.id for row in listed]
    statuses = _statuses(session, {row.id: row.key for row in listed})
    trends: defaultdict[int, list[TrendPart]] = defaultdict(list)
    for site_id, *counts in session.execute(_TRENDS, {"site_ids": ids}):
        trends[site_id].append(TrendPart(*counts))
    return SiteList(
        [ListedSite(row.id, statuses[row.id], row.is_clustered, trends[row.id]) for row in listed],
        Cursor(listed[-1].value, listed[-1].id) if len(rows) > limit else None,
    )


def _statuses(session: Session, keys: dict[int, str]) -> dict[int, SiteStatus]:
    """Return the state of sites, given by ID and key."""
    params = {
        "ids": list(keys),
        "pending": PENDING,
        "doubtful": DOUBTFUL_CONFIDENCE,
        "recent_period": RECENT_PERIOD,
        "min_doubtful": MIN_DOUBTFUL,
    }
    outcomes: defaultdict[int, dict[str, int]] = defaultdict(dict)
    again, doubtful = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    for site_id, outcome, pages, pages_again, doubtful_pages in session.execute(
        SQL.outcomes, params
    ):
        outcomes[site_id][outcome] = pages
        again[site_id] += pages_again
        doubtful[site_id] += doubtful_pages
    generations = {site_id: row for site_id, *row in session.execute(SQL.generations, params)}
    changed_design: dict[int, datetime] = dict(session.execute(SQL.changed_designs, params).all())
    dark = set(session.scalars(SQL.dark, params))
    quarantines = site_quarantines(session, list(keys))
    statuses = {}
    for site_id, key in keys.items():
        generation, silhouette, sizes, outliers = generations.get(site_id, (0, None, (), 0))
        quarantine = quarantines.get(site_id)
        statuses[site_id] = SiteStatus(
            key=key,
            pages=sum(outcomes[site_id].values()),
            pending=outcomes[site_id].get(PENDING, 0),
            again=again[site_id],
            generation=generation,
            groups=dict(sizes),
            outliers=outliers,
            silhouette=silhouette,
            outcomes=outcomes[site_id],
            changed_design=changed_design.get(site_id),
            not_clustered_since=quarantine.since if quarantine else None,
            not_clustered_because=quarantine.reason if quarantine else None,
            doubtful=doubtful[site_id],
            dark=site_id in dark,
        )
    return statuses


_TRENDS = SQL.trends.bindparams(parts=TREND_PARTS, pages=TREND_PAGES, doubtful=DOUBTFUL_CONFIDENCE)


_SITES = """
    SELECT id, key, value, EXISTS (
        SELECT FROM generations
        WHERE site_id = listed.id AND method NOT IN ('provisional', 'none')
    ) AS is_clustered
    FROM (SELECT sites.*, {value} AS value FROM sites {joined}) AS listed
    WHERE (CAST(:name AS text) IS NULL OR strpos(lower(key), lower(:name)) > 0)
        AND (CAST(:after_id AS bigint) IS NULL OR {is_after})
    ORDER BY {order} LIMIT :limit
"""
_SITES_BY_NAME = text(
    _SITES.format(
        value="0",
        joined="",
        is_after="key > (SELECT key FROM sites WHERE id = :after_id)",
        order="key",
    )
)
_COUNT_CONDITIONS: Final = {
    "pages": "true",
    "waiting": "outcome IS NULL OR forced OR extracted_generation < generation",
    "doubtful": f"outcome = 'article' AND confidence < {DOUBTFUL_CONFIDENCE}",
}
"""Sort orders by a number of pages, with the SQL condition of the pages that are counted."""


def _sites_by(order: SiteOrder) -> TextClause:
    """Return the statement that lists sites by a number of pages, or by their last change."""
    value, joined = "CAST(1000000 * extract(epoch FROM changed_at) AS bigint)", ""
    if order in _COUNT_CONDITIONS:
        value = "coalesce(number, 0)"
        joined = f"""
            LEFT JOIN (
                SELECT site_id, count(*) AS number FROM pages WHERE {_COUNT_CONDITIONS[order]}
                GROUP BY site_id
            ) AS counted ON site_id = sites.id
        """  # noqa: S608
    return text(
        _SITES.format(
            value=value,
            joined=joined,
            is_after="(-value, id) > (-CAST(:after_value AS bigint), :after_id)",
            order="value DESC, id",
        )
    )
