"""Progress, pending work and failures, for operators, monitoring and command-line runs."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple, Self

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from detourage.messages import DOUBTFUL
from models.tables import (
    DesignChange,
    PageParts,
    Receipt,
    Site,
    StoredPage,
    TaskFailure,
    WaitingFetch,
)
from worker.outcomes import PENDING
from worker.store import addresses, clusterings, groups, parts, story_arrivals
from worker.store.database import sql
from worker.store.groups import GroupHistory
from worker.store.outbox import count as outbox_count
from worker.store.pages import is_pending
from worker.store.queries import Statements

SQL = Statements("progress")

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
    """Number of pages and waiting fetches without an outcome."""
    outcomes: dict[str, int]
    outbox: int
    parts: int
    """Number of pages whose parts have yet to be joined."""
    stories: int
    """Number of pages whose articles have yet to be grouped into stories."""


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


@dataclass(frozen=True)
class SiteHistory:
    """History of a site: groups, redesigns, and number of joined addresses by kind."""

    groups: list[GroupHistory]
    changes: Sequence[DesignChange]
    addresses: dict[str, int]


@dataclass(frozen=True)
class ServiceCounts:
    """Counts for the whole service, used for monitoring.

    ``outcomes`` counts pages by outcome, with `worker.outcomes.PENDING` for pages without one;
    ``waiting`` counts these and the pages to be extracted again. ``groups`` and ``outliers`` are
    those of the latest generations. ``generations``, ``articles`` and ``design_changes`` (by site)
    are all-time totals. ``doubtful`` and ``walls`` cover the last day, for sites where they are the
    majority; ``recent_failures``, by task name, the last `RECENT_SECONDS`. ``oldest_seconds`` holds
    the age of the oldest open request, by kind of work. Times are 0 if nothing waits.
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
    results, reasons = Counter[str](), Counter[str]()
    rows = session.execute(
        select(Receipt.result, Receipt.reason, func.count())
        .where(is_first)
        .group_by(Receipt.result, Receipt.reason)
    )
    for result, reason, number in rows:
        results[result] += number
        if reason is not None:
            reasons[reason] += number
    pages = select(Receipt.page_id).where(of_run, Receipt.page_id.is_not(None)).distinct()
    own = StoredPage.id.in_(pages)
    by_outcome = select(StoredPage.outcome, func.count()).where(own).group_by(StoredPage.outcome)
    outcomes = {each: pages for each, pages in session.execute(by_outcome) if each is not None}
    number, grouped, pending, stories = session.execute(
        select(
            func.count(),
            func.count().filter((StoredPage.generation > 0) | StoredPage.outcome.is_not(None)),
            func.count().filter(is_pending()),
            func.count().filter(story_arrivals.is_waiting(StoredPage.id)),
        )
        .select_from(StoredPage)
        .where(own)
    ).one()
    waiting = select(func.count()).where(WaitingFetch.page_id.in_(pages))
    due_parts = select(func.count()).where(parts.is_due(), PageParts.page_id.in_(pages))
    # Counts of planned and completed comparisons on the sites of the run's pages.
    pairs, compared = session.execute(
        select(func.sum(Site.pairs_planned), func.sum(Site.pairs_compared)).where(
            Site.id.in_(select(StoredPage.site_id).where(own))
        )
    ).one()
    return RunProgress(
        received=results.total(),
        results=dict(sorted(results.items())),
        quarantine_reasons=dict(sorted(reasons.items())),
        pages=number,
        pairs=int(pairs or 0),
        compared=int(compared or 0),
        grouped=grouped,
        pending=pending + (session.scalar(waiting) or 0),
        outcomes=dict(sorted(outcomes.items())),
        outbox=outbox_count(session),
        parts=session.scalar(due_parts) or 0,
        stories=stories,
    )


