"""Recognition of dates as written on pages."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple

from detourage.text.caches import cached_if_short
from detourage.text.calendars import Periods, month_named, periods_in, plain_name, plain_period
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import contains_any, word_set

MIN_YEAR = 1990  # Earliest plausible year; earlier years are dates of birth or foundation
MAX_YEAR = 2100  # Latest plausible year
# UTC offsets in hours by zone name; if zones share a name, the most populous one counts.
_ZONES: dict[str, float] = {
    name: hours
    for names, hours in (
        ("z,utc,gmt,wet", 0),
        ("cet,mez,bst,west,wat", 1),
        ("cest,mesz,eet,sast,cat", 2),
        ("msk,мск,eest,trt,eat,по московскому времени,по москве", 3),
        ("irst", 3.5),
        ("gst", 4),
        ("pkt", 5),
        ("ist", 5.5),
        ("npt", 5.75),
        ("ict,wib", 7),
        ("sgt,hkt,pht,myt,wita,awst,北京时间,北京時間", 8),
        ("jst,kst,wit,日本時間", 9),
        ("acst", 9.5),
        ("aest", 10),
        ("acdt", 10.5),
        ("aedt", 11),
        ("nzst", 12),
        ("nzdt", 13),
        ("ndt", -2.5),
        ("brt,art,clst,adt,horário de brasília,hora de brasília,hora de brasilia", -3),
        ("nst", -3.5),
        ("edt,ast,clt,vet,eastern daylight time", -4),
        ("est,et,cdt,cot,pet,eastern standard time,eastern time,central daylight time", -5),
        ("cst,ct,mdt,central time,central standard time,mountain daylight time", -6),
        ("mst,mt,pdt,mountain time,mountain standard time,pacific daylight time", -7),
        ("pst,pt,akdt,pacific time,pacific standard time", -8),
        ("akst", -9),
        ("hst", -10),
    )
    for name in names.split(",")
}
# UTC offsets of zone names that denote another zone in a country or language, by its code.
_ZONES_ELSEWHERE = {
    "ast": {"AE": 3.0, "SA": 3.0},
    "bst": {"BD": 6.0},
    "cst": {"CN": 8.0, "TW": 8.0, "zh": 8.0},
    "ist": {"IE": 1.0, "IL": 2.0, "he": 2.0},
}
# Zone names in the USA that also denote summer time, which is an hour ahead.
_ALSO_SUMMER = frozenset(
    ("et", "eastern time", "ct", "central time", "mt", "mountain time", "pt", "pacific time")
)
# Languages, with or without a country, in which 4/5/2024 is in April (from CLDR).
_MONTH_FIRST = word_set("en en-US en-AS en-GU en-MP en-PH en-PR en-UM en-VI es-PA es-PR fil fil-PH")
# Languages in which 24.5.4 is in May 2024.
_YEAR_FIRST = frozenset(("eu", "hu", "ja", "ko", "lt", "mn", "ne", "zh"))
# The year before the first year of each Japanese and Chinese era.
_ERAS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
_BUDDHIST_OFFSET = 543  # years by which the Thai calendar is ahead of the Gregorian one
_PERSIAN_MONTHS = {
    plain_name(name): number
    for number, name in enumerate(
        "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split(),  # noqa: SIM905
        start=1,
    )
}
_THAI = re.compile("[\u0e01-\u0e5b]")
_HAN_DIGITS = dict(zip("〇一二三四五六七八九十", range(11), strict=True)) | {
    "零": 0, "○": 0, "元": 1, "廿": 20, "卅": 30,
}  # fmt: skip
# ASCII forms of digits and punctuation in other scripts; offsets remain the same.
_TO_ASCII = str.maketrans(
    {
        **{chr(zero + n): str(n) for zero in (
            0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50,
            0xED0, 0x1040, 0x17E0, 0xFF10,
        ) for n in range(10)},
        **dict(zip("：／．－−،，、\u200e\u200f", ":/.--,,,  ", strict=True)),
    }
)  # fmt: skip
# A letter, or a vowel sign, which Python does not count as a letter.
_LETTER = r"(?-i:[^\s\d\x00-@\[-`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u2000-\u200b\u200e-\u206f])"
_YEAR = r"(?P<year>(?:1[34]|19|2[05])\d\d)"  # Persian (1403), Gregorian, or Thai (2567)
_DAY = r"(?P<day>\d{1,2})"
_MONTH = r"(?P<month>\d{1,2})"
# Every character outside ASCII that may be a letter, and some that are not.
_OTHER_LETTERS = "\xaa\xb5\xba\xc0-\u1fff\u200c\u200d\u2070-\U0010ffff"
# Thai abbreviations contain full stops, some names consist of two words (Arabic, Irish), and Arabic
# pages give both names of a month.
_NAME = (
    r"(?P<name>[\u0e01-\u0e5b]{1,3}\.[\u0e01-\u0e5b]{1,2}|(?-i:[\u0590-\u109f]{2})"
    rf"|{_LETTER}{{3,14}}(?:\s(?:ال{_LETTER}{{3,5}}|Fómhair))?)"
    rf"\.?(?:/{_LETTER}{{3,14}})?"
)
_ASCII_NAME = r"(?P<name>[a-z]{3,14})\.?(?:/[a-z]{3,14})?"  # the same without `_OTHER_LETTERS`
_PARTICLE = r"(?:(?:de|del|of|di|do|den|ta’?|v)\s++|d[’']\s?)"  # as in "4 de mayo de 2024"
_AFTER_YEAR = r"(?:[.,]?\s?(?:m\.|թ\.|ж\.|(?:\(e\))?ko\b|gada\b|жылы?\b|жылғы\b|оны\b)|[.,]?)"
_ERA_MARK = r"(?:[พค]\.?\s?ศ\.?\s?)?"  # The Buddhist or the Christian era, before a Thai year
_HAN = "[〇零○一二三四五六七八九十廿卅元]"  # A Chinese digit
# Date formats, most reliable first. Each match of a pattern contains one of the strings before it.
_FORMATS = tuple(
    (needed_strings.split(), rf"(?<![\d.,/-]){form}(?!\.?\d)")
    for needed_strings, form in (
        ("-", rf"{_YEAR}-{_MONTH}-{_DAY}"),  # 2024-05-31
        ("月 월", rf"{_YEAR}\s*[年년]\s*{_MONTH}\s*[月월]\s*{_DAY}"),  # 2024年5月31日
        (
            "月",  # 令和6年5月31日
            rf"(?P<era>{'|'.join(_ERAS)})\s?(?P<of_era>\d{{1,3}}|元)\s?年\s?{_MONTH}\s?月\s?{_DAY}",
        ),
        ("月", rf"(?P<year>{_HAN}{{4}})年(?P<month>{_HAN}{{1,2}})月(?P<day>{_HAN}{{1,3}})日"),
        (". / -", rf"{_YEAR}\s?(?P<sign>[./-])\s?{_MONTH}\s?(?P=sign)\s?{_DAY}"),  # 2024/5/31
        (". / - |", rf"{_DAY}\s?(?P<sign>[./|-])\s?{_MONTH}\s?(?P=sign)\s?{_YEAR}"),  # 31.5.2024
        ("tháng thg", rf"{_DAY}\s(?:tháng|thg)\s{_MONTH},?\s(?:năm\s)?{_YEAR}"),
        (
            "",  # 31 de mayo de 2024
            rf"{_DAY}(?:st|nd|rd|th|er|[.,]|º|ª|o|ο)?\s*+{_PARTICLE}?[\s/-]*+{_NAME}"
            rf"[\s.,/-]*+{_PARTICLE}?{_ERA_MARK}{_YEAR}",
        ),
        ("", rf"(?<!{_LETTER}){_NAME}\s+{_DAY}(?:st|nd|rd|th|\.)?,?\s+{_YEAR}"),  # May 31st, 2024
        ("", rf"{_YEAR}{_AFTER_YEAR}\s+{_NAME}\s+{_DAY}"),  # 2024. május 31
        ("", rf"{_YEAR}{_AFTER_YEAR}\s+{_DAY}\.?\s{_NAME}"),  # 2024 m. 31 gegužės
        ("оны", rf"{_YEAR}\s?оны\s{_MONTH}(?:-р)?\sсарын\s{_DAY}"),  # Mongolian
        (". /", rf"(?<!{_LETTER}){_DAY}(?P<sign>[./])\s?{_MONTH}(?P=sign)\s?(?P<short>\d\d)"),
        ("' ’", rf"(?<!{_LETTER}){_NAME}\s+{_DAY},?\s+[’'](?P<short>\d\d)"),  # May 31, '24
        (":", rf"{_DAY}\.?\s+{_NAME}\s+(?P<short>\d\d)(?=[\s,]+\d\d?:\d\d)"),  # 31 May 24, 18:30
    )
)
_COMPACT = lazy_pattern(  # 20240531, perhaps followed by a time
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?=$|[T\s]|\d{4}(?:\d\d)?$)"
)
_DIGIT = re.compile(r"\d")
_HAS_YEAR = re.compile(  # A year, with or without its century, in any of `_FORMATS`
    r"(?:1[349]|2[05])\d\d|\d[./]\s?\d{1,2}[./]\s?\d\d(?!\d)|[’']\d\d(?!\d)"
    r"|[〇一二三四五六七八九零○\d元]\s?年"
    r"|[^\W\d_]\.?\s\d\d[\s,]+\d\d?:\d\d"
)
_CLOCK = re.compile(  # 18:30:59, 18.30, 18h30, 18시 30분, 18 Uhr, or the bare hour
    r"(?<![\d:])(?<!\d\.)(?P<hour>\d{1,2})"
    r"(?:(?:(?P<colon>:)|\.\s?|\s?h\s?|\s?[時时시點点]\s?)(?P<minute>\d\d(?!\d|[./-]\d{4})|\d(?=\s?[分분]))"
    r"(?::(?P<second>\d\d)(?:[.,]\d+)?(?!\d)|\s?[分분](?:\s?\d\d?\s?[秒초])?)?"
    r"|(?P<sign>\s?(?:[時时시點点]|(?:h|uhr)\b)))?",
    re.IGNORECASE,
)
_ZONE = lazy_pattern(  # The text after a time, as in "18:30 Uhr (CEST)" or "18:30 GMT+2"
    r"(?P<unit>\s?(?:uhr|hrs?|น|ч)\b\.?)?[.,]?\s*[(\[]?\s?"
    rf"(?:(?P<zone>{'|'.join(name for name in _ZONES if ' ' in name)}|{_LETTER}{{1,6}})"
    rf"(?!{_LETTER}))?"
    r"\s?(?P<offset>[+-]\d\d?(?::?\d\d)?(?!\d))?",
    re.IGNORECASE,
)
_COMPACT_TIME = lazy_pattern(  # T183059Z, or 18:30:59+02:00
    r"T?(?P<hour>\d\d):?(?P<minute>\d\d):?(?P<second>\d\d)?(?P<zone>Z)?(?P<offset>[+-]\d\d:?\d\d)?$"
)
_ISO = re.compile(  # 2024-05-31, or 2024-05-31T18:30:59.123+02:00
    r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d{1,9})?)?"
    r"(?:(?P<zone>Z)|(?P<offset>[+-]\d\d:?\d\d))?)?",
    re.ASCII,
)
_UNIX_DATE = lazy_pattern(  # Fri May 31 18:30:59 UTC 2024
    r"\w{3} (\w{3} [ \d]?\d) (\d\d:\d\d:\d\d) (\S{3,6}) (\d{4})"
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")  # Seconds or milliseconds since 1970
_DAY_FIRST_IN_PATH = lazy_pattern(  # 31-05-2024
    r"(?<!\d)(?P<day>\d\d)[-_.](?P<month>\d\d)[-_.](?P<year>(?:19|20)\d\d)(?![\d])"
)
_IN_PATH = re.compile(  # 2024/05/31, 2024/may/31 or 20240531
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:(?P<sign>[/_.-])(?P<month>\d{1,2}|[a-z]{3,9})(?P=sign)(?P<day>\d{1,2})"
    r"|[/_.-]?(?P<month2>\d\d)[/_.-]?(?P<day2>\d\d))(?!\d)"
)
_SEPARATORS = lazy_pattern(r"^[\W\d]+|\b(?:uhr|at|um|am|on|le)\b|[\s|·,–-]+$", re.IGNORECASE)
MAX_GAP = 12  # characters between a day and its time, as in " um 14.30 Uhr"


@dataclass(frozen=True)
class Moment:
    """A date with the precision given on the page.

    The day is in the page's time zone. The time of day (`clock`) and the offset from UTC (`zone`)
    are None if the page does not give them. `written` is the date's text, or empty if unknown.
    """

    day: date
    clock: time | None = None
    zone: tzinfo | None = None
    written: str = field(default="", compare=False, repr=False)

    @property
    def instant(self) -> datetime:
        """The moment as a datetime, in which missing parts default to midnight and UTC.

        The day is always the one given on the page, even if it is a different day in UTC.
        """
        return datetime.combine(self.day, self.clock or time(), self.zone or UTC)

    def __str__(self) -> str:
        """Format the known parts in ISO 8601."""
        if self.clock is None:
            return self.day.isoformat()
        return datetime.combine(self.day, self.clock, self.zone).isoformat()


def parse_moment(text: str, language: str | None = None) -> Moment | None:
    """Parse a date from a page's metadata, or return None if it is not recognised.

    The date, optionally with a time, may be in ISO 8601, in seconds or milliseconds since 1970, or
    in words of `language` (a BCP 47 tag).
    """
    # `find_moments` reads dates in ISO 8601 as well, but takes ten times as long.
    iso = _ISO.fullmatch(text)
    if iso and (day := _matched_date(iso)):
        return replace(_with_clock(day, iso, iso) if iso["hour"] else Moment(day), written=text)
    if _EPOCH.fullmatch(text):
        instant = datetime.fromtimestamp(int(text[:10]), UTC)
        moment = Moment(instant.date(), instant.time(), UTC, text)
        return moment if _is_likely(instant.year) else None
    compact = _COMPACT.match(text)
    if compact:
        day = _matched_date(compact)
        clock = _COMPACT_TIME.fullmatch(text[compact.end() :].strip())
        if day is None:
            return None
        moment = Moment(day) if clock is None else _with_clock(day, clock, clock)
        return replace(moment, written=text)
    return next(find_moments(_UNIX_DATE.sub(r"\1 \4 \2 \3", text[:200]), language), None)


def find_moments(text: str, language: str | None = None) -> Iterator[Moment]:
    """Yield the dates in a line with their times, in the order of `find_dates`."""
    return (found.moment for found in find_dates(text, language))


class WrittenDate(NamedTuple):
    """A date found in a line, with the offsets of its text, which includes an adjacent time."""

    moment: Moment
    start: int
    end: int


def find_dates(text: str, language: str | None = None) -> Iterator[WrittenDate]:
    """Yield the dates in a line with their times; those in the most reliable format come first.

    The language (a BCP 47 tag) selects the calendar and the names of months and of parts of the
    day. Language and country decide whether 4/5/2024 is in April or May.
    """
    if not may_have_date(text):
        return
    plain = _with_ascii_digits(text)
    for form in _formats_for(plain):
        for match in form.finditer(plain):
            day = _matched_date(match, language)
            if day is None:
                continue
            clock = _find_adjacent_time(plain, match, language)
            start, end = match.span()
            moment = Moment(day)
            if clock is not None:
                start, end = min(start, clock.start), max(end, clock.end)
                moment = clock.on(day, language)
            yield WrittenDate(replace(moment, written=text[start:end]), start, end)


def _formats_for(text: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that may match; each is compiled when it is needed for the first time."""
    has_other_letters = contains_any(text, _OTHER_LETTERS)
    for needed_strings, form in _FORMATS:
        if not needed_strings or any(piece in text for piece in needed_strings):
            yield _compiled(form, has_other_letters)


