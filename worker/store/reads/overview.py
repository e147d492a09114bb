"""Overview of a deployment: outcomes, rates, pending work and recent problems.

It scans the pages twice; all other queries are cheap.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.tables import Article, DesignChange, Receipt, Site, StoredPage
from worker.outcomes import PENDING, PageOutcome
from worker.store import clusterings, durations, failures, progress
from worker.store.doubts import LATELY, MIN_DOUBTFUL, Doubts, is_doubtful
from worker.store.outbox import count as outbox_count

SLOTS: Final = 48
"""Maximum number of slots on the time axis."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WIDTHS: Final = (
    *(5, 15, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 90 * _DAY, 365 * _DAY),
)
"""Possible slot lengths in seconds; the first that needs no more than `SLOTS` slots is used."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_OLDEST: Final = 1000
"""Number of pages examined for the earliest time of receipt, since a page received again has a new
time."""

RATE_SECONDS: Final = 900
"""Period over which rates are computed."""

MOST_RECEIPTS: Final = 20_000
"""Maximum number of recent messages used for rates, which then cover a shorter period."""

FALL: Final = 0.1
"""Minimum drop in a site's mean confidence at which the site is shown (not measured)."""

MOST_SITES: Final = 10
"""Maximum number of sites (the worst) and of redesigns (the newest) shown."""


@dataclass(frozen=True)
class Slot:
    """Number of pages received in a slot, by outcome."""

    begins: datetime
    outcomes: dict[str, int]


@dataclass(frozen=True)
class Arrivals:
    """Number of pages by outcome, in total and in each slot with pages, oldest first.

    ``doubtful`` counts articles that are probably wrong, and ``articles_sent`` all revisions.
    """

    outcomes: dict[str, int]
    doubtful: int
    articles_sent: int
    slot_seconds: int
    slots: list[Slot]


@dataclass(frozen=True)
class Rates:
    """Rates of incoming pages and outgoing articles in the last ``seconds``.

    Only the last `MOST_RECEIPTS` messages, received from ``first_received_at`` to
    ``last_received_at``, and their articles are counted.
    """

    pages_per_minute: float
    articles_per_minute: float
    seconds: float
    first_received_at: datetime | None
    last_received_at: datetime | None


@dataclass(frozen=True)
class Waits:
    """Amount and age of the work pending in the store."""

    pages: int
    longest_seconds: float
    for_relay: int
    oldest_seconds: dict[str, float]


@dataclass(frozen=True)
class NoticedChange:
    """A redesign of a site."""

    site_id: int
    site: str
    noticed_at: datetime
    since: datetime
    new_share: float
    outlier_share: float


@dataclass(frozen=True)
class FallingSite:
    """A site whose recent articles have a lower confidence than before, or are mostly doubtful.

    ``before`` and ``lately`` are the mean confidences of earlier articles (None if there are none)
    and of recent ones; ``articles`` and ``doubtful`` count recent articles only.
    """

    site_id: int
    site: str
    before: float | None
    lately: float
    articles: int
    doubtful: int
    is_dark: bool


@dataclass(frozen=True)
class Overview:
    """State of a deployment; ``mean_seconds`` is the mean duration of each kind of work."""

    sites: int
    arrivals: Arrivals
    rates: Rates
    mean_seconds: dict[str, float]
    waits: Waits
    changes: list[NoticedChange]
    falling: list[FallingSite]
    sites_in_quarantine: int
    recent_failures: dict[str, int]


def overview(session: Session) -> Overview:
    """Return the state of a deployment."""
    return Overview(
        sites=session.scalar(select(func.count()).select_from(Site)) or 0,
        arrivals=_arrivals(session),
        rates=_rates(session),
        mean_seconds={
            work: histogram.seconds / max(histogram.cumulative.values())
            for work, histogram in durations.histograms(session).items()
        },
        waits=Waits(
            pages=progress.count_waiting(session),
            longest_seconds=progress.longest_wait_seconds(session),
            for_relay=outbox_count(session),
            oldest_seconds=progress.oldest_seconds(session),
        ),
        changes=_last_changes(session),
        falling=_falling(session),
        sites_in_quarantine=clusterings.count_quarantined(session),
        recent_failures=failures.count_since(session, progress.RECENT_SECONDS),
    )


def slot_seconds(span: float) -> int:
    """Return the slot length for a time span, both in seconds."""
    return next((width for width in _WIDTHS if span / width < SLOTS - 1), _WIDTHS[-1])


