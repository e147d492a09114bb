"""Names of months, weekdays and parts of the day in many languages."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypedDict

from detourage.text.caches import cached_if_short
from detourage.text.shipped import shipped_json
from detourage.text.words import word_set


class Names(TypedDict):
    """Content of ``date_words.json``.

    `periods` has, by language and name, the hours at which a part of the day begins and ends
    (``"pm": (12, 24)``). `units` (``hours``) and `directions` (``ago``) have the words of all
    languages.
    """

    weekdays: frozenset[str]
    periods: dict[str, dict[str, tuple[int, int]]]
    units: list[str]
    directions: frozenset[str]


@cache
def names() -> Names:
    """Return the content of ``date_words.json``, which is loaded only once."""
    found: Names = shipped_json("detourage.text", "date_words.json")
    found["weekdays"] = frozenset(found["weekdays"])
    found["directions"] = frozenset(found["directions"])
    return found


# Languages whose months are recognised if a page declares no language or a wrong language.
LANGUAGES = word_set(
    "ar az be bg bn bs ca cs da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja"
    " ka kk kn ko lt lv mk ml mn mr ms mt my nb ne nl nn pa pl pt ro ru sk sl sq sr sv sw ta te th"
    " tr uk ur uz vi zh"
)
MIN_PREFIX = 3  # length of an abbreviated month name, such as ``Okt``


@cached_if_short(4096)
def month_named(name: str, language: str | None = None) -> int | None:
    """Return the number of the month with the given name, or None.

    The name may be inflected or abbreviated, in upper or lower case, with or without a full stop.
    Names in `language` (a BCP 47 tag) take precedence: ``listopad`` is October in Croatian and
    November in Polish. A name in other languages counts only if it means the same month in all of
    them.
    """
    plain = plain_name(name)
    if not is_long_enough(plain):
        return None
    own = _find_month(plain, language.split("-")[0]) if language else None
    return own or _find_month(plain, None)


def is_long_enough(plain: str) -> bool:
    """Return whether a name is long enough for a month: 3 letters, in some scripts 2."""
    return len(plain) >= MIN_PREFIX or (len(plain) == MIN_PREFIX - 1 and plain[0] >= _FIRST_HEBREW)


_FIRST_HEBREW = "\u0590"  # month names in Hebrew, and in scripts after it in Unicode, may be short


def is_weekday(name: str) -> bool:
    """Return whether a name denotes a weekday in any of `LANGUAGES`."""
    return plain_name(name) in names()["weekdays"]


class Periods(NamedTuple):
    """Names of parts of the day, in the form that `plain_period` returns, such as ``noon``.

    `hours` are those at which each begins and ends. The other members index the names by their
    first or last character; the longest name comes first.
    """

    hours: Mapping[str, tuple[int, int]]
    by_first_character: Mapping[str, Sequence[str]]
    by_last_character: Mapping[str, Sequence[str]]


@lru_cache(maxsize=64)
def periods_in(language: str) -> Periods:
    """Return the parts of the day in a language (a primary subtag, or empty).

    Names in other languages count if they mean the same in all of them and cannot be mistaken for
    another word (``sa`` is the morning in Vietnamese and Saturday in German).
    """
    all_hours: dict[str, tuple[int, int]] = {}
    ambiguous = set()
    for periods in names()["periods"].values():
        for name, hours in periods.items():
            is_shared = all_hours.setdefault(name, hours) == hours
            if not is_shared or (name.isascii() and name not in _AM_PM):
                ambiguous.add(name)
    usable = {name: hours for name, hours in all_hours.items() if name not in ambiguous}
    usable |= names()["periods"].get(language, {})
    by_first: dict[str, list[str]] = {}
    by_last: dict[str, list[str]] = {}
    for name in sorted(usable, key=len, reverse=True):
        by_first.setdefault(name[0], []).append(name)
        by_last.setdefault(name[-1], []).append(name)
    return Periods(usable, by_first, by_last)


_AM_PM = frozenset(("am", "pm"))


def _find_month(name: str, language: str | None) -> int | None:
    """Return the month that a plain name denotes in a language (None: in any language)."""
    months = _months().get(language, {})
    found = months.get(name)
    if found is None:  # The name may have an ending of one letter.
        found = months.get(name[: max(MIN_PREFIX, len(name) - 1)])
    if found is None and months:  # The name may be an abbreviation.
        found = _prefixes(language).get(name)
    return found or None


@cache
def _prefixes(language: str | None) -> Mapping[str, int]:
    """Return month numbers by prefixes of the names, with 0 for an ambiguous prefix (``ju``)."""
    months: dict[str, int] = {}
    for name, month in _months()[language].items():
        for end in range(MIN_PREFIX, len(name) + 1):
            if months.setdefault(name[:end], month) != month:
                months[name[:end]] = 0
    return months


@cache
def _months() -> Mapping[str | None, Mapping[str, int]]:
    """Return month numbers by language code and name; None has all names, with 0 if ambiguous."""
    in_all: dict[str, int] = {}
    by_language: dict[str | None, Mapping[str, int]] = {None: in_all}
    # Grouped by the space-separated codes of the languages that share the names.
    shipped = shipped_json("detourage.text", "month_names.json")["months"]
    for codes, months in shipped.items():
        by_language |= dict.fromkeys(codes.split(), months)
        for name, number in months.items() if LANGUAGES.intersection(codes.split()) else ():
            in_all[name] = number if in_all.get(name, number) == number else 0
    return by_language


def plain_period(name: str) -> str:
    """Return the name of a part of the day in lower case, without whitespace and full stops."""
    # The lower-case form of İ has two characters, and that of Σ depends on its neighbours.
    return "".join(each.lower()[0] for each in name if each not in ".\u200c" and not each.isspace())


def plain_name(name: str) -> str:
    """Return a name in lower case, without accents or a final full stop."""
    plain = name.lower().rstrip(".")
    if plain.isascii():
        return plain
    decomposed = unicodedata.normalize("NFD", plain)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
