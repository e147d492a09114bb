"""Progress, pending work and failures, for operators, monitoring and command-line runs."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

from sqlalchemy import Row
from sqlalchemy.orm import Session

from detourage.limits import DOUBTFUL_CONFIDENCE
from models.tables import DesignChange
from worker.outcomes import PENDING
from worker.store import clusterings, groups
from worker.store.groups import GroupHistory
from worker.store.queries import Statements

SQL = Statements("progress")

RECENT_FAILURE_SECONDS = 900  # maximum age of a task failure that is reported

RECENT_PERIOD = timedelta(days=1)
"""Maximum age of an extraction request that counts as recent."""

MIN_DOUBTFUL = 5
"""Minimum number of recent doubtful articles, or of walls, for which a site is reported. They must
also be the majority; fewer may be a coincidence."""

_DOUBT_PARAMS = {"doubtful": DOUBTFUL_CONFIDENCE, "lately": RECENT_PERIOD, "least": MIN_DOUBTFUL}


class RunProgress(NamedTuple):
    """Progress of a run's messages."""

    received: int  # number of messages that the intake has handled
    results: dict[str, int]
    quarantine_reasons: dict[str, int]
    pages: int
    pairs: int  # number of planned comparisons
    compared: int  # number of finished comparisons
    grouped: int  # number of pages that have been clustered or have an outcome
    pending: int  # number of pages and waiting fetches without an outcome
    outcomes: dict[str, int]
    outbox: int  # number of messages that wait for the relay
    parts: int  # number of pages whose parts have yet to be joined


@dataclass(frozen=True)
class SiteStatus:
    """State of a site, whose fields are keys of ``detourage status --json``."""

    key: str
    pages: int
    pending: int
    again: int  # number of pages that have an outcome and are being extracted again
    generation: int
    groups: dict[int, int] = field(default_factory=dict)
    outliers: int = 0
    silhouette: float | None = None
    outcomes: dict[str, int] = field(default_factory=dict)
    changed_design: datetime | None = None  # fetch date of the first page of the latest one
    not_clustered_since: datetime | None = None
    not_clustered_because: str | None = None
    doubtful: int = 0  # number of articles with a confidence below `DOUBTFUL_CONFIDENCE`
    dark: bool = False  # whether most recent articles are doubtful, and at least `MIN_DOUBTFUL`


class SiteTotals(NamedTuple):
    """Totals for several sites."""

    sites: int
    pages: int
    pending: int
    again: int
    groups: int
    outliers: int
    outcomes: dict[str, int]
    changed_design: int
    not_clustered: int
    doubtful: int
    dark: int

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
        )


class SiteHistory(NamedTuple):
    """History of a site: groups, design changes, and number of joined addresses by kind."""

    groups: list[GroupHistory]
    changes: Sequence[DesignChange]
    addresses: dict[str, int]


class ServiceCounts(NamedTuple):
    """Counts for the whole service, used for monitoring."""

    outcomes: dict[str, int]
    waiting: int  # number of pages without an outcome, or to be extracted again
    longest_wait_seconds: float
    sites: int
    groups: int
    outliers: int
    sites_in_quarantine: int
    generations: int
    articles: int  # number of revisions that were published
    design_changes: dict[str, int]  # by site
    doubtful: dict[str, int]  # recent doubtful articles of sites where they are the majority
    walls: dict[str, int]  # recent walls of sites where they are the majority
    recent_failures: dict[str, int]  # by task
    outbox: int  # number of messages that wait for the relay
    oldest_seconds: dict[str, float]  # age of the oldest request, by kind of work


def run_progress(session: Session, message_prefix: str) -> RunProgress:
    """Count the results of the messages whose IDs start with a prefix."""
    row = session.execute(SQL.run_progress, {"pattern": f"{message_prefix}%"}).one()
    return RunProgress(
        **{name: {} if value is None else value for name, value in row._asdict().items()}
    )


def site_statuses(session: Session, keys: Sequence[str] | None = None) -> list[SiteStatus]:
    """Return the state of the given sites (all if None), ordered by key."""
    found = []
    params = {**_DOUBT_PARAMS, "pending": PENDING, "keys": keys}
    for row in session.execute(SQL.site_statuses, params):
        values = row._asdict()
        attempts, error = values.pop("attempts"), values.pop("error")
        reason = clusterings.quarantine_reason(attempts, error) if attempts else None
        groups_of_site = dict(values.pop("groups"))
        found.append(SiteStatus(**values, groups=groups_of_site, not_clustered_because=reason))
    return found


def site_history(session: Session, key: str) -> SiteHistory:
    """Return the history of a site; raise `NoResultFound` if the site is unknown."""
    site_id = int(session.execute(SQL.id_of_site, {"key": key}).scalar_one())
    histories = session.execute(groups.SQL.group_histories, {"site_id": site_id})
    joined = session.execute(SQL.count_joined, {"site_id": site_id}).all()
    changes = groups.design_changes(session, site_id)
    return SiteHistory([GroupHistory(*row) for row in histories], changes, dict(joined))


def service_counts(session: Session) -> ServiceCounts:
    """Return the counts that monitoring exposes."""
    params = {**_DOUBT_PARAMS, "pending": PENDING, "recent": RECENT_FAILURE_SECONDS}
    return ServiceCounts(**session.execute(SQL.service_counts, params).one()._asdict())


NEARLY_FULL_SHARE = 0.9  # share of the limit at which the backlog is nearly full


def is_backlog_full(session: Session, limit: int, *, repeated: Collection[str] = ()) -> bool:
    """Return whether pending pages or messages reach a limit (0: no limit).

    If `repeated` names tasks, their messages and pages to be extracted again are not counted.
    """
    values = {"most": limit, "repeated": list(repeated), "counts_repeated": not repeated}
    return bool(limit) and bool(session.scalar(SQL.is_backlog_full, values))


def nearly_full(limit: int) -> int:
    """Return the number of pages or messages at which the backlog is nearly full."""
    return math.ceil(limit * NEARLY_FULL_SHARE)


def last_failures(session: Session, task_ids: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the latest failure of each given task that has failed, by task ID."""
    return {row.task_id: row for row in session.execute(SQL.last_failures, {"ids": task_ids})}
