"""Recognition of dates as written on pages."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

from detourage.text.calendars import month_named

MIN_YEAR = 1990
"""Earliest plausible year; earlier years are dates of birth or foundation."""

MAX_YEAR = 2100
"""Latest plausible year."""

_ZONES = {
    "z": 0,
    "utc": 0,
    "gmt": 0,
    "cet": 1,
    "mez": 1,
    "cest": 2,
    "mesz": 2,
    "msk": 3,
    "est": -5,
    "edt": -4,
    "pst": -8,
    "pdt": -7,
}
"""UTC offsets of unambiguous zone names, in hours."""

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_MONTH = r"(?P<month>\d{1,2})"
_NAME = r"(?P<name>[^\W\d_]{3,14})\.?"
_SMALL = r"(?:de|del|d[’'e]|of|di|do|den|ta|v)"
_FORMS = tuple(
    re.compile(rf"(?<![\d.,/-]){form}(?!\.?\d)", re.IGNORECASE)
    for form in (
        rf"{_YEAR}-{_MONTH}-{_DAY}",
        rf"{_YEAR}\s*[年년]\s*{_MONTH}\s*[月월]\s*{_DAY}",
        rf"{_YEAR}\s?(?P<sign>[./-])\s?{_MONTH}\s?(?P=sign)\s?{_DAY}",
        rf"{_DAY}\s?(?P<sign>[./|-])\s?{_MONTH}\s?(?P=sign)\s?{_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th|er|\.|º|ª|o)?\s*+(?:{_SMALL}\s++)?[\s/-]*+{_NAME}"
        rf"[\s.,/-]*+(?:{_SMALL}\s++)?{_YEAR}",
        rf"(?<![^\W\d_]){_NAME}\s+{_DAY}(?:st|nd|rd|th|\.)?,?\s+{_YEAR}",
        rf"{_YEAR}[.,]?\s+{_NAME}\s+{_DAY}",
        rf"{_DAY}(?P<sign>[./])\s?{_MONTH}(?P=sign)\s?(?P<short>\d\d)",
        rf"(?<![^\W\d_]){_NAME}\s+{_DAY},?\s+[’'](?P<short>\d\d)",
        rf"{_DAY}\.?\s+{_NAME}\s+(?P<short>\d\d)(?=[\s,]+\d\d?:\d\d)",
    )
)
_COMPACT = re.compile(rf"(?<!\d){_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?=$|[T\s]|\d{{4}}(?:\d\d)?$)")
_DIGIT = re.compile(r"\d")
_HAS_YEAR = re.compile(
    r"(?:19|20)\d\d|\d[./]\s?\d{1,2}[./]\s?\d\d(?!\d)|[’']\d\d(?!\d)"
    r"|[^\W\d_]\.?\s\d\d[\s,]+\d\d?:\d\d"
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:(?P<colon>[:：])|[.h]\s?)(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?!\d)\s*(?P<half>[ap]\.?m\b)?[.,]?\s*\(?(?P<zone>[A-Z]{1,4}\b)?(?P<offset>[+-]\d\d:?(?:\d\d)?(?!\d))?",
    re.IGNORECASE,
)
_COMPACT_TIME = re.compile(
    r"T?(?P<hour>\d\d):?(?P<minute>\d\d):?(?P<second>\d\d)?(?P<zone>Z)?(?P<offset>[+-]\d\d:?\d\d)?$"
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_IN_PATH = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:(?P<sign>[/_.-])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})"
    r"|[/_.-]?(?P<month2>\d\d)[/_.-]?(?P<day2>\d\d))(?!\d)"
)

_LEFT_OVER = re.compile(r"^[\W\d]+|\b(?:uhr|at|um|am|on|le)\b|[\s|·,–-]+$", re.IGNORECASE)

MAX_GAP = 12
"""Maximum number of characters between a day and its time, as in " um 14.30 Uhr"."""


@dataclass(frozen=True)
class Moment:
    """A date with the precision given on the page.

    The day is in the page's time zone. The time of day and the offset from UTC are None if the
    page does not give them. `written` is the date as written on the page; empty if unknown.
    """

    day: date
    clock: time | None = None
    zone: tzinfo | None = None
    written: str = field(default="", compare=False, repr=False)

    @property
    def instant(self) -> datetime:
        """The moment as a datetime, in which missing parts default to midnight and UTC.

        The day remains the one given on the page, so the error is at most one time zone's offset.
        """
        return datetime.combine(self.day, self.clock or time(), self.zone or UTC)

    def __str__(self) -> str:
        """Format the known parts in ISO 8601."""
        if self.clock is None:
            return self.day.isoformat()
        return datetime.combine(self.day, self.clock, self.zone).isoformat()


def parse_moment(text: str, language: str | None = None) -> Moment | None:
    """Parse a declared date; return None if it is not recognised.

    The date, optionally with a time, may be in ISO 8601, in seconds or milliseconds since 1970, or
    in words of `language` (a BCP 47 tag).
    """
    if _EPOCH.fullmatch(text):
        moment = datetime.fromtimestamp(int(text[:10]), UTC)
        if not _is_likely(moment.year):
            return None
        return replace(_moment(moment.date(), moment.timetz()), written=text)
    compact = _COMPACT.match(text)
    if compact:
        day = _day(compact)
        clock = _COMPACT_TIME.fullmatch(text[compact.end() :].strip())
        return None if day is None else replace(_with_time(day, clock), written=text)
    return next(find_moments(text[:200], language), None)


def find_moments(text: str, language: str | None = None) -> Iterator[Moment]:
    """Yield the dates in a text, in the order of `find_dates`."""
    return (found.moment for found in find_dates(text, language))


class WrittenDate(NamedTuple):
    """A date with the offsets of its text, which includes an adjacent time."""

    moment: Moment
    start: int
    end: int


def find_dates(text: str, language: str | None = None) -> Iterator[WrittenDate]:
    """Yield the dates in a line with their times, beginning with the most reliable format.

    The language (a BCP 47 tag) selects the month names and decides whether 4/5/2024 is in April or
    May.
    """
    if not _may_have_date(text):
        return
    for form in _FORMS:
        for match in form.finditer(text):
            day = _day(match, language)
            if day is not None:
                clock = _time_beside(text, match)
                spans = [match.span(), *([clock.span()] if clock else [])]
                start, end = min(spans)[0], max(spans)[1]
                moment = replace(_with_time(day, clock), written=text[start:end])
                yield WrittenDate(moment, start, end)


def _may_have_date(text: str) -> bool:
    # Most texts have no digit, which is quick to check.
    return _DIGIT.search(text) is not None and _HAS_YEAR.search(text) is not None


def date_in_path(path: str) -> Moment | None:
    """Return the date in a URL's path, such as ``/2024/05/31/`` or ``/20240531-``."""
    for match in _IN_PATH.finditer(path):
        month, day = match["month"] or match["month2"], match["day"] or match["day2"]
        found = _date(int(match["year"]), int(month), int(day))
        if found is not None:
            return Moment(found)
    return None


