"""Names of months, weekdays, parts of the day and units of time for `detourage.text`.

python -m benchmarks.language.date_words detourage/text

The command writes the names to files in that folder. They are taken from the Unicode CLDR data in
the installed Babel; a test fails if a file is outdated. An age is a relative time: "3 hours ago".
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from babel import Locale, UnknownLocaleError, localedata
from babel.core import get_global
from babel.dates import format_timedelta

from detourage.text.calendars import LANGUAGES, MIN_PREFIX, is_long_enough, plain_name, plain_period
from detourage.text.relative_dates import age_words

_CODE = re.compile("[a-z]{2,3}")  # primary subtag of a language, such as "de"

_Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]

_SECONDS_OF_UNIT: dict[_Unit, int] = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_629_800,
    "year": 31_557_600,
}
_NO_LARGER_UNIT = 1_000_000
"""Threshold at which Babel would convert an age to a larger unit; so high that it never does."""

_PLURAL_COUNTS = (1, 2, 5)  # numbers that together require all plural forms of most languages

_LANGUAGES_WITH_AGES = sorted(LANGUAGES | {"zh_Hant"})
"""Languages for which relative times are collected."""

_NUMBER_OF_CATEGORY = {"one": 1, "two": 2}
"""Plural categories whose forms may omit the number, mapped to the number that each implies."""

_CATEGORIES = ("zero", "one", "two", "few", "many", "other")  # plural categories of CLDR

_SHORT_UNITS: dict[str, dict[str, _Unit]] = {
    "en": {
        **dict.fromkeys(("s", "sec", "secs"), "second"),
        **dict.fromkeys(("m", "min", "mins"), "minute"),
        **dict.fromkeys(("h", "hr", "hrs"), "hour"),
        "d": "day",
        **dict.fromkeys(("w", "wk", "wks"), "week"),
        **dict.fromkeys(("mo", "mos"), "month"),
        **dict.fromkeys(("y", "yr", "yrs"), "year"),
    },
    "de": {"std": "hour", "min": "minute", "sek": "second", "tg": "day"},
    "pl": {"godz": "hour", "min": "minute"},
    "ru": {"ч": "hour", "мин": "minute", "сек": "second", "дн": "day"},
    "hu": {"órája": "hour", "perce": "minute", "napja": "day"},
    "nb": {"dag": "day", "dager": "day"},
    "nn": {"dag": "day", "dagar": "day"},
    "bn": {"ঘণ্টা": "hour"},
    "th": {
        **dict.fromkeys(("ชั่วโมงที่แล้ว", "ชั่วโมงก่อน", "ชม.ที่แล้ว", "ชม.ก่อน"), "hour"),
        **dict.fromkeys(("นาทีที่แล้ว", "นาทีก่อน"), "minute"),
        **dict.fromkeys(("วันที่แล้ว", "วันก่อน"), "day"),
    },
}
"""Common short forms that CLDR lacks, or lists for two different units."""

_OTHER_MONTHS = {
    "ar": {"آب": 8, "أوت": 8, "غشت": 8, "ماي": 5, "يونيه": 6, "يوليه": 7},
    "bn": {"জানুয়ারি": 1, "ফেব্রুয়ারি": 2},
    "he": {"מרס": 3},
    "hi": {
        "जून": 6,
        "जुलाई": 7,
        "सितंबर": 9,
        "सितम्बर": 9,
        "अक्तूबर": 10,
        "नवंबर": 11,
        "नवम्बर": 11,
        "दिसंबर": 12,
        "दिसम्बर": 12,
    },
}
"""Common spellings of months that CLDR lacks."""

_MONTH_PREFIXES = {"he": "ב"}  # prepositions written as part of the name of a month ("in March")

_OTHER_PERIODS: dict[str, dict[str, tuple[int, int]]] = {
    "ar": {
        "صباحًا": (0, 12),
        "صباحا": (0, 12),
        "مساءً": (12, 24),
        "مساء": (12, 24),
        "ظهرا": (12, 16),
        "عصرا": (12, 18),
    },
    "bn": {"বিকেল": (14, 18), "রাত": (19, 5)},
    "en": {"noon": (12, 13)},
    "he": {"אחה״צ": (12, 24), 'אחה"צ': (12, 24), "אחרי הצהריים": (12, 20), "לפנה״צ": (0, 12)},
    "ja": {"深夜": (0, 5), "未明": (0, 5), "早朝": (3, 9), "夜": (17, 24)},
    "mr": {"दुपारी": (12, 17), "संध्याकाळी": (16, 20)},
    "pt": {"da manhã": (0, 12), "da tarde": (12, 20), "da noite": (18, 24)},
    "sq": {"paradite": (0, 12), "pasdite": (12, 24)},
    "zh": {"傍晚": (16, 20), "深夜": (22, 6), "夜间": (18, 24), "早晨": (4, 10)},
}
"""Common parts of the day that CLDR lacks."""

_KOREAN_AGO = "전"  # "ago"

_OTHER_DIRECTIONS = frozenset(
    ("منذ", "evvel", "முன்பு")
)  # frequent words like "ago" that CLDR lacks

_MAX_UNITS = 3
"""Maximum number of units with which a unit's name may occur; more frequent words mean "ago"."""


