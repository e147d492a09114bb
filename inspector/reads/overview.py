"""Overview of a deployment: outcomes, rates, pending work and recent problems.

It scans the pages twice; all other queries are cheap.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from detourage.messages import DOUBTFUL
from models.tables import Site
from worker.outcomes import PENDING
from worker.store import clusterings, durations, progress
from worker.store.database import sql
from worker.store.outbox import count as outbox_count
from worker.store.progress import MIN_DOUBTFUL, RECENT_PERIOD, count_failures

SLOTS: Final = 48
"""Maximum number of slots on the time axis."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WIDTHS: Final = (
    *(5, 15, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 90 * _DAY, 365 * _DAY),
)
"""Possible slot lengths in seconds; the first that needs no more than `SLOTS` slots is used."""

_OLDEST: Final = 1000
"""Number of oldest pages examined for the earliest time of receipt; a single page is not enough,
since a page received again has a new time."""

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
        recent_failures=count_failures(session, progress.RECENT_SECONDS),
    )


def slot_seconds(span: float) -> int:
    """Return the slot length for a time span, both in seconds."""
    return next((width for width in _WIDTHS if span / width < SLOTS - 1), _WIDTHS[-1])


def _arrivals(session: Session) -> Arrivals:
    began, now = session.execute(_FIRST_RECEIVED).one()
    width = slot_seconds((now - (began or now)).total_seconds())
    asked = {"width": timedelta(seconds=width), "began": began or now, "pending": PENDING}
    totals: Counter[str] = Counter()
    slots: defaultdict[datetime, dict[str, int]] = defaultdict(dict)
    doubtful = sent = 0
    for begins, outcome, pages, doubted, revisions in session.execute(_ARRIVALS, asked):
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


_FIRST_RECEIVED = sql("""
    SELECT min(received_at), now()
    FROM (SELECT received_at FROM pages ORDER BY id LIMIT :oldest) AS oldest
""").bindparams(oldest=_OLDEST)
_ARRIVALS = sql("""
    SELECT
        -- Pages older than `began` go into the first slot.
        date_bin(:width, greatest(received_at, :began), 'epoch') AS slot,
        coalesce(outcome, :pending), count(*),
        count(*) FILTER (WHERE outcome = 'article' AND confidence < :doubtful), sum(revision)
    FROM pages GROUP BY slot, outcome ORDER BY slot
""").bindparams(doubtful=DOUBTFUL)


_LAST_RECEIPTS = "SELECT received_at, page_id FROM receipts ORDER BY id DESC LIMIT :most"


def _rates(session: Session) -> Rates:
    query = sql(f"""
        SELECT now(), count(*), min(received_at), max(received_at),
            count(page_id) FILTER (WHERE received_at > now() - make_interval(secs => :seconds))
        FROM ({_LAST_RECEIPTS}) AS last
    """)  # noqa: S608
    asked = {"most": MAX_RECEIPTS, "seconds": RATE_SECONDS}
    now, messages, first, newest, pages = session.execute(query, asked).one()
    # If these messages do not cover the whole period, rates cover the time since the earliest
    # message.
    seconds = float(RATE_SECONDS)
    if messages == MAX_RECEIPTS:
        seconds = min(seconds, max((now - first).total_seconds(), 1.0))
    query = sql(f"""
        SELECT count(*) FROM articles
        WHERE created_at > now() - make_interval(secs => :seconds)
            AND page_id IN (SELECT page_id FROM ({_LAST_RECEIPTS}) AS last)
    """)  # noqa: S608
    articles = session.scalar(query, {**asked, "seconds": seconds})
    per_minute = 60 / seconds
    return Rates(pages * per_minute, articles * per_minute, seconds, first, newest)


def _last_changes(session: Session) -> list[NoticedChange]:
    query = sql("""
        SELECT site_id, key, noticed_at, since, new_share, outlier_share
        FROM design_changes JOIN sites ON sites.id = site_id
        ORDER BY noticed_at DESC, site_id LIMIT :most
    """)
    return [NoticedChange(*row) for row in session.execute(query, {"most": MAX_SITES})]


def _falling(session: Session) -> list[FallingSite]:
    asked = {
        "lately": RECENT_PERIOD,
        "doubtful": DOUBTFUL,
        "least": MIN_DOUBTFUL,
        "fall": MIN_FALL,
        "most": MAX_SITES,
    }
    query = sql("""
        SELECT falling.site_id, key, before, lately, articles, doubtful, is_dark
        FROM (
            SELECT *, doubtful >= :least AND 2 * doubtful > articles AS is_dark
            FROM (
                SELECT site_id, avg(confidence) FILTER (WHERE NOT is_late) AS before,
                    avg(confidence) FILTER (WHERE is_late) AS lately,
                    count(*) FILTER (WHERE is_late) AS articles,
                    count(*) FILTER (WHERE is_late AND confidence < :doubtful) AS doubtful
                FROM (
                    SELECT site_id, confidence, asked_at > now() - :lately AS is_late
                    FROM pages WHERE outcome = 'article'
                ) AS articles
                GROUP BY site_id
            ) AS of_site
            WHERE articles >= :least AND lately IS NOT NULL
        ) AS falling
        JOIN sites ON sites.id = falling.site_id
        WHERE is_dark OR before - lately >= :fall
        ORDER BY lately, falling.site_id LIMIT :most
    """)
    return [FallingSite(*row) for row in session.execute(query, asked)]