@cache
def _compiled(form: str, has_other_letters: bool) -> re.Pattern[str]:
    """Return the pattern of a format; for ASCII letters alone, it compiles in half the time."""
    if not has_other_letters:
        form = form.replace(_NAME, _ASCII_NAME).replace(_LETTER, "[a-z]")
    return re.compile(form, re.IGNORECASE)


def _with_ascii_digits(text: str) -> str:
    return text if text.isascii() else text.translate(_TO_ASCII)


@cached_if_short(1024)
def may_have_date(text: str) -> bool:
    """Return whether `find_dates` may find a date, because the text contains a year."""
    # Most texts have no digit, which is quick to check.
    has_digit = _DIGIT.search(text) or contains_any(text, "〇零○")
    return bool(has_digit and _HAS_YEAR.search(_with_ascii_digits(text)))


def in_other_order(moment: Moment) -> Moment | None:
    """Return a date with day and month exchanged, or None if it can only be read in one way."""
    month, day = moment.day.month, moment.day.day
    is_ambiguous = (
        _EITHER_ORDER.match(_with_ascii_digits(moment.written)) and day <= _MONTHS and day != month
    )
    return replace(moment, day=moment.day.replace(month=day, day=month)) if is_ambiguous else None


def in_one_order(moments: Iterable[Moment | None]) -> list[Moment | None]:
    """Return dates, reading ambiguous ones (4/5/2024) in the order of a clear one (13/5/2024)."""
    dates = [*moments]
    numbers: list[tuple[int, int] | None] = []
    for each in dates:
        match = _EITHER_ORDER.match(_with_ascii_digits(each.written)) if each else None
        numbers.append((int(match[1]), int(match[2])) if match and match[3] else None)
    is_day_first = any(pair and pair[0] > _MONTHS for pair in numbers)
    is_month_first = any(pair and pair[1] > _MONTHS for pair in numbers)
    if is_day_first != is_month_first:
        for index, (moment, pair) in enumerate(zip(dates, numbers, strict=True)):
            if moment and pair and moment.day.day != pair[1 if is_month_first else 0]:
                dates[index] = in_other_order(moment) or moment
    return dates