def names() -> dict[str, dict[str, Any]]:
    """Return the names of each file by category."""
    units, directions = _age_words()
    words = {
        "weekdays": sorted(_weekdays()),
        "periods": _periods(),
        "units": sorted(units),
        "directions": sorted(directions),
    }
    return {
        "date_words.json": words,
        "month_names.json": {"months": _months()},
        "age_words.json": {"ages": _ages()},
    }


def names_file(values: dict[str, Any]) -> str:
    """Return the content of a file, with one line per language."""
    parts = (
        f" {json.dumps(key)}: {_by_language(value) if isinstance(value, dict) else _line(value)}"
        for key, value in values.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _by_language(values: dict[str, Any]) -> str:
    lines = (f"  {json.dumps(codes)}: {_line(found)}" for codes, found in values.items())
    return "{\n" + ",\n".join(lines) + "\n }"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _months() -> dict[str, dict[str, int]]:
    """Return the months by the codes of the languages that share their names."""
    codes_by_names: defaultdict[str, list[str]] = defaultdict(list)
    for code in _language_codes():
        found = _month_names(code)
        if found and code in LANGUAGES:
            found = _with_other_forms(found, code)
        if found:
            codes_by_names[json.dumps(found, sort_keys=True)].append(code)
    return {" ".join(each): json.loads(found) for found, each in codes_by_names.items()}


def _language_codes() -> list[str]:
    """Return the primary subtags of the BCP 47 tags supported by Babel, including `und`."""
    known = {identifier.split("_")[0] for identifier in localedata.locale_identifiers()}
    known.update(get_global("language_aliases"))
    return sorted({"und", *filter(_CODE.fullmatch, known)}, key=lambda code: (len(code), code))


def _month_names(language: str) -> dict[str, int]:
    """Return the numbers of months by their full and abbreviated names in a language."""
    try:
        months = _locale_data(language, "months")
    except UnknownLocaleError:
        return {}
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in months[context][width].items():
                plain = plain_name(name)
                if is_long_enough(plain):
                    found.setdefault(plain, number)
    return found


def _with_other_forms(months: dict[str, int], language: str) -> dict[str, int]:
    """Add the names in other countries and scripts, which may be quite different (Arabic)."""
    found = months | {plain_name(name): n for name, n in _OTHER_MONTHS.get(language, {}).items()}
    for identifier in sorted(localedata.locale_identifiers()):
        if identifier.startswith(f"{language}_"):
            for name, number in _month_names(identifier).items():
                if len(name) > MIN_PREFIX and name[0] != "·" and max(name) < _FIRST_RARE_CHARACTER:
                    found.setdefault(name, number)
    prefix = _MONTH_PREFIXES.get(language)
    return found | ({prefix + name: number for name, number in found.items()} if prefix else {})


_FIRST_RARE_CHARACTER = "\U00010000"  # first character of the scripts in which no newspaper appears


def _periods() -> dict[str, dict[str, list[int]]]:
    """Return the parts of the day (``p.m.``) by language, each with its first hour and its end."""
    periods: dict[str, dict[str, list[int]]] = {}
    for language in sorted(LANGUAGES):
        rules = _hours_of_periods(language)
        others = _OTHER_PERIODS.get(language, {})
        found = {plain_period(name): list(hours) for name, hours in others.items()}
        data = _locale_data(language, "day_periods")["format"]
        names = [each for width in ("wide", "abbreviated") for each in data[width].items()]
        # A word may denote both the half of a day and a part of it.
        for period, name in sorted(names, key=lambda each: each[0] not in _HALVES):
            if period in rules and (len(name) > 1 or period in _HALVES):
                found.setdefault(plain_period(name), rules[period])
        periods[language] = dict(sorted(found.items()))
    return periods


_HALVES = {"am": [0, 12], "pm": [12, 24]}  # first hour and end of each half of the day


def _hours_of_periods(language: str) -> dict[str, list[int]]:
    """Return the first hour and the end of each part of the day that CLDR defines."""
    rules = Locale.parse(language).day_period_rules.get(None, {})
    hours = dict(_HALVES)
    for period in rules:
        first, end = (rules[period][0].get(key) for key in ("from", "before"))
        if first is not None and end is not None:
            hours[period] = [first // 3_600, end // 3_600]
    return hours


def _weekdays() -> Iterable[str]:
    """Return the full and abbreviated names of weekdays in all languages."""
    return {
        plain_name(name)
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for name in _locale_data(language, "days")["format"][width].values()
    }


@lru_cache(maxsize=2)
def _locale_data(language: str, part: str) -> Any:
    """Return a part of Babel's data on a language, such as its months.

    `Locale.months` must not be used: it caches the months of the first language requested in data
    that other languages inherit, so all later languages would get, for example, the Azerbaijani
    months in addition to their own.
    """
    data = localedata.load(str(Locale.parse(language)))
    return localedata.LocaleDataDict({part: deepcopy(data[part])})[part]


def _age_words() -> tuple[set[str], set[str]]:
    """Return the names of units and the words that mark the past."""
    units: set[str] = set()
    directions: set[str] = {*_OTHER_DIRECTIONS}
    for language in _LANGUAGES_WITH_AGES:
        locale = Locale.parse(language)
        counts = Counter(word for unit in _SECONDS_OF_UNIT for word in _unit_words(locale, unit))
        for word, count in counts.items():
            # Words that accompany several units, such as "ago", "vor" and "il y a", are not units
            # themselves.
            (directions if count > _MAX_UNITS else units).add(word)
    return units, directions - units


def _unit_words(locale: Locale, unit: _Unit) -> set[str]:
    """Return the words in which a language expresses an age, such as "hours" and "ago"."""
    found: set[str] = set()
    for count in _PLURAL_COUNTS:
        delta = timedelta(seconds=-_SECONDS_OF_UNIT[unit] * count)
        forms = (
            format_timedelta(
                delta, unit, threshold=_NO_LARGER_UNIT, add_direction=True, locale=locale
            ),
            format_timedelta(delta, unit, threshold=_NO_LARGER_UNIT, locale=locale),
            format_timedelta(delta, unit, threshold=_NO_LARGER_UNIT, format="short", locale=locale),
        )
        for each in forms:
            found.update(age_words(each))
    if locale.language == "ko":
        # On their own, these words are parts of dates, as in "5월 3일".
        return {form for word in found - {_KOREAN_AGO} for form in _with_ago_in_korean(word)}
    short_units = _SHORT_UNITS.get(locale.language, {})
    return found | {word for word, short_unit in short_units.items() if short_unit == unit}


def _with_ago_in_korean(word: str) -> tuple[str, str]:
    return f"{word}{_KOREAN_AGO}", f"{word} {_KOREAN_AGO}"


def _ages() -> dict[str, dict[str, dict[str, Any]]]:
    """Return how each language expresses ages: units by word, and phrases without a number.

    A word denotes a unit if it occurs with no other unit. A phrase without a number means one of
    the unit (``час назад``), or two of it if the language has a dual form.
    """
    ages: dict[str, dict[str, dict[str, Any]]] = {}
    for language in _LANGUAGES_WITH_AGES:
        locale = Locale.parse(language)
        units: defaultdict[str, set[_Unit]] = defaultdict(set)
        phrases: dict[str, tuple[int, _Unit]] = {}
        for unit in _SECONDS_OF_UNIT:
            patterns = list(_patterns(locale, unit))
            for _, pattern in patterns:
                for word in age_words(pattern.replace("{0}", " ")):
                    units[word].add(unit)
            for category, pattern in patterns:
                count = _NUMBER_OF_CATEGORY.get(category)
                if count is not None and (count == 1 or "{0}" not in pattern):
                    words = age_words(pattern.replace("{0}", " "))
                    phrases.setdefault(" ".join(words), (count, unit))
        unit_of_word = {word: next(iter(each)) for word, each in units.items() if len(each) == 1}
        if language == "ko":
            unit_of_word |= {
                form: unit
                for word, unit in unit_of_word.items()
                for form in _with_ago_in_korean(word)
            }
        unit_of_word |= _SHORT_UNITS.get(language, {})
        ages[language] = {
            "units": dict(sorted(unit_of_word.items())),
            "whole": {text: list(age) for text, age in sorted(phrases.items()) if " " in text},
        }
    return ages


def _patterns(locale: Locale, unit: _Unit) -> Iterator[tuple[str, str]]:
    """Yield the forms of ages in a unit, with their plural categories (empty for a duration)."""
    fields = _locale_data(str(locale), "date_fields")
    units = _locale_data(str(locale), "unit_patterns")
    for width in ("", "-short", "-narrow"):
        field = fields.get(f"{unit}{width}") or {}
        yield from (field.get("past") or {}).items()
    for forms in (units.get(f"duration-{unit}") or {}).values():
        for category, pattern in forms.items():
            if category in _CATEGORIES and isinstance(pattern, str):
                yield "", pattern


if __name__ == "__main__":
    for name, values in names().items():
        Path(sys.argv[1], name).write_text(names_file(values), encoding="utf-8")
