"""Counts for operators, monitoring and runs, by stage, site and outcome."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from sqlalchemy import ColumnElement, Select, func, or_, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from models.tables import (
    ComparisonBlock,
    DesignChange,
    OutboxEntry,
    PageParts,
    Receipt,
    Site,
    StoredPage,
)
from worker.outcomes import PENDING
from worker.store import (
    clusterings,
    designs,
    doubts,
    events,
    failures,
    feedback,
    parts,
    separations,
    story_arrivals,
)
from worker.store.designs import GroupHistory
from worker.store.feedback import FeedbackCounts, FeedbackRow
from worker.store.outbox import count as outbox_count
from worker.store.pages import is_pending, is_requested, only_sites

RECENT_SECONDS = 900
"""Maximum age of a recent failure."""


@dataclass(frozen=True)
class RunProgress:
    """Progress of a run's messages."""

    received: int
    results: dict[str, int]
    quarantine_reasons: dict[str, int]
    pages: int
    pairs: int
    compared: int
    grouped: int
    pending: int
    outcomes: dict[str, int]
    outbox: int
    parts: int
    """Number of pages whose parts have yet to be joined."""
    stories: int
    """Number of pages whose articles have yet to be grouped into stories or events."""


@dataclass(frozen=True)
class SiteStatus:
    """State of a site."""

    key: str
    pages: int
    pending: int
    """Number of pages without an outcome."""
    again: int
    """Number of pages that have an outcome and are being extracted again."""
    generation: int
    groups: dict[int, int] = field(default_factory=dict)
    outliers: int = 0
    silhouette: float | None = None
    outcomes: dict[str, int] = field(default_factory=dict)
    changed_design: datetime | None = None
    """Fetch date of the first page of the latest redesign."""
    not_clustered_since: datetime | None = None
    """When clustering was disabled, or None if it is enabled."""
    not_clustered_because: str | None = None
    doubtful: int = 0
    """Number of articles that are probably wrong."""
    dark: bool = False
    """Whether most articles from the last day are doubtful."""
    silent: bool = False
    """Whether its articles suddenly yield no entities."""


@dataclass(frozen=True)
class SiteTotals:
    """Totals for several sites."""

    sites: int
    pages: int
    pending: int
    again: int
    groups: int
    outliers: int
    outcomes: dict[str, int]
    changed_design: int
    """Number of sites that have had a redesign."""
    not_clustered: int
    """Number of sites for which clustering is disabled."""
    doubtful: int
    """Number of articles that are probably wrong."""
    dark: int
    """Number of sites whose articles from the last day are mostly doubtful."""
    silent: int
    """Number of sites whose articles suddenly yield no entities."""

    @classmethod
    def of(cls, sites: Sequence[SiteStatus]) -> Self:
        """Compute the totals for the given sites."""
        outcomes: Counter[str] = Counter()
        for site in sites:
            outcomes.update(site.outcomes)
        return cls(
            sites=len(sites),
            pages=sum(site.pages for site in sites),
            pending=sum(site.pending for site in sites),
            again=sum(site.again for site in sites),
            groups=sum(len(site.groups) for site in sites),
            outliers=sum(site.outliers for site in sites),
            outcomes=dict(sorted(outcomes.items())),
            changed_design=sum(site.changed_design is not None for site in sites),
            not_clustered=sum(site.not_clustered_since is not None for site in sites),
            doubtful=sum(site.doubtful for site in sites),
            dark=sum(site.dark for site in sites),
            silent=sum(site.silent for site in sites),
        )


@dataclass(frozen=True)
class SiteHistory:
    """History of a site: groups, redesigns, number of joined addresses by kind, and feedback."""

    groups: list[GroupHistory]
    changes: Sequence[DesignChange]
    addresses: dict[str, int]
    feedback: list[FeedbackRow]


@dataclass(frozen=True)
class ServiceCounts:
    """Counts for the whole service, used for monitoring.

    ``outcomes`` counts pages by outcome, with `worker.outcomes.PENDING` for pages without one;
    ``waiting`` counts these and the pages to be extracted again. ``groups`` and ``outliers`` are
    those of the latest generations. ``generations``, ``articles`` and ``design_changes`` (by site)
    are all-time totals. ``doubtful`` and ``walls`` cover the last day, for sites where they are the
    majority; ``feedback`` covers the last day; ``recent_failures``, by task name, the last
    `RECENT_SECONDS`. ``oldest_seconds`` holds the age of the oldest open request, by kind of work.
    Times are 0 if nothing waits.
    """

    outcomes: dict[str, int]
    waiting: int
    longest_wait_seconds: float
    sites: int
    groups: int
    outliers: int
    sites_in_quarantine: int
    generations: int
    articles: int
    design_changes: dict[str, int]
    doubtful: dict[str, int]
    walls: dict[str, int]
    feedback: FeedbackCounts
    silent_sites: int
    recent_failures: dict[str, int]
    outbox: int
    oldest_seconds: dict[str, float]