# The first two numbers of a date in digits, which are day and month or month and day, and its year.
_EITHER_ORDER = lazy_pattern(r"(\d\d?)\s?[/|.-]\s?(\d\d?)\s?[/|.-]\s?(\d{4})?")


def date_in_path(path: str, language: str | None = None) -> Moment | None:
    """Return the date in a URL's path, such as ``/2024/05/31/``, ``/20240531-`` or ``/31-05-2024``.

    A date that begins with the day counts only if the `language` or the numbers leave no doubt.
    """
    for match in _IN_PATH.finditer(path):
        month, day = match["month"] or match["month2"], match["day"] or match["day2"]
        number = int(month) if month.isdecimal() else month_named(month, "en")
        found = _date(int(match["year"]), number or 0, int(day))
        if found is not None:
            return Moment(found)
    is_day_first = language is not None and not _is_month_first(language)
    for match in _DAY_FIRST_IN_PATH.finditer(path):
        found = _date(int(match["year"]), int(match["month"]), int(match["day"]))
        if found is not None and (is_day_first or found.day > _MONTHS or found.day == found.month):
            return Moment(found)
    return None


def _matched_date(match: re.Match[str], language: str | None = None) -> date | None:
    """Return the date that a match of one of `_FORMATS` denotes, or None if it is implausible."""
    parts = match.groupdict()
    day, name = _value_of_digits(parts["day"]), parts.get("name")
    language_code = (language or "").partition("-")[0]
    if parts.get("short") and language_code in _YEAR_FIRST and not name:
        year, day = 2000 + day, int(parts["short"])
    else:
        year = _matched_year(match, language_code)
    is_persian = year // 100 in (13, 14)
    if name:
        month = (
            _PERSIAN_MONTHS.get(plain_name(name)) if is_persian else month_named(name, language)
        ) or 0
    else:
        month = _value_of_digits(parts["month"])
        is_swapped = month > _MONTHS
        if day <= _MONTHS and parts.get("sign") not in (None, "."):
            is_swapped = is_swapped or _is_month_first(language)
        if is_swapped and match.start("day") < match.start("month"):
            day, month = month, day
    if is_persian:
        return _persian_date(year, month, day) if name or language_code in ("fa", "ps") else None
    return _date(year, month, day)


