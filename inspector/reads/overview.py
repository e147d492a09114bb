"""Overview of a deployment: outcomes, rates, pending work and recent problems.

It scans the pages twice; all other queries are cheap.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from detourage.messages import DOUBTFUL
from inspector.reads import SQL
from inspector.reads.articles import PENDING

MAX_SLOTS: Final = 48
"""Maximum number of slots on the time axis."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WIDTHS: Final = (
    *(5, 15, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 90 * _DAY, 365 * _DAY),
)
"""Possible slot lengths in seconds; the first that needs no more than `MAX_SLOTS` slots is used."""

_OLDEST_PAGES: Final = 1000
"""Number of oldest pages examined for the earliest time of receipt; a single page is not enough,
since a page received again has a new time."""

RECENT_PERIOD: Final = timedelta(days=1)
"""Maximum time since the extraction of a recent article was requested."""

MIN_DOUBTFUL: Final = 5
"""Minimum number of recent doubtful articles for a site to be reported; fewer may be a
coincidence."""

RECENT_SECONDS: Final = 900
"""Maximum age of a recent failure."""

RATE_SECONDS: Final = 900
"""Period over which rates are computed."""

MAX_RECEIPTS: Final = 20_000
"""Maximum number of messages from which rates are computed; if more were received in
`RATE_SECONDS`, the rates cover a shorter period."""

MIN_FALL: Final = 0.1
"""Minimum drop in a site's mean confidence for the site to be shown (an estimate)."""

MAX_SITES: Final = 10
"""Maximum number of sites (worst first) and of redesigns (newest first) shown."""


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

    Only the last `MAX_RECEIPTS` messages, received from ``first_received_at`` to
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
    and of recent ones; ``articles`` and ``doubtful`` count recent articles only. ``is_dark`` means
    that most of these are doubtful.
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
    waiting, longest, for_relay, sites, aborted = session.execute(SQL.counts).one()
    return Overview(
        sites=sites,
        arrivals=_arrivals(session),
        rates=_rates(session),
        mean_seconds=dict(session.execute(SQL.means).all()),
        waits=Waits(
            waiting, float(longest or 0), for_relay, dict(session.execute(SQL.oldest).all())
        ),
        changes=[
            NoticedChange(*row) for row in session.execute(SQL.last_changes, {"most": MAX_SITES})
        ],
        falling=_falling(session),
        sites_in_quarantine=aborted,
        recent_failures=dict(session.execute(SQL.failures, {"seconds": RECENT_SECONDS}).all()),
    )


def slot_seconds(span: float) -> int:
    """Return the slot length for a time span, both in seconds."""
    return next((width for width in _WIDTHS if span / width < MAX_SLOTS - 1), _WIDTHS[-1])


def _arrivals(session: Session) -> Arrivals:
    began, now = session.execute(_FIRST_RECEIVED).one()
    width = slot_seconds((now - (began or now)).total_seconds())
    params = {"width": timedelta(seconds=width), "began": began or now, "pending": PENDING}
    totals: Counter[str] = Counter()
    slots: defaultdict[datetime, dict[str, int]] = defaultdict(dict)
    doubtful = sent = 0
    for begins, outcome, pages, doubted, revisions in session.execute(_ARRIVALS, params):
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


_FIRST_RECEIVED = SQL.first_received.bindparams(oldest=_OLDEST_PAGES)
_ARRIVALS = SQL.arrivals.bindparams(doubtful=DOUBTFUL)


def _rates(session: Session) -> Rates:
    params = {"most": MAX_RECEIPTS, "seconds": RATE_SECONDS}
    now, messages, first, newest, pages = session.execute(SQL.receipt_rates, params).one()
    # If these messages do not cover the whole period, rates cover the time since the earliest
    # message.
    seconds = float(RATE_SECONDS)
    if messages == MAX_RECEIPTS:
        seconds = min(seconds, max((now - first).total_seconds(), 1.0))
    articles = session.scalar(SQL.article_rate, {**params, "seconds": seconds})
    per_minute = 60 / seconds
    return Rates(pages * per_minute, articles * per_minute, seconds, first, newest)


def _falling(session: Session) -> list[FallingSite]:
    params = {
        "lately": RECENT_PERIOD,
        "doubtful": DOUBTFUL,
        "least": MIN_DOUBTFUL,
        "fall": MIN_FALL,
        "most": MAX_SITES,
    }
    return [FallingSite(*row) for row in session.execute(SQL.falling, params)]
