"""Resolution of relative dates, such as "3 hours ago", to moments.

The wording in each language is taken from CLDR, as stored in ``names.json``.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple

from detourage.text.dates import Moment
from detourage.text.names import names
from detourage.text.relative import (
    day_without_year,
    days_ago,
    is_now,
    is_one,
    words_of_age,
)
from detourage.text.words import contains_any

MAX_CHARACTERS = 100
"""Maximum length of a text, in characters."""

MAX_NUMBER = 999
"""Maximum plausible number of units."""

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
"""Seconds per unit; an age in weeks does not determine a day."""

_CLOCK = re.compile(r"(\d{1,2})[:.h](\d\d)(?!\d)\s?([ap])?", re.IGNORECASE)


_IDEOGRAPHIC = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_AGO = re.compile("[\u524d\uc804]")
"""Markers of the past in Chinese, Japanese and Korean; without them, 5月3日 is a calendar day."""


class _Units(NamedTuple):
    """A language's words for units, which are used with a number, and its phrases without one."""

    words: Mapping[str, str]
    whole: Mapping[str, tuple[int, str]]


def moment_before(text: str, anchor: datetime, language: str | None = None) -> Moment | None:
    """Return the moment denoted by a text that is only a relative date, as precise as its wording.

    `anchor` is when the page was fetched; days begin at midnight in its time zone. Words of another
    language than `language` (a BCP 47 tag) count only if they mean the same unit in all languages.
    A day without a year is its most recent occurrence. The result is None if the text does not
    determine a day, as with an age in weeks, months or years.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    if is_now(text):
        return _to_the_minute(anchor)
    days = days_ago(text, language)
    if days is not None:
        return _moment_of_day(anchor.date() - timedelta(days=days), text)
    seconds, unit = _age(text, language) or (0, "")
    if unit == "week":
        return None
    if unit == "day":
        return Moment((anchor - timedelta(seconds=seconds)).date())
    if unit:
        moment = _to_the_minute(anchor - timedelta(seconds=seconds))
        return _to_the_hour(moment) if unit == "hour" else moment
    named = day_without_year(text, language)
    day = _most_recent(named, anchor.date()) if named is not None else None
    return None if day is None else _moment_of_day(day, text)


def _age(text: str, language: str | None) -> tuple[int, str] | None:
    """Return an age in seconds and its smallest unit, or None."""
    if contains_any(text, _IDEOGRAPHIC) and not _AGO.search(text):
        return None
    return next(
        (
            found
            for units in _candidate_units(language)
            if (found := _in_units(text, units) or _as_phrase(text, units)) is not None
        ),
        None,
    )


def _as_phrase(text: str, units: _Units) -> tuple[int, str] | None:
    found = units.whole.get(" ".join(words_of_age(text)))
    if found is None or found[1] not in _SECONDS:
        return None
    return found[0] * _SECONDS[found[1]], found[1]


def _in_units(text: str, units: _Units) -> tuple[int, str] | None:
    seconds, least = 0, ""
    number: int | None = None
    before: str | None = None
    for part in _parts(text):
        if isinstance(part, int):
            if part > MAX_NUMBER:
                return None
            # The unit may precede the number, as in "saa 3 zilizopita".
            number, unit = (None, before) if before else (part, None)
            count = part
        else:
            unit = units.words.get(part)
            if number is None or (unit is None and is_one(part)):
                # An article ("il y a une heure"), or a word that only looks like one.
                number = 1 if is_one(part) else None
                before = unit
                continue
            count, number = number, None
        before = None
        if isinstance(part, int) and unit is None:
            continue
        if unit is None or unit not in _SECONDS:
            return None
        seconds += count * _SECONDS[unit]
        least = unit
    return (seconds, least) if least and number is None else None


def _parts(text: str) -> Iterator[str | int]:
    """Yield the words and numbers in a text, in order."""
    for part in re.findall(r"\d+|\D+", text):
        if part.isdecimal():
            yield int(part)
        else:
            yield from words_of_age(part)


def _candidate_units(language: str | None) -> Iterator[_Units]:
    """Yield the units of the text's language, then the units on which all languages agree."""
    ages = _ages()
    codes = (language or "").replace("-", "_").split("_")
    if codes[0] == "zh" and not {"Hant", "TW", "HK", "MO"}.isdisjoint(codes):
        yield ages["zh_Hant"]
    if codes[0] in ages:
        yield ages[codes[0]]
    yield _unambiguous_units()


@cache
def _ages() -> Mapping[str, _Units]:
    return {
        language: _Units(found["units"], {text: (n, u) for text, (n, u) in found["whole"].items()})
        for language, found in names()["ages"].items()
    }


@cache
def _unambiguous_units() -> _Units:
    words: dict[str, set[str]] = {}
    whole: dict[str, set[tuple[int, str]]] = {}
    for units in _ages().values():
        for word, unit in units.words.items():
            words.setdefault(word, set()).add(unit)
        for text, age in units.whole.items():
            whole.setdefault(text, set()).add(age)
    return _Units(
        {word: next(iter(each)) for word, each in words.items() if len(each) == 1},
        {text: next(iter(each)) for text, each in whole.items() if len(each) == 1},
    )


def _to_the_minute(moment: datetime) -> Moment:
    return Moment(moment.date(), time(moment.hour, moment.minute), moment.tzinfo or UTC)


def _to_the_hour(moment: Moment) -> Moment:
    assert moment.clock is not None
    return Moment(moment.day, time(moment.clock.hour), moment.zone)


def _moment_of_day(day: date, text: str) -> Moment:
    clock = _CLOCK.search(text)
    if clock is None:
        return Moment(day)
    hour, minute = int(clock[1]), int(clock[2])
    if clock[3]:
        hour = hour % 12 + (12 if clock[3].lower() == "p" else 0)
    return Moment(day, time(hour, minute)) if hour < 24 and minute < 60 else Moment(day)


def _most_recent(named: tuple[int, int], today: date) -> date | None:
    """Return the most recent occurrence of a month and day."""
    # Tolerate one day, because it is already tomorrow in other time zones.
    for year in (today.year, today.year - 1):
        try:
            day = date(year, *named)
        except ValueError:
            continue
        if day <= today + timedelta(days=1):
            return day
    return None