_MONTHS = 12


def _matched_year(match: re.Match[str], language_code: str) -> int:
    """Return the year of a date in the Gregorian or Persian calendar; 0 if unknown."""
    parts = match.groupdict()
    if parts.get("era"):
        return _ERAS[parts["era"]] + _value_of_digits(parts["of_era"])
    is_thai = language_code == "th" or _THAI.search(match[0]) is not None
    if parts.get("short"):
        short = int(parts["short"])
        thai = _MIN_THAI_YEAR + short - _BUDDHIST_OFFSET
        return thai if is_thai and _is_likely(thai) else 2000 + short
    year = _value_of_digits(parts["year"])
    if year >= _MIN_THAI_YEAR:
        return year - _BUDDHIST_OFFSET if is_thai else 0
    return year


_MIN_THAI_YEAR = 2500


def _is_month_first(language: str | None) -> bool:
    language, _, rest = (language or "").replace("_", "-").partition("-")
    country = next((part.upper() for part in rest.split("-") if len(part) == 2), "")
    return (f"{language.lower()}-{country}" if country else language.lower()) in _MONTH_FIRST


def _value_of_digits(text: str) -> int:
    """Return the value of a number in decimal or Chinese digits."""
    if text.isdecimal():
        return int(text)
    digits = [_HAN_DIGITS[character] for character in text]
    if len(digits) == _YEAR_DIGITS:
        return sum(digit * 10**place for place, digit in enumerate(reversed(digits)))
    tens, value = 0, 0
    for digit in digits:
        if digit == 10:
            tens, value = 10 * (value or 1), 0
        elif digit > 10:  # 廿 (20) or 卅 (30)
            tens = digit
        else:
            value = digit
    return tens + value


