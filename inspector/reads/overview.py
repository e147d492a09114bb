"""Overview of a deployment: outcomes, rates, pending work and recent problems.

Two of its queries scan all pages; the others are cheap.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from detourage.limits import DOUBTFUL_CONFIDENCE
from inspector.reads import SQL
from inspector.reads.articles import PENDING

MAX_SLOTS: Final = 48
"""Maximum number of slots (periods of equal length) into which the time axis is divided."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SLOT_SECONDS: Final = (
    *(5, 15, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 90 * _DAY, 365 * _DAY),
)
"""Possible slot lengths; the smallest with at most `MAX_SLOTS` slots is used."""

_OLDEST_PAGES: Final = 1000
"""Number of pages with the smallest IDs among which the earliest time of receipt is determined. The
first page is not enough, since concurrent transactions do not get IDs in the order of receipt."""

RECENT_PERIOD: Final = timedelta(days=1)
"""An article is recent if its extraction was requested at most this long ago."""

MIN_DOUBTFUL: Final = 5
"""Minimum number of recent doubtful articles for a site to be reported; fewer may be a
coincidence."""

RECENT_SECONDS: Final = 900
"""Maximum age of failures that are reported, in seconds."""

RATE_SECONDS: Final = 900
"""Period over which rates are computed, in seconds."""

MAX_RECEIPTS: Final = 20_000
"""Maximum number of messages from which rates are computed; if more were received in
`RATE_SECONDS`, the rates cover a shorter period."""

MIN_FALL: Final = 0.1
"""Minimum drop of a site's mean confidence for the site to be reported (chosen by judgement)."""

MAX_SITES: Final = 10
"""Maximum number of falling sites (worst first), and of design changes (newest first), reported."""


@dataclass(frozen=True)
class Slot:
    """A slot of the time axis, with the number of pages received in it by outcome."""

    begins: datetime
    outcomes: dict[str, int]


@dataclass(frozen=True)
class Arrivals:
    """Number of pages by outcome, in total and in each slot with pages, oldest first.

    ``doubtful`` is the number of articles with a confidence below `DOUBTFUL_CONFIDENCE`, and
    ``articles_sent`` the number of all revisions.
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
    """Work pending in the store.

    ``pages`` wait for extraction, the first of them for ``longest_seconds``. ``for_relay`` messages
    wait in the outbox. ``oldest_seconds`` has the age of the oldest request by kind of work.
    """

    pages: int
    longest_seconds: float
    for_relay: int
    oldest_seconds: dict[str, float]


@dataclass(frozen=True)
class NoticedChange:
    """A design change of a site."""

    site_id: int
    site: str
    noticed_at: datetime
    since: datetime
    new_share: float
    outlier_share: float


@dataclass(frozen=True)
class FallingSite:
    """A site whose recent articles have a lower confidence than before, or are mostly doubtful.

    ``before`` is the mean confidence of earlier articles (None if there are none), and ``lately``
    that of recent ones. ``articles`` and ``doubtful`` are numbers of recent articles. ``is_dark``
    is True if most of these, and at least `MIN_DOUBTFUL`, are doubtful: the site may no longer be
    readable.
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
    """State of a deployment; ``mean_seconds`` is the mean duration by kind of work."""

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
    waiting, longest_seconds, for_relay, sites, quarantined = session.execute(SQL.counts).one()
    return Overview(
        sites=sites,
        arrivals=_arrivals(session),
        rates=_rates(session),
        mean_seconds=dict(session.execute(SQL.means).all()),
        waits=Waits(
            pages=waiting,
            longest_seconds=float(longest_seconds or 0),
            for_relay=for_relay,
            oldest_seconds=dict(session.execute(SQL.oldest).all()),
        ),
        changes=[
            NoticedChange(*row) for row in session.execute(SQL.last_changes, {"limit": MAX_SITES})
        ],
        falling=_falling_sites(session),
        sites_in_quarantine=quarantined,
        recent_failures=dict(session.execute(SQL.failures, {"seconds": RECENT_SECONDS}).all()),
    )


def slot_seconds(span: float) -> int:
    """Return the slot length for a time span, both in seconds."""
    fitting = (seconds for seconds in _SLOT_SECONDS if span / seconds < MAX_SLOTS - 1)
    return next(fitting, _SLOT_SECONDS[-1])


def _arrivals(session: Session) -> Arrivals:
    """Count the stored pages by outcome and time of receipt."""
    first_received, now = session.execute(_FIRST_RECEIVED).one()
    began = first_received or now
    seconds = slot_seconds((now - began).total_seconds())
    params = {"width": timedelta(seconds=seconds), "began": began, "pending": PENDING}
    totals: Counter[str] = Counter()
    slots: defaultdict[datetime, dict[str, int]] = defaultdict(dict)
    doubtful = revisions = 0
    for begins, outcome, pages, slot_doubtful, slot_revisions in session.execute(_ARRIVALS, params):
        totals[outcome] += pages
        slots[begins.astimezone(UTC)][outcome] = pages
        doubtful += slot_doubtful
        revisions += slot_revisions
    return Arrivals(
        outcomes=dict(sorted(totals.items())),
        doubtful=doubtful,
        articles_sent=revisions,
        slot_seconds=seconds,
        slots=[Slot(begins, outcomes) for begins, outcomes in slots.items()],
    )


_FIRST_RECEIVED = SQL.first_received.bindparams(oldest=_OLDEST_PAGES)
_ARRIVALS = SQL.arrivals.bindparams(doubtful=DOUBTFUL_CONFIDENCE)


def _rates(session: Session) -> Rates:
    """Return the rates of the last `RATE_SECONDS`, or less if there were very many messages."""
    params = {"max_receipts": MAX_RECEIPTS, "seconds": RATE_SECONDS}
    now, messages, first, last, pages = session.execute(SQL.receipt_rates, params).one()
    seconds = float(RATE_SECONDS)
    if messages == MAX_RECEIPTS:
        # More messages were received in the period, so it is reduced to that of the counted ones.
        seconds = min(seconds, max((now - first).total_seconds(), 1.0))
    articles = session.scalar(SQL.article_rate, {**params, "seconds": seconds})
    per_minute = 60 / seconds
    return Rates(pages * per_minute, articles * per_minute, seconds, first, last)


def _falling_sites(session: Session) -> list[FallingSite]:
    """Return the sites with a falling confidence or mostly doubtful articles, worst first."""
    params = {
        "recent_period": RECENT_PERIOD,
        "doubtful": DOUBTFUL_CONFIDENCE,
        "min_doubtful": MIN_DOUBTFUL,
        "min_fall": MIN_FALL,
        "limit": MAX_SITES,
    }
    return [FallingSite(*row) for row in session.execute(SQL.falling, params)]
