"""What a person asks first of a deployment: what became of its pages, and what went wrong of late.

Two looks at each page, whatever is shown; what waits is found by indexes, and rates are counted of
the last messages alone.
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
"""Most slots that the time of the pages is divided into."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WIDTHS: Final = (
    *(5, 15, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 90 * _DAY, 365 * _DAY),
)
"""Seconds of a slot: the first with which the pages need no more than `SLOTS`."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_OLDEST: Final = 1000
"""Pages among which the time of the first is sought: one that comes again counts as received then,
so that the first page that was stored need not be it."""

RATE_SECONDS: Final = 900
"""Time that rates are counted over."""

MOST_RECEIPTS: Final = 20_000
"""Messages that rates are counted of, the last ones: a deployment that takes more in that time has
its rates of a shorter one."""

FALL: Final = 0.1
"""Fall of the mean confidence of a site's articles that is shown; chosen to be plain, not measured.
A site is only shown for it, nothing else depends on it."""

MOST_SITES: Final = 10
"""Sites and changes of design that are shown, the worst and the last."""


@dataclass(frozen=True)
class Slot:
    """Pages that were received in a stretch of time, by outcome."""

    begins: datetime
    outcomes: dict[str, int]


@dataclass(frozen=True)
class Arrivals:
    """Pages by outcome over time.

    Parameters
    ----------
    outcomes
        Of all pages.
    doubtful
        Articles that are probably not right.
    articles_sent
        Revisions of articles, ever.
    slot_seconds
        Length of a slot.
    slots
        Those in which pages were received, the first first.
    """

    outcomes: dict[str, int]
    doubtful: int
    articles_sent: int
    slot_seconds: int
    slots: list[Slot]


@dataclass(frozen=True)
class Rates:
    """How fast pages come and articles go.

    Parameters
    ----------
    pages_per_minute, articles_per_minute
        In the last `seconds`; the articles are those of the last `MOST_RECEIPTS` messages.
    seconds
        Time that they are counted over.
    first_received_at, last_received_at
        When the first of these messages came, and the last; None where none ever did.
    """

    pages_per_minute: float
    articles_per_minute: float
    seconds: float
    first_received_at: datetime | None
    last_received_at: datetime | None


@dataclass(frozen=True)
class Waits:
    """What waits in the store, and for how long."""

    pages: int
    longest_seconds: float
    for_relay: int
    oldest_seconds: dict[str, float]


@dataclass(frozen=True)
class NoticedChange:
    """A change of a site's design."""

    site_id: int
    site: str
    noticed_at: datetime
    since: datetime
    new_share: float
    outlier_share: float


@dataclass(frozen=True)
class FallingSite:
    """A site whose articles of late are less certain than those before, or mostly doubtful.

    Parameters
    ----------
    site_id, site
        The site.
    before
        Mean confidence of its articles up to then; None where there are none.
    lately
        Mean confidence of those of late.
    articles, doubtful
        Number of those of late, and of the doubtful ones among them.
    is_dark
        Whether most of those of late are doubtful.
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
    """The state of a deployment, as far as its database tells.

    ``mean_seconds`` is what each kind of work took so far, by its name in `durations`.
    """

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
    """Return the length of the slots that a time is divided into.

    Parameters
    ----------
    span
        The time, in seconds.
    """
    return next((width for width in _WIDTHS if span / width < SLOTS - 1), _WIDTHS[-1])


def _arrivals(session: Session) -> Arrivals:
    oldest = select(StoredPage.received_at).order_by(StoredPage.id).limit(_OLDEST).subquery()
    began, now = session.execute(
        select(select(func.min(oldest.c.received_at)).scalar_subquery(), func.now())
    ).one()
    width = slot_seconds((now - (began or now)).total_seconds())
    # What is older than the oldest of these, as a page may come again, is shown with them.
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
    of_late = func.now() - timedelta(seconds=RATE_SECONDS)
    now, messages, first, newest, pages = session.execute(
        select(
            func.now(),
            func.count(),
            func.min(last.c.received_at),
            func.max(last.c.received_at),
            func.count(last.c.page_id).filter(last.c.received_at > of_late),
        ).select_from(last)
    ).one()
    # Where these messages do not reach so far back, the time since the first of them.
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