_YEAR_DIGITS = 4  # characters of a year written digit by digit, such as 二〇二四


def _persian_date(year: int, month: int, day: int) -> date | None:
    """Convert a date of the Persian calendar, in which eight of 33 years are leap years."""
    if not 1 <= month <= 12 or not 1 <= day <= (31 if month <= 6 else 30):
        return None
    days_before_month = 31 * min(month - 1, 6) + 30 * max(month - 7, 0)
    days_before_year = 365 * (year - 1) + (8 * year + 21) // 33
    found = date.fromordinal(226_894 + days_before_year + days_before_month + day)
    return found if _is_likely(found.year) else None


def _date(year: int, month: int, day: int) -> date | None:
    if not _is_likely(year):
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _is_likely(year: int) -> bool:
    return MIN_YEAR <= year <= MAX_YEAR


class ClockTime(NamedTuple):
    """A time of day in a text, with its offsets and the matches of `_CLOCK` and `_ZONE`."""

    match: re.Match[str]
    zone: re.Match[str] | None
    period: tuple[int, int] | None  # The hours of a part of the day next to the time, such as "pm"
    start: int
    end: int

    def on(self, day: date, language: str | None = None) -> Moment:
        """Return this time on a day; `language` decides what an ambiguous zone name means."""
        return _with_clock(day, self.match, self.zone, self.period, language)