def _day(match: re.Match[str], language: str | None = None) -> date | None:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else 2000 + int(parts["short"])
    day = int(parts["day"])
    if parts.get("name"):
        month = month_named(parts["name"], language)
        return _date(year, month, day) if month else None
    month = int(parts["month"])
    if match.start("day") < match.start("month"):
        is_month_first = parts["sign"] != "." and language in {"en", "en-US"}
        if month > 12 or (is_month_first and day <= 12):
            day, month = month, day
    return _date(year, month, day)


def _date(year: int, month: int, day: int) -> date | None:
    if not _is_likely(year):
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _is_likely(year: int) -> bool:
    return MIN_YEAR <= year <= MAX_YEAR


def _time_beside(text: str, found: re.Match[str]) -> re.Match[str] | None:
    """Return the time directly after a day or, if there is none, directly before it."""
    after = _TIME.search(text, found.end(), found.end() + MAX_GAP + 20)
    if after and after.start() - found.end() <= MAX_GAP:
        return after
    start = max(0, found.start() - MAX_GAP - 8)
    before = deque(_TIME.finditer(text, start, found.start()), maxlen=1)
    if before and before[0]["colon"] and found.start() - before[0].end() <= MAX_GAP:
        return before[0]
    return None


def _with_time(day: date, match: re.Match[str] | None) -> Moment:
    if match is None:
        return Moment(day)
    parts = match.groupdict()
    hour, minute, second = int(parts["hour"]), int(parts["minute"]), int(parts["second"] or 0)
    half = (parts.get("half") or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    try:
        return _moment(day, time(hour, minute, second, tzinfo=_zone(parts)))
    except ValueError:
        return Moment(day)


def _moment(day: date, clock: time) -> Moment:
    return Moment(day, clock.replace(tzinfo=None), clock.tzinfo)


def _zone(parts: dict[str, str | None]) -> tzinfo | None:
    offset = parts.get("offset")
    if offset:
        digits = offset[1:].replace(":", "")
        hours, minutes = int(digits[:2]), int(digits[2:4] or 0)
        shift = timedelta(hours=hours, minutes=minutes)
        if shift >= timedelta(hours=15) or minutes >= 60:
            return None
        return timezone(-shift if offset[0] == "-" else shift)
    hours_of = _ZONES.get((parts.get("zone") or "").lower())
    return None if hours_of is None else timezone(timedelta(hours=hours_of))


def without_dates(text: str) -> str:
    """Return a line without dates, times and their separators."""
    if not _may_have_date(text):
        return text
    for form in _FORMS:
        text = form.sub(" | ", text)
    text = _TIME.sub(" | ", text)
    return _LEFT_OVER.sub("", text)