def _arrivals(session: Session) -> Arrivals:
    oldest = select(StoredPage.received_at).order_by(StoredPage.id).limit(_OLDEST).subquery()
    began, now = session.execute(
        select(select(func.min(oldest.c.received_at)).scalar_subquery(), func.now())
    ).one()
    width = slot_seconds((now - (began or now)).total_seconds())
    # Pages older than `began` go into the first slot.
    received = func.greatest(StoredPage.received_at, began or now)
    slot = func.date_bin(timedelta(seconds=width), received, _EPOCH)
    rows = session.execute(
        select(
            slot.label("slot"),
            func.coalesce(StoredPage.outcome, PENDING),
            func.count(),
            func.count().filter(is_doubtful()),
            func.sum(StoredPage.revision),
        )
        .group_by("slot", StoredPage.outcome)
        .order_by("slot")
    )
    totals: Counter[str] = Counter()
    slots: defaultdict[datetime, dict[str, int]] = defaultdict(dict)
    doubtful = sent = 0
    for begins, outcome, pages, doubted, revisions in rows:
        totals[outcome] += pages
        slots[begins.astimezone(UTC)][outcome] = pages
        doubtful += doubted
        sent += revisions
    return Arrivals(
        dict(sorted(totals.items())),
        doubtful,
        sent,
        width,
        [Slot(begins, outcomes) for begins, outcomes in slots.items()],
    )


def _rates(session: Session) -> Rates:
    last = (
        select(Receipt.received_at, Receipt.page_id)
        .order_by(Receipt.id.desc())
        .limit(MOST_RECEIPTS)
        .cte("last")
    )
    since = func.now() - timedelta(seconds=RATE_SECONDS)
    now, messages, first, newest, pages = session.execute(
        select(
            func.now(),
            func.count(),
            func.min(last.c.received_at),
            func.max(last.c.received_at),
            func.count(last.c.page_id).filter(last.c.received_at > since),
        ).select_from(last)
    ).one()
    # If these messages do not reach back that far, rates cover the time since the earliest.
    seconds = float(RATE_SECONDS)
    if messages == MOST_RECEIPTS:
        seconds = min(seconds, max((now - first).total_seconds(), 1.0))
    articles = session.scalar(
        select(func.count())
        .select_from(Article)
        .where(
            Article.page_id.in_(select(last.c.page_id)),
            Article.created_at > func.now() - timedelta(seconds=seconds),
        )
    )
    per_minute = 60 / seconds
    return Rates(pages * per_minute, (articles or 0) * per_minute, seconds, first, newest)


def _last_changes(session: Session) -> list[NoticedChange]:
    rows = session.execute(
        select(
            DesignChange.site_id,
            Site.key,
            DesignChange.noticed_at,
            DesignChange.since,
            DesignChange.new_share,
            DesignChange.outlier_share,
        )
        .join(Site, Site.id == DesignChange.site_id)
        .order_by(DesignChange.noticed_at.desc(), DesignChange.site_id)
        .limit(MOST_SITES)
    )
    return [NoticedChange(*row) for row in rows]


def _falling(session: Session) -> list[FallingSite]:
    is_late = StoredPage.asked_at > func.now() - LATELY
    rows = session.execute(
        select(
            StoredPage.site_id,
            func.avg(StoredPage.confidence).filter(~is_late).label("before"),
            func.avg(StoredPage.confidence).filter(is_late),
            func.count().filter(is_late),
            func.count().filter(is_late & is_doubtful()),
        )
        .where(StoredPage.outcome == PageOutcome.ARTICLE)
        .group_by(StoredPage.site_id)
        .having(func.count().filter(is_late) >= MIN_DOUBTFUL)
    )
    found = []
    for site_id, before, lately, articles, doubtful in rows:
        is_dark = Doubts(articles, doubtful).is_dark
        if lately is not None and (is_dark or (before is not None and before - lately >= FALL)):
            found.append((site_id, before, lately, articles, doubtful, is_dark))
    found.sort(key=lambda each: (each[2], each[0]))
    worst = found[:MOST_SITES]
    keys = _keys(session, [each[0] for each in worst])
    return [FallingSite(each[0], keys[each[0]], *each[1:]) for each in worst]


def _keys(session: Session, site_ids: Sequence[int]) -> dict[int, str]:
    return dict(session.execute(select(Site.id, Site.key).where(Site.id.in_(site_ids))).all())