def find_times(text: str, start: int, end: int, language: str | None = None) -> Iterator[ClockTime]:
    """Yield the times of day in a range of a text; zones and words such as "pm" may lie outside."""
    periods: Periods | None = None
    for match in _CLOCK.finditer(text, start, end):
        time_start, time_end, period = match.start(), match.end(), None
        if int(match["hour"]) <= _NOON:
            periods = periods or periods_in((language or "").partition("-")[0])
            after = _period_after(text, time_end, periods)
            before = _period_before(text, time_start, periods) if after is None else None
            if after is not None:
                time_end, period = after
            elif before is not None:
                time_start, period = before
        if period is None and match["minute"] is None and match["sign"] is None:
            continue  # The match is a bare number.
        zone, time_end = _zone_after(text, time_end)
        yield ClockTime(match, zone, period, time_start, time_end)


def _zone_after(text: str, start: int) -> tuple[re.Match[str] | None, int]:
    """Return the zone that begins at `start`, if any, and the end of the time with its zone."""
    zone = _ZONE.match(text, start)
    if zone is None:
        return None, start
    name, is_zone = zone["zone"], bool(zone["offset"])
    if name:
        # In lower case, most zone names are also words, such as "est".
        may_be_word = name.isascii() and " " not in name and not name.isupper()
        is_zone = name.lower() in _ZONES
        is_zone &= not may_be_word or name in ("utc", "gmt", "z")
    return (zone, zone.end()) if is_zone else (None, max(start, zone.end("unit")))


