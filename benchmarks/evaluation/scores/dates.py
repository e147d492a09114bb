"""Parse dates as written on pages, in any format, to the day."""

import calendar
import re
import unicodedata
from datetime import date, timedelta
from typing import NamedTuple

_MONTHS = (
    "jan ene gen styc янв ιαν",
    "feb fev lut фев φεβ",
    "mar maa мар μαρ",
    "apr avr abr kwi апр απρ",
    "may mai maj mei mag мая маи μαι",
    "jun juin giu czer июн ιουν",
    "jul juil lug lip июл ιουλ",
    "aug aou ago sier авг αυγ",
    "sep set wrz сен σεπ",
    "oct okt out ott paz окт οκτ",
    "nov lis ноя νοε",
    "dec dez dic gru дек δεκ",
)
"""Prefixes of month names in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
Russian and Greek, in lower case and without accents (including the breve of й)."""

_MONTH_OF_PREFIX = {
    start: month for month, starts in enumerate(_MONTHS, 1) for start in starts.split()
}
_MONTH_PATTERN = (
    rf"(?P<name>(?:{'|'.join(sorted(_MONTH_OF_PREFIX, key=len, reverse=True))})[^\W\d_]*)"
)
_YEAR_PATTERN = r"(?P<year>(?:19|20)\d\d)"
# "2021-05-12", "20210512", "12.05.2021", "05/12/2021", "12 Mai 2021" and "May 12, 2021".
_DAY_FORMS = tuple(
    re.compile(rf"(?<!\d){form}(?!\d)")
    for form in (
        rf"{_YEAR_PATTERN}\s*[-/.年]\s*(?P<month>\d{{1,2}})\s*[-/.月]\s*(?P<day>\d{{1,2}})",
        rf"{_YEAR_PATTERN}(?P<month>\d\d)(?P<day>\d\d)",
        rf"(?P<day>\d{{1,2}})\s*[-/.]\s*(?P<month>\d{{1,2}})\s*[-/.]\s*{_YEAR_PATTERN}",
        rf"(?P<month>\d{{1,2}})\s*[-/.]\s*(?P<day>\d{{1,2}})\s*[-/.]\s*{_YEAR_PATTERN}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|o)?[\s/-]*(?:de |of )?{_MONTH_PATTERN}"
        rf"[\s.,/-]*(?:de |del )?{_YEAR_PATTERN}",
        rf"(?<![^\W\d_]){_MONTH_PATTERN}[\s.]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s,]+{_YEAR_PATTERN}",
    )
)
# "2021-05", "May 2021" and "2021".
_MONTH_OR_YEAR_FORMS = tuple(
    re.compile(rf"^\s*{form}\s*$")
    for form in (
        rf"{_YEAR_PATTERN}\s*[-/.年]\s*(?P<month>\d{{1,2}})月?",
        rf"{_MONTH_PATTERN}[\s.,]*{_YEAR_PATTERN}",
        rf"{_YEAR_PATTERN}年?",
    )
)


class Span(NamedTuple):
    """The first and last day of a date, which may be a day, a month or a year."""

    first: date
    last: date


def possible_spans(text: str) -> set[Span]:
    """Return the possible meanings of a date in a text, as spans of days.

    Relative dates ("3 hours ago") are not supported. The result is empty if no date is recognised,
    and has two elements if day and month could be swapped.
    """
    plain = _without_accents(text)
    found: set[Span] = set()
    for form in _DAY_FORMS:
        for match in form.finditer(plain):
            found |= _read_match(match)
    if not found:
        for form in _MONTH_OR_YEAR_FORMS:
            for match in form.finditer(plain):
                found |= _read_match(match)
    return found


def same_day(found: str, wanted: str) -> bool:
    """Return whether a date denotes the expected day, or a day in the expected month or year."""
    return _is_within(found, wanted, timedelta(0))


def near_day(found: str, wanted: str) -> bool:
    """Return whether a date is at most a day off (time zones, late updates); see `same_day`."""
    return _is_within(found, wanted, timedelta(1))


def _is_within(found: str, wanted: str, tolerance: timedelta) -> bool:
    """Return whether the found date may be within the expected date, give or take `tolerance`."""
    return any(
        target.first - tolerance <= given.first and given.last <= target.last + tolerance
        for given in possible_spans(found)
        for target in possible_spans(wanted)
    )


def _read_match(match: re.Match[str]) -> set[Span]:
    """Return the day, month or year that a form matched; empty if there is no such date."""
    parts = match.groupdict()
    year = int(parts["year"])
    if parts.get("name"):
        month = next(
            _MONTH_OF_PREFIX[parts["name"][:size]] for size in _known_prefix_lengths(parts["name"])
        )
    elif parts.get("month"):
        month = int(parts["month"])
    else:
        return {Span(date(year, 1, 1), date(year, 12, 31))}
    if not 1 <= month <= 12:
        return set()
    last = calendar.monthrange(year, month)[1]
    if not parts.get("day"):
        return {Span(date(year, month, 1), date(year, month, last))}
    day = int(parts["day"])
    return {Span(date(year, month, day), date(year, month, day))} if 1 <= day <= last else set()


def _known_prefix_lengths(name: str) -> list[int]:
    """Return the lengths of the prefixes of a month's name that are in `_MONTHS`, longest first."""
    return [size for size in range(len(name), 0, -1) if name[:size] in _MONTH_OF_PREFIX]


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