def run_progress(session: Session, message_prefix: str) -> RunProgress:
    """Count the results of the messages whose IDs start with a prefix."""
    of_run = Receipt.message_id.startswith(message_prefix, autoescape=True)
    # A redelivered message may have several receipts; the first holds its result.
    is_first = Receipt.id.in_(
        select(func.min(Receipt.id)).where(of_run).group_by(Receipt.message_id)
    )
    results = _counts(
        session, select(Receipt.result, func.count()).where(is_first).group_by(Receipt.result)
    )
    reasons = select(Receipt.reason, func.count()).where(is_first, Receipt.reason.is_not(None))
    pages = select(Receipt.page_id).where(of_run, Receipt.page_id.is_not(None)).distinct()
    own = StoredPage.id.in_(pages)
    outcomes = select(StoredPage.outcome, func.count()).where(own, StoredPage.outcome.is_not(None))
    number, grouped, pending, stories = session.execute(
        select(
            func.count(),
            func.count().filter((StoredPage.generation > 0) | StoredPage.outcome.is_not(None)),
            func.count().filter(is_pending()),
            func.count().filter(
                or_(story_arrivals.is_waiting(StoredPage.id), events.is_waiting(StoredPage.id))
            ),
        )
        .select_from(StoredPage)
        .where(own)
    ).one()
    # Pairs of trees to compare, and pairs compared, on the sites of the run's pages.
    pairs, compared = session.execute(
        select(func.sum(Site.pairs_planned), func.sum(Site.pairs_compared)).where(
            Site.id.in_(select(StoredPage.site_id).where(own))
        )
    ).one()
    return RunProgress(
        received=sum(results.values()),
        results=results,
        quarantine_reasons=_counts(session, reasons.group_by(Receipt.reason)),
        pages=number,
        pairs=int(pairs or 0),
        compared=int(compared or 0),
        grouped=grouped,
        pending=pending,
        outcomes=_counts(session, outcomes.group_by(StoredPage.outcome)),
        outbox=outbox_count(session),
        parts=_count(
            session,
            select(func.count()).where(parts.is_due(), PageParts.page_id.in_(pages)),
        ),
        stories=stories,
    )


def sites_of_run(session: Session, message_prefix: str) -> list[str]:
    """Return the keys of the sites to which a run's messages belong."""
    return list(
        session.scalars(
            select(Site.key)
            .join(StoredPage, StoredPage.site_id == Site.id)
            .join(Receipt, Receipt.page_id == StoredPage.id)
            .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
            .distinct()
        )
    )


def site_statuses(session: Session, keys: Sequence[str] | None = None) -> list[SiteStatus]:
    """Return the state of the given sites (all if None), ordered by key."""
    sites = select(Site.id, Site.key).order_by(Site.key)
    if keys is not None:
        sites = sites.where(Site.key.in_(keys))
    key_of = dict(session.execute(sites).all())
    ids = None if keys is None else list(key_of)
    outcomes: defaultdict[int, dict[str, int]] = defaultdict(dict)
    again: Counter[int] = Counter()
    doubtful: Counter[int] = Counter()
    pages = select(
        StoredPage.site_id,
        func.coalesce(StoredPage.outcome, PENDING),
        func.count(),
        func.count().filter(is_pending(), StoredPage.outcome.is_not(None)),
        func.count().filter(doubts.is_doubtful()),
    ).group_by(StoredPage.site_id, StoredPage.outcome)
    rows = session.execute(only_sites(pages, StoredPage.site_id, ids))
    for site_id, outcome, number, asked_again, doubted in sorted(rows):
        outcomes[site_id][outcome] = number
        again[site_id] += asked_again
        doubtful[site_id] += doubted
    generations = {
        site_id: rest for site_id, *rest in session.execute(_LAST_GENERATIONS, {"ids": ids})
    }
    changed = designs.last_changes(session, ids)
    quarantines = clusterings.quarantines(session, ids)
    recent = doubts.doubts_of_sites(session, ids)
    silent = feedback.silent_sites(session, ids)
    found = []
    for site_id, key in key_of.items():
        generation, silhouette, groups, outliers = generations.get(site_id, (0, None, (), 0))
        quarantine = quarantines.get(site_id)
        found.append(
            SiteStatus(
                key=key,
                pages=sum(outcomes[site_id].values()),
                pending=outcomes[site_id].get(PENDING, 0),
                again=again[site_id],
                generation=generation,
                groups=dict(groups),
                outliers=outliers,
                silhouette=silhouette,
                outcomes=outcomes[site_id],
                changed_design=changed.get(site_id),
                not_clustered_since=quarantine.since if quarantine else None,
                not_clustered_because=quarantine.reason if quarantine else None,
                doubtful=doubtful[site_id],
                dark=site_id in recent and recent[site_id].is_dark,
                silent=site_id in silent,
            )
        )
    return found


