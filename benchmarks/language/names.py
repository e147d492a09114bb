"""The names of months, weekdays and units of time that `worker.language` knows.

``python -m benchmarks.language.names worker/language/names.json`` writes them, from the CLDR of
Unicode as the installed Babel has it; a test fails when they are stale.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from babel import Locale, UnknownLocaleError, localedata
from babel.core import get_global
from babel.dates import format_timedelta

from worker.language.calendars import LANGUAGES, MIN_PREFIX, plain_name

_CODE = re.compile("[a-z]{2,3}")

_Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]

_UNITS: dict[_Unit, int] = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_629_800,
    "year": 31_557_600,
}
_NEVER = 1_000_000
"""Amount of a unit from which on a larger one is told."""

_COUNTS = (1, 2, 5)
"""Numbers that take every form of plural that most languages have."""

_MOST_UNITS = 3
"""Units that a word may go with in one language and still be one of them itself."""


def names() -> dict[str, Any]:
    """Return the names, by what they name."""
    units, directions = _words_of_ages()
    return {
        "months": _months(),
        "weekdays": sorted(_weekdays()),
        "units": sorted(units),
        "directions": sorted(directions),
    }


def written(values: dict[str, Any]) -> str:
    """Return the names as the file has them: the months of a language on a line."""
    months = ",\n".join(
        f"  {json.dumps(codes)}: {json.dumps(found, ensure_ascii=False)}"
        for codes, found in values["months"].items()
    )
    others = ",\n".join(
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in values.items()
        if key != "months"
    )
    return f'{{\n "months": {{\n{months}\n }},\n{others}\n}}\n'


def _months() -> dict[str, dict[str, int]]:
    """Return the months by the codes of the languages that call them so."""
    codes: defaultdict[str, list[str]] = defaultdict(list)
    for code in _codes():
        found = _months_of(code)
        if found:
            codes[json.dumps(found, sort_keys=True)].append(code)
    return {" ".join(each): json.loads(found) for found, each in codes.items()}


def _codes() -> list[str]:
    """Return what the first part of a BCP 47 tag can be for Babel, `und` among them."""
    known = {identifier.split("_")[0] for identifier in localedata.locale_identifiers()}
    known.update(get_global("language_aliases"))
    return sorted({"und", *filter(_CODE.fullmatch, known)}, key=lambda code: (len(code), code))


def _months_of(language: str) -> dict[str, int]:
    try:
        months = _calendar(language, "months")
    except UnknownLocaleError:
        return {}
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in months[context][width].items():
                plain = plain_name(name)
                if len(plain) >= MIN_PREFIX:
                    found.setdefault(plain, number)
    return found


def _weekdays() -> Iterable[str]:
    return {
        plain_name(name)
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for name in _calendar(language, "days")["format"][width].values()
    }


def _calendar(language: str, part: str) -> Any:
    """Return the names of one part of a calendar.

    Not `Locale.months`: languages share what they inherit, and there it writes what it found for
    the first one, so that later ones have Azerbaijani months beside their own.
    """
    data = localedata.load(str(Locale.parse(language)))
    return localedata.LocaleDataDict({part: deepcopy(data[part])})[part]


def _words_of_ages() -> tuple[set[str], set[str]]:
    """Return the names of units, and what says that it is past."""
    units: set[str] = set()
    directions: set[str] = set()
    for language in sorted(LANGUAGES | {"zh"}):
        locale = Locale.parse(language)
        counts = Counter(word for unit in _UNITS for word in _words_of(locale, unit))
        for word, count in counts.items():
            # What goes with several units is none: "ago", "vor", "il y a".
            (directions if count > _MOST_UNITS else units).add(word)
    return units, directions - units


def _words_of(locale: Locale, unit: _Unit) -> set[str]:
    """Return the words with which a language says how long ago, in one unit."""
    found: set[str] = set()
    for count in _COUNTS:
        delta = timedelta(seconds=-_UNITS[unit] * count)
        forms = (
            format_timedelta(delta, unit, threshold=_NEVER, add_direction=True, locale=locale),
            format_timedelta(delta, unit, threshold=_NEVER, locale=locale),
            format_timedelta(delta, unit, threshold=_NEVER, format="short", locale=locale),
        )
        for each in forms:
            found.update(re.findall(r"[^\W\d_]+", each.lower()))
    return found | ({unit[0]} if locale.language == "en" else set())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(written(names()), encoding="utf-8")