def sites_of_run(session: Session, message_prefix: str) -> list[str]:
    """Return the keys of the sites to which a run's messages belong."""
    query = (
        select(Site.key)
        .join(StoredPage, StoredPage.site_id == Site.id)
        .join(Receipt, Receipt.page_id == StoredPage.id)
        .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
    )
    return list(session.scalars(query.distinct()))


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
    rows = session.execute(
        SQL.pages_by_outcome, {"ids": ids, "pending": PENDING, "doubtful": DOUBTFUL}
    )
    for site_id, outcome, number, asked_again, doubted in sorted(rows):
        outcomes[site_id][outcome] = number
        again[site_id] += asked_again
        doubtful[site_id] += doubted
    generations = {
        site_id: rest for site_id, *rest in session.execute(SQL.last_generations, {"ids": ids})
    }
    changed = groups.last_design_changes(session, ids)
    quarantines = clusterings.quarantines(session, ids)
    recent = doubts_of_sites(session, ids)
    found = []
    for site_id, key in key_of.items():
        generation, silhouette, sizes, outliers = generations.get(site_id, (0, None, (), 0))
        quarantine = quarantines.get(site_id)
        found.append(
            SiteStatus(
                key=key,
                pages=sum(outcomes[site_id].values()),
                pending=outcomes[site_id].get(PENDING, 0),
                again=again[site_id],
                generation=generation,
                groups=dict(sizes),
                outliers=outliers,
                silhouette=silhouette,
                outcomes=outcomes[site_id],
                changed_design=changed.get(site_id),
                not_clustered_since=quarantine.since if quarantine else None,
                not_clustered_because=quarantine.reason if quarantine else None,
                doubtful=doubtful[site_id],
                dark=site_id in recent and recent[site_id].is_dark,
            )
        )
    return found


def site_history(session: Session, key: str) -> SiteHistory:
    """Return the history of a site; raise `NoResultFound` if the site is unknown."""
    site_id = session.scalars(select(Site.id).where(Site.key == key)).one()
    return SiteHistory(
        groups.group_histories(session, site_id),
        groups.design_changes(session, site_id),
        addresses.count_joined(session, site_id),
    )


def service_counts(session: Session) -> ServiceCounts:
    """Return the counts that monitoring exposes."""
    totals = session.execute(SQL.service_counts).one()
    return ServiceCounts(
        outcomes=_counts(
            session,
            "SELECT coalesce(outcome, :pending), count(*) FROM pages GROUP BY outcome",
            pending=PENDING,
        ),
        waiting=count_waiting(session),
        longest_wait_seconds=longest_wait_seconds(session),
        **totals._asdict(),
        sites_in_quarantine=clusterings.count_quarantined(session),
        design_changes=_counts(
            session,
            """
            SELECT key, count(*) FROM design_changes JOIN sites ON sites.id = site_id
            GROUP BY key
            """,
        ),
        doubtful=_doubtful(session),
        walls=_by_key(session, walled_sites(session)),
        recent_failures=count_failures(session, RECENT_SECONDS),
        outbox=outbox_count(session),
        oldest_seconds=oldest_seconds(session),
    )


def longest_wait_seconds(session: Session) -> float:
    """Return the longest time for which a page has had no outcome, or 0 if all pages have one."""
    return float(session.scalar(SQL.longest_wait_seconds) or 0)


def oldest_seconds(session: Session) -> dict[str, float]:
    """Return the age of the oldest open request, by kind of work; see `ServiceCounts`."""
    return dict(session.execute(SQL.oldest_seconds).all())


def count_waiting(session: Session) -> int:
    """Return the number of pages that have no outcome yet, or are to be extracted again."""
    return int(session.execute(SQL.count_waiting).scalar_one())


def _doubtful(session: Session) -> dict[str, int]:
    found = doubts_of_sites(session)
    dark = {site_id: each.doubtful for site_id, each in found.items() if each.is_dark}
    return _by_key(session, dark)


def _by_key(session: Session, numbers: Mapping[int, int]) -> dict[str, int]:
    keys = session.execute(SQL.keys_of_sites, {"ids": list(numbers)})
    return {key: numbers[site_id] for key, site_id in keys}