_LAST_GENERATIONS = text("""
    SELECT site_id, number, silhouette,
        ARRAY(
            SELECT ARRAY[template_groups.number, size] FROM template_groups
            WHERE template_groups.site_id = last.site_id AND generation = last.number
            ORDER BY template_groups.number
        ),
        (SELECT count(*) FROM memberships
         WHERE memberships.site_id = last.site_id AND generation = last.number
            AND group_number IS NULL)
    FROM (
        SELECT DISTINCT ON (site_id) site_id, number, silhouette FROM generations
        WHERE CAST(:ids AS bigint[]) IS NULL OR site_id = ANY (CAST(:ids AS bigint[]))
        ORDER BY site_id, number DESC
    ) AS last
""")
"""Latest generation of each given site (all if NULL): silhouette, group sizes, and outliers."""


def site_history(session: Session, key: str) -> SiteHistory:
    """Return the history of a site; raise `NoResultFound` if the site is unknown."""
    site_id = session.scalars(select(Site.id).where(Site.key == key)).one()
    return SiteHistory(
        designs.group_histories(session, site_id),
        designs.changes(session, site_id),
        separations.counts(session, site_id),
        feedback.feedback_of_site(session, site_id),
    )


def service_counts(session: Session) -> ServiceCounts:
    """Return the counts that monitoring exposes."""
    sites, groups, outliers, generations, articles = session.execute(_TOTALS).one()
    return ServiceCounts(
        outcomes=_counts(
            session,
            select(func.coalesce(StoredPage.outcome, PENDING), func.count()).group_by(
                StoredPage.outcome
            ),
        ),
        waiting=count_waiting(session),
        longest_wait_seconds=longest_wait_seconds(session),
        sites=sites,
        groups=groups,
        outliers=outliers,
        sites_in_quarantine=clusterings.count_quarantined(session),
        generations=generations,
        articles=articles,
        design_changes=_counts(
            session,
            select(Site.key, func.count())
            .join(DesignChange, DesignChange.site_id == Site.id)
            .group_by(Site.key),
        ),
        doubtful=_doubtful(session),
        walls=_by_key(session, doubts.walled_sites(session)),
        feedback=feedback.feedback_counts(session),
        silent_sites=len(feedback.silent_sites(session)),
        recent_failures=failures.count_since(session, RECENT_SECONDS),
        outbox=outbox_count(session),
        oldest_seconds=oldest_seconds(session),
    )


_TOTALS = text("""
    WITH last AS (
        SELECT site_id, max(number) AS generation FROM generations GROUP BY site_id
    )
    SELECT
        (SELECT count(*) FROM sites),
        (SELECT count(*) FROM template_groups JOIN last USING (site_id, generation)),
        (SELECT count(*) FROM memberships JOIN last USING (site_id, generation)
         WHERE group_number IS NULL),
        (SELECT count(*) FROM generations),
        -- Superseded articles may have been removed.
        (SELECT CAST(coalesce(sum(revision), 0) AS bigint) FROM pages)
""")


def longest_wait_seconds(session: Session) -> float:
    """Return the longest time for which a page has had no outcome, or 0 if all pages have one."""
    return _age(session, StoredPage.waiting_since, StoredPage.outcome.is_(None))


def oldest_seconds(session: Session) -> dict[str, float]:
    """Return the age of the oldest open request, by kind of work; see `ServiceCounts`."""
    return {
        "relay": _age(session, OutboxEntry.created_at, OutboxEntry.lane.is_not(None)),
        "compare": _age(session, ComparisonBlock.asked_at),
        "extract": _age(session, StoredPage.asked_at, is_requested()),
    }


def count_waiting(session: Session) -> int:
    """Return the number of pages that have no outcome yet, or are to be extracted again."""
    return _count(session, select(func.count()).select_from(StoredPage).where(is_pending()))


def _doubtful(session: Session) -> dict[str, int]:
    found = doubts.doubts_of_sites(session)
    dark = {site_id: each.doubtful for site_id, each in found.items() if each.is_dark}
    return _by_key(session, dark)


def _by_key(session: Session, numbers: Mapping[int, int]) -> dict[str, int]:
    keys = session.execute(select(Site.id, Site.key).where(Site.id.in_(numbers)).order_by(Site.key))
    return {key: numbers[site_id] for site_id, key in keys}


def _age(
    session: Session,
    since: InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None],
    *where: ColumnElement[bool],
) -> float:
    oldest = select(func.extract("epoch", func.now() - func.min(since))).where(*where)
    return float(session.scalar(oldest) or 0)


def _count(session: Session, query: Select[int]) -> int:
    return session.scalar(query) or 0


def _counts(session: Session, query: Select[str, int] | Select[str | None, int]) -> dict[str, int]:
    return dict(sorted((name or "", number) for name, number in session.execute(query)))