def _period_after(text: str, start: int, periods: Periods) -> tuple[int, tuple[int, int]] | None:
    """Return the end and the hours of the longest part of the day that begins at `start`."""
    if text[start : start + 1].isspace():
        start += 1
    names = periods.by_first_character.get(text[start : start + 1].lower(), ())
    near = plain_period(text[start : start + _MAX_PERIOD]) if names else ""
    for name in names:
        if near.startswith(name):
            end = start
            for character in name:  # The text may have spaces and full stops, as in "p. m."
                while text[end].lower()[0] != character:
                    end += 1
                end += 1
            end += text[end : end + 1] == "." and "." in text[start:end]
            if end == len(text) or _is_word_boundary(text[end], name[-1]):
                return end, periods.hours[name]
    return None


def _period_before(text: str, end: int, periods: Periods) -> tuple[int, tuple[int, int]] | None:
    """Return the start and the hours of the longest part of the day that ends at `end`."""
    while end and text[end - 1] in " .":
        end -= 1
    names = periods.by_last_character.get(text[end - 1 : end].lower(), ())
    near = plain_period(text[max(0, end - _MAX_PERIOD) : end]) if names else ""
    for name in names:
        if near.endswith(name):
            start = end
            for character in reversed(name):  # The text may have spaces and full stops.
                start -= 1
                while text[start].lower()[0] != character:
                    start -= 1
            if start == 0 or _is_word_boundary(text[start - 1], name[0]):
                return start, periods.hours[name]
    return None


def _is_word_boundary(outside: str, edge: str) -> bool:
    """Return whether a word may begin or end with `edge` next to the character `outside` it."""
    return edge >= _FIRST_UNSPACED or not outside.isalpha()


_NOON = 12
_MAX_PERIOD = 24  # length of a part of the day, in characters
_FIRST_UNSPACED = "\u2e80"  # First character of the scripts in which words are not separated


