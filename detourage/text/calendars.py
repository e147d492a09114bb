"""Names of months and weekdays in many languages."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import TypedDict

from detourage.text.caches import cached_if_short
from detourage.text.shipped import shipped_json
from detourage.text.words import listed


class Ages(TypedDict):
    """A language's wording of ages.

    `units` maps words to units (``hours`` to ``hour``), and `whole` maps phrases without a number
    to their number and unit.
    """

    units: dict[str, str]
    whole: dict[str, tuple[int, str]]


class Names(TypedDict):
    """Content of the file.

    `months` are month numbers by name, grouped by the space-separated codes of the languages that
    share them. `units` (``hours``) and `directions`, which place an age in the past (``ago``), are
    not separated by language.
    """

    months: dict[str, dict[str, int]]
    weekdays: list[str]
    units: list[str]
    directions: list[str]
    ages: dict[str, Ages]


@cache
def names() -> Names:
    """Return the names, loaded once."""
    found: Names = shipped_json("detourage.text", "names.json")
    return found


LANGUAGES = listed(
    "ar az be bg bs ca cs da de el en es et eu fi fr ga gl he hi hr hu hy id is it ja ka kk"
    " lt lv mk mn ms mt nb nl nn pl pt ro ru sk sl sq sr sv sw tr uk uz vi"
)
"""Languages whose months are recognised if a page declares no language or a wrong language."""

MIN_PREFIX = 3
"""Minimum length of an abbreviated month name, such as ``Okt``."""


@cached_if_short(4096)
def month_named(name: str, language: str | None = None) -> int | None:
    """Return the number of the month with the given name, or None.

    The name may be inflected or abbreviated, in upper or lower case, with or without a full stop.
    Names in `language` (a BCP 47 tag) take precedence: ``listopad`` is October in Croatian and
    November in Polish. A name in other languages counts only if it means the same month in all of
    them.
    """
    plain = plain_name(name)
    if len(plain) < MIN_PREFIX:
        return None
    own = _find(plain, language.split("-")[0]) if language else None
    return own or _find(plain, None)


def is_weekday(name: str) -> bool:
    """Return whether a name denotes a weekday in any of `LANGUAGES`."""
    return plain_name(name) in _weekdays()


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(names()["weekdays"])


def _find(name: str, language: str | None) -> int | None:
    months = _months_of(language)
    found = months.get(name)
    if found is None:
        found = months.get(name[: max(MIN_PREFIX, len(name) - 1)])
    if found is None and months:
        found = _prefixes(language).get(name)
    return found or None


@cache
def _prefixes(language: str | None) -> Mapping[str, int]:
    """Return the months by prefixes of their names; 0 if ambiguous."""
    found: dict[str, int] = {}
    for name, month in _months_of(language).items():
        for end in range(MIN_PREFIX, len(name) + 1):
            if found.setdefault(name[:end], month) != month:
                found[name[:end]] = 0
    return found


def _months_of(language: str | None) -> Mapping[str, int]:
    return _months_of_all() if language is None else _months().get(language, {})


@cache
def _months() -> Mapping[str, Mapping[str, int]]:
    """Return the months by language code and name."""
    return {code: found for codes, found in names()["months"].items() for code in codes.split()}


@cache
def _months_of_all() -> Mapping[str, int]:
    """Return the months by name; 0 if ambiguous."""
    found: dict[str, int] = {}
    for language in sorted(LANGUAGES):
        for name, number in _months_of(language).items():
            found[name] = number if found.get(name, number) == number else 0
    return found


def plain_name(name: str) -> str:
    """Return a name in lower case, without accents or a final full stop."""
    plain = name.lower().rstrip(".")
    if plain.isascii():
        return plain
    decomposed = unicodedata.normalize("NFD", plain)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