def _counts(session: Session, query: str, **values: object) -> dict[str, int]:
    return dict(sorted(map(tuple, session.execute(sql(query), values))))


NEARLY = 0.9
"""Fraction of a limit at which the limit counts as nearly reached."""


def is_backlog_full(session: Session, limit: int, *, repeated: Collection[str]) -> bool:
    """Return whether pages without an outcome, or unpublished messages, reach a limit (0: none).

    Messages in ``repeated`` lanes are excluded, so that reprocessing does not block the intake.
    """
    values = {"most": limit, "repeated": list(repeated)}
    return bool(limit) and bool(session.scalar(SQL.is_backlog_full, values))


def is_backlog_nearly_full(session: Session, limit: int) -> bool:
    """Return whether pending pages or messages, including repeated ones, nearly reach a limit."""
    values = {"most": math.ceil(limit * NEARLY)}
    return bool(limit) and bool(session.scalar(SQL.is_backlog_nearly_full, values))


RECENT_PERIOD = timedelta(days=1)
"""Period within which the extraction of a recent page was requested."""

MIN_DOUBTFUL = 5
"""Minimum number of recent articles or walls for a site to be reported; fewer may be a
coincidence."""


class Doubts(NamedTuple):
    """Number of a site's recent articles, and how many of them are doubtful."""

    articles: int
    doubtful: int

    @property
    def is_dark(self) -> bool:
        """Whether most recent articles are doubtful."""
        return self.doubtful >= MIN_DOUBTFUL and 2 * self.doubtful > self.articles


def walled_sites(session: Session) -> dict[int, int]:
    """Return the number of recent walls, by site, for sites where they are the majority."""
    return dict(
        session.execute(SQL.walled_sites, {"lately": RECENT_PERIOD, "least": MIN_DOUBTFUL}).all()
    )


def doubts_of_sites(session: Session, site_ids: Sequence[int] | None = None) -> dict[int, Doubts]:
    """Return the counts for the given sites (all if None) that have recent doubtful articles."""
    asked = {"doubtful": DOUBTFUL, "lately": RECENT_PERIOD, "ids": site_ids}
    return {
        site_id: Doubts(*counts) for site_id, *counts in session.execute(SQL.doubts_of_sites, asked)
    }


def received(session: Session, message_prefix: str) -> Iterator[str]:
    """Yield the IDs of a run's received messages, in order."""
    query = (
        select(Receipt.message_id)
        .where(Receipt.message_id.startswith(message_prefix, autoescape=True))
        .distinct()
        .order_by(Receipt.message_id)
    )
    for message_id in session.scalars(query.execution_options(yield_per=1000)):
        assert message_id is not None
        yield message_id


def forget_attempts(session: Session) -> None:
    """Reset the attempt counts of unfinished work once all processes have exited."""
    for statement in (
        """
        UPDATE pages SET attempts = 0
        WHERE attempts > 0 AND (outcome IS NULL OR forced OR extracted_generation < generation)
        """,
        "UPDATE comparison_blocks SET attempts = 0 WHERE attempts > 0",
        "DELETE FROM clustering_attempts WHERE quarantined_at IS NULL",
    ):
        session.execute(sql(statement))


class LastFailure(NamedTuple):
    """A task's latest failure."""

    failed_at: datetime
    error: str
    traceback: str


def note_failure(session: Session, *, task_id: str, task: str, error: str, traceback: str) -> None:
    """Record why a task failed."""
    session.add(TaskFailure(task_id=task_id, task=task, error=error, traceback=traceback))


def last_failures(session: Session, task_ids: Iterable[str]) -> dict[str, LastFailure]:
    """Return the latest failure of each given task that has failed, by task ID."""
    rows = session.execute(SQL.last_failures, {"ids": list(task_ids)})
    return {task_id: LastFailure(*rest) for task_id, *rest in rows}


def count_failures(session: Session, seconds: float) -> dict[str, int]:
    """Return the number of failures in the last ``seconds``, by task name."""
    return dict(session.execute(SQL.count_failures, {"seconds": seconds}).all())