def _find_adjacent_time(text: str, found: re.Match[str], language: str | None) -> ClockTime | None:
    """Return the time directly after a matched date or, if there is none, directly before it."""
    end = found.end()
    after = next(find_times(text, end, end + MAX_GAP + 20, language), None)
    if after is not None and after.start - end <= MAX_GAP:
        return after
    start = max(0, found.start() - MAX_GAP - 16)
    before = deque(find_times(text, start, found.start(), language), maxlen=1)
    if before and before[0].match["colon"] and found.start() - before[0].end <= MAX_GAP:
        # A zone may follow the date, as in "5:20pm, 14 Mar 2026 HKT".
        zone, end = (None, end) if before[0].zone else _zone_after(text, end)
        return before[0]._replace(zone=zone, end=end) if zone else before[0]
    return None


def _with_clock(
    day: date,
    clock: re.Match[str],
    zone: re.Match[str] | None,
    period: tuple[int, int] | None = None,
    language: str | None = None,
) -> Moment:
    """Return a day with the time matched by `_CLOCK`, or without it if there is no such time."""
    parts = clock.groupdict()
    hour = int(parts["hour"])
    hour = hour if period is None else _hour_in(period, hour)
    try:
        found = time(hour, int(parts["minute"] or 0), int(parts.get("second") or 0))
    except ValueError:
        return Moment(day)
    return Moment(day, found, None if zone is None else _matched_zone(zone, day, language))


def _hour_in(period: tuple[int, int], hour: int) -> int:
    """Convert an hour of a 12-hour clock, in a given part of the day, to a 24-hour clock."""
    first, end = period
    length = (end - first) % 24 or 24
    # Choose the hour that is nearer to the middle of the part of the day; 12 p.m. is noon.
    return min(
        (hour % 12, hour % 12 + 12),
        key=lambda each: (
            (each - first) % 24 >= length,
            abs((each - first - length / 2 + 12) % 24 - 12),
            (each >= 12) != (first >= 12),
        ),
    )


def _matched_zone(match: re.Match[str], day: date, language: str | None) -> tzinfo | None:
    """Return the zone that a match of `_ZONE` denotes on a day, or None if it is implausible."""
    name, offset = match["zone"] or "", match["offset"]
    if offset and (len(offset) > 2 or name):
        digits = offset[1:].replace(":", "").zfill(2)
        digits = digits.zfill(4) if len(digits) == 3 else digits
        hours, minutes = int(digits[:2]), int(digits[2:4] or 0)
        shift = timedelta(hours=hours, minutes=minutes)
        if shift >= timedelta(hours=15) or minutes >= 60:
            return None
        return timezone(-shift if offset[0] == "-" else shift)
    if not name:
        return None
    name = name.lower()
    is_summer = name in _ALSO_SUMMER and _first_sunday(day.year, 3, 8) <= day < _first_sunday(
        day.year, 11, 1
    )
    parts = (language or "").replace("_", "-").split("-")
    elsewhere = _ZONES_ELSEWHERE.get(name, {})
    local = (elsewhere[part] for part in parts if part in elsewhere)
    return timezone(timedelta(hours=next(local, _ZONES[name] + is_summer)))


def _first_sunday(year: int, month: int, earliest_day: int) -> date:
    earliest = date(year, month, earliest_day)
    return earliest + timedelta(days=6 - earliest.weekday())


@cached_if_short(256)  # The lines around an article are read several times.
def without_dates(text: str) -> str:
    """Return a line without dates, times and the separators around them."""
    if not may_have_date(text):
        return text
    plain = _with_ascii_digits(text)
    rest = plain
    for form in _formats_for(plain):
        rest = form.sub(" | ", rest)
    parts_between_times, end = [], 0
    for clock in find_times(rest, 0, len(rest)):
        parts_between_times.append(rest[end : max(end, clock.start)])
        end = max(end, clock.end)
    rest = " | ".join([*parts_between_times, rest[end:]])
    return text if rest == plain else _SEPARATORS.sub("", rest)
