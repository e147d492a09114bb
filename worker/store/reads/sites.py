"""Lists of sites in a selectable order, one screen at a time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Subquery,
    cast,
    func,
    literal,
    select,
    text,
    tuple_,
)
from sqlalchemy.orm import Session

from models.messages import DOUBTFUL
from models.tables import Generation, Site, StoredPage
from worker.store.doubts import is_doubtful
from worker.store.pages import is_pending
from worker.store.progress import SiteStatus, site_statuses
from worker.store.provisional import PROVISIONAL, UNGROUPED

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
    counted = _counted(order)
    value = _value_of(order, counted)
    query = select(
        Site.id,
        Site.key,
        (literal(0) if value is None else value).label("value"),
    )
    if name is not None:
        query = query.where(Site.key.icontains(name, autoescape=True))
    if value is None:
        if after is not None:
            last = select(Site.key).where(Site.id == after.id).scalar_subquery()
            query = query.where(Site.key > last)
        query = query.order_by(Site.key)
    else:
        if counted is not None:
            query = query.outerjoin(counted, counted.c.site_id == Site.id)
        if after is not None:
            query = query.where(tuple_(-value, Site.id) > (-after.value, after.id))
        query = query.order_by(value.desc(), Site.id)
    rows = session.execute(query.limit(limit + 1)).all()
    shown = rows[:limit]
    statuses = {each.key: each for each in site_statuses(session, [row.key for row in shown])}
    ids = [row.id for row in shown]
    trends, clustered = trends_of_sites(session, ids), clustered_sites(session, ids)
    return SiteList(
        [
            ListedSite(row.id, statuses[row.key], row.id in clustered, trends.get(row.id, []))
            for row in shown
        ],
        Place(shown[-1].value, shown[-1].id) if len(rows) > limit else None,
    )


def clustered_sites(session: Session, site_ids: Sequence[int]) -> set[int]:
    """Return the given sites that have been clustered."""
    query = select(Generation.site_id).where(
        Generation.site_id.in_(site_ids), Generation.method.not_in((PROVISIONAL, UNGROUPED))
    )
    return set(session.scalars(query.distinct()))


def trends_of_sites(session: Session, site_ids: Sequence[int]) -> dict[int, list[TrendPart]]:
    """Return the trend of each site by ID: `TREND_PARTS` parts, oldest first."""
    trends: defaultdict[int, list[TrendPart]] = defaultdict(list)
    for site_id, *counts in session.execute(_TRENDS, {"site_ids": list(site_ids)}):
        trends[site_id].append(TrendPart(*counts))
    return trends


_TRENDS = text("""
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


def _counted(order: SiteOrder) -> Subquery | None:
    """Return the page counts per site by which an order sorts, or None for other orders."""
    query = select(StoredPage.site_id, func.count().label("number")).group_by(StoredPage.site_id)
    match order:
        case "pages":
            return query.subquery()
        case "waiting":
            return query.where(is_pending()).subquery()
        case "doubtful":
            return query.where(is_doubtful()).subquery()
        case _:
            return None


def _value_of(order: SiteOrder, counted: Subquery | None) -> ColumnElement[int] | None:
    if counted is not None:
        return func.coalesce(counted.c.number, 0)
    if order == "changed":
        return cast(func.extract("epoch", Site.changed_at) * 1_000_000, BigInteger)
    return None
