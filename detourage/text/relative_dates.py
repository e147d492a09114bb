"""Dates relative to the day of reading, such as "3 hours ago" and "gestern".

The wording in each language is taken from CLDR (``date_words.json`` and ``age_words.json``).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from detourage.text.caches import cached_if_short
from detourage.text.calendars import month_named, names
from detourage.text.dates import MAX_GAP, Moment, find_times
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.shipped import shipped_json
from detourage.text.words import contains_any

MAX_CHARACTERS = 200  # length of the beginning of a text in which a relative date is searched for
MAX_PHRASE = 40  # length of a phrase without a number, such as "час назад"
_ONE = (  # "One" and indefinite articles in many languages, as in "an hour ago"
    "a|an|one|ein|eine|einem|einen|einer|un|une|una|uno|um|uma|een|en|et|ett|jeden|jedną|jedna"
    "|один|одну|bir|egy|jeden|jednu|jedan|jedna|satu|một|μία|ένα"
)
_NUMBER = rf"(?:(?<![\w.,:/])\d{{1,3}}(?![\d.,:/])|(?:\b(?:{_ONE})\b))"
_IS_ONE = lazy_pattern(_ONE, re.IGNORECASE)
_AND = r"(?:\W{0,2}(?:\b(?:and|und|et|y|e|i|и)\b)?\W{0,2})"  # between "2 hours" and "5 minutes"
_NOW = "just now|gerade eben|à l[’']instant|ahora mismo|agora mesmo|только что|щойно|zojuist"
_TODAY = (
    "today|heute|aujourd[’']hui|hoy|oggi|hoje|vandaag|dzisiaj|dziś|сегодня|сьогодні|idag|i dag"
    "|tänään|σήμερα|bugün|dnes|днес|danas|danes|astăzi|azi|avui|šiandien|šodien|täna|hari ini"
    "|hôm nay|היום|اليوم|امروز|आज|오늘"
)
_YESTERDAY = (
    "yesterday|gestern|hier|ayer|ieri|ontem|gisteren|wczoraj|вчера|вчора|igår|i går|eilen|χθες"
    "|dün|včera|jučer|juče|včeraj|tegnap|ahir|vakar|eile|kemarin|hôm qua|אתמול|أمس|امس|دیروز|어제"
)
_DAY_BEFORE = (
    "vorgestern|avant-hier|anteayer|anteontem|eergisteren|przedwczoraj|позавчера|позавчора"
    "|i förrgår|i forgårs|toissapäivänä|προχθές|předevčírem|predvčerom|prekjučer|tegnapelőtt"
    "|שלשום|그저께"
)
_DAYS = f"{_NOW}|{_TODAY}|{_DAY_BEFORE}|{_YESTERDAY}"
_DAY = lazy_pattern(  # a day named by a word; groups with a 2 are in scripts without spaces
    rf"\b(?:(?P<now>{_NOW})|(?P<today>{_TODAY})|(?P<before>{_DAY_BEFORE})|(?P<last>{_YESTERDAY}))\b"
    "|(?P<now2>刚刚|剛剛|たった今|방금)|(?P<before2>前天|一昨日)|(?P<today2>今[天日]|วันนี้)"
    "|(?P<last2>昨[天日]|เมื่อวาน)",
    re.IGNORECASE,
)
_DAYS_AGO = {"now": 0, "today": 0, "last": 1, "before": 2}  # by group of `_DAY`
_DIGIT = lazy_pattern(r"\d")
_WORDS_AND_DIGITS = re.compile(r"\d+|[^\W\d]+")


def _folded(word: str) -> str:
    """Return a word case-folded, with dotted and dotless i treated alike."""
    return word.casefold().replace("\u0307", "").replace("ı", "i")


def _first_words(forms: Iterable[str]) -> frozenset[str]:
    words = (_WORDS_AND_DIGITS.match(form) for form in forms)
    return frozenset(_folded(word[0]) for word in words if word)


_ONES = frozenset(map(_folded, _ONE.split("|")))  # words that mean "one"
_DAY_WORDS = _first_words(_DAYS.split("|"))  # first words of names such as "i dag" (today)


@cache
def _unit_words() -> frozenset[str]:
    """Return the first word of each name of a unit in any language."""
    return _first_words(names()["units"])


_BEFORE_AGE = "il y a|cách đây"  # words before an age that CLDR lacks, or gives only with it
_WITHOUT_YEAR = lazy_pattern(  # "31st of May" or "May 31st"
    r"(?<![\w.,/])(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?(?P<name>[^\W\d_]{3,14})\b\.?"
    r"|(?P<name2>[^\W\d_]{3,14})\.?\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?)(?![\w/])",
    re.IGNORECASE,
)
_MAX_AROUND_DAY = 12  # characters around a word such as "today" without a time; with more, prose


@cached_if_short(4096)
def find_relative(text: str) -> tuple[int, int] | None:
    """Return the start and end offsets of the first relative date in a short line, or None."""
    text = text[:MAX_CHARACTERS]
    # Looking up words is ten times as fast as matching patterns, and the pattern of ages takes 10
    # ms to compile; few texts contain a number before the first word of a unit.
    words = [_folded(word) for word in _WORDS_AND_DIGITS.findall(text)]
    may_be_age = any(
        after in _unit_words() and (word in _ONES or word.isdecimal())
        for word, after in pairwise(words)
    )
    age = _age_pattern().search(text) if may_be_age else None
    if age:
        return age.span()
    may_be_day = not _DAY_WORDS.isdisjoint(words) or contains_any(text, _UNSPACED)
    span = _span_of_named_day(text) if may_be_day else None
    has_digit = any(map(str.isdecimal, words))
    if span is None and has_digit:
        match = next((match for match, _ in _days_without_year(text)), None)
        span = match and (match.start(), _end_of_time(text, match.end()) or match.end())
    if span is None and not has_digit and len(text) <= MAX_PHRASE:
        is_phrase = " ".join(age_words(text)) in _phrases()
        return (0, len(text)) if is_phrase else None
    return span


def is_past(text: str) -> bool:
    """Return whether a relative date is in the past, unlike a duration ("3 min")."""
    if _DAY.search(text) or day_without_year(text) is not None:
        return True
    words = age_words(text)
    return (
        not names()["directions"].isdisjoint(words)
        or " ".join(words) in _phrases()
        or re.match(_BEFORE_AGE, text, re.IGNORECASE) is not None
        or _PAST.search(text) is not None
    )


# "Ago" in languages written without spaces, or as part of the unit
_PAST = lazy_pattern("前|전|ที่แล้ว|ที่ผ่านมา|ก่อน|órája|perce|napja")


def is_one(word: str) -> bool:
    """Return whether a word means one, as in "an hour ago"."""
    return _IS_ONE.fullmatch(word) is not None


def day_without_year(text: str, language: str | None = None) -> tuple[int, int] | None:
    """Return the month and day named in a text without a year, or None."""
    return next((day for _, day in _days_without_year(text, language)), None)


def _days_without_year(
    text: str, language: str | None = None
) -> Iterator[tuple[re.Match[str], tuple[int, int]]]:
    """Yield the matches of days without a year, each with its month and day."""
    for match in _WITHOUT_YEAR.finditer(text[:MAX_CHARACTERS]):
        day = int(match["day"] or match["day2"])
        month = month_named(match["name"] or match["name2"], language)
        if month and 1 <= day <= 31:
            yield match, (month, day)


def age_words(text: str) -> list[str]:
    """Return the words of a text without its numbers, in lower case and with combining marks."""
    words: list[str] = []
    word = ""
    for character in f"{text.lower()} ":
        # Vowel signs of Indic and Thai scripts are marks, which Python does not count as letters.
        if character.isalpha() or (word and unicodedata.category(character) in ("Mn", "Mc")):
            word += character
        elif word:
            words.append(_SYNONYMS.get(word, word))
            word = ""
    return words


_SYNONYMS = {"منذ": "قبل", "ঘণ্টা": "ঘন্টা"}  # common words that CLDR lacks in phrases


@cache
def _phrases() -> frozenset[str]:
    """Return the ages without a number in all languages, such as ``hour ago``."""
    return frozenset(text for ages in _ages().values() for text in ages.phrases)


def _span_of_named_day(text: str) -> tuple[int, int] | None:
    """Return the offsets of a word such as "yesterday" and its time; None if absent or in prose."""
    found = _DAY.search(text)
    if found is None:
        return None
    end = _end_of_time(text, found.end())
    if end is None and len(text) - len(found[0]) > _MAX_AROUND_DAY:
        return None
    return found.start(), end or found.end()


def _end_of_time(text: str, start: int) -> int | None:
    """Return the end of the time that follows a day whose text ends at `start`, or None."""
    clock = next(find_times(text, start, start + MAX_GAP + 20), None)
    return clock.end if clock is not None and clock.start - start <= MAX_GAP else None


@cache
def _age_pattern() -> re.Pattern[str]:
    """Return the pattern of ages, such as "2 hours and 5 minutes ago"."""
    unit, direction = _one_of(names()["units"]), _one_of(names()["directions"])
    before = rf"(?:\b(?:{direction}|{_BEFORE_AGE})\s+)?"
    after = rf"(?:(?:\.?\s*(?:{direction}|her)(?!\w)){{1,2}})?"
    # The empty group has not matched before the first number, so only later numbers may follow
    # "and". Writing the hundreds of units twice instead would double the compile time.
    form = rf"{before}(?:(?(1){_AND}){_NUMBER}[\s'’]?{unit}(?!\w)())++{after}"
    return re.compile(form, re.IGNORECASE)


def _one_of(words: Iterable[str]) -> str:
    longest_first = sorted(map(re.escape, words), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(longest_first) + ")"


MAX_AGE_CHARACTERS = 100  # length of a text that `resolve_relative` reads, in characters
MAX_NUMBER = 999  # number of units in a plausible age
# Number of seconds in each unit.
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_UNSPACED = "\u0e01-\u0e5b\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"  # Thai and East Asian scripts
_IDEOGRAPHIC = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"  # Chinese, Japanese and Korean scripts
_AGO = lazy_pattern("[\u524d\uc804]")
"""Markers of the past in Chinese, Japanese and Korean; without them, 5月3日 is a calendar day."""


class _Units(NamedTuple):
    """A language's unit words (``"hours": "hour"``) and phrases (``"hour ago": (1, "hour")``)."""

    words: Mapping[str, str]
    phrases: Mapping[str, tuple[int, str]]


def resolve_relative(text: str, anchor: datetime, language: str | None = None) -> Moment | None:
    """Return the moment denoted by a text that is only a relative date, as precise as its wording.

    `anchor` is when the page was fetched; days begin at midnight in its time zone. Words that are
    not in `language` (a BCP 47 tag) count only if they mean the same unit in all languages. A day
    without a year is its most recent occurrence. The result is None if the text does not determine
    a day, as with an age in weeks, months or years.
    """
    if len(text) > MAX_AGE_CHARACTERS:
        return None
    found = _DAY.search(text)
    kind = "" if found is None else (found.lastgroup or "").rstrip("2")
    if kind == "now":
        return _to_the_minute(anchor)
    # In French, "hier" means "yesterday", but in German, it means "here".
    is_here = found is not None and found[0].lower() == "hier"
    if kind and not (is_here and (language or "").startswith("de")):
        days_ago = timedelta(days=_DAYS_AGO[kind])
        return _moment_on(anchor.date() - days_ago, text, language)
    seconds, unit = _age(text, language) or (0, "")
    if unit == "week":
        return None  # An age in weeks does not determine a day.
    if unit == "day":
        return Moment((anchor - timedelta(seconds=seconds)).date())
    if unit:
        instant = anchor - timedelta(seconds=seconds)
        return _to_the_minute(instant.replace(minute=0) if unit == "hour" else instant)
    month_and_day = day_without_year(text, language)
    day = None if month_and_day is None else _most_recent(month_and_day, anchor.date())
    return None if day is None else _moment_on(day, text, language)


def _age(text: str, language: str | None) -> tuple[int, str] | None:
    """Return an age in seconds, and its last unit ("minute" for "2 hours 5 minutes"), or None."""
    if contains_any(text, _IDEOGRAPHIC) and not _AGO.search(text):
        return None
    phrase = None if _DIGIT.search(text) else " ".join(age_words(text))
    for units in _candidate_units(language):
        found = _age_in_units(text, units)
        number, unit = units.phrases.get(phrase or "", (0, ""))
        if found is None and unit in _SECONDS:
            found = number * _SECONDS[unit], unit
        if found is not None:
            return found
    return None


def _age_in_units(text: str, units: _Units) -> tuple[int, str] | None:
    """Return the age, in seconds, and the last unit of a text such as "2 hours 5 minutes ago"."""
    seconds, last_unit = 0, ""
    number: int | None = None  # The preceding number, if its unit is still to come
    unit_before: str | None = None  # The preceding word's unit, if its number may be still to come
    parts: list[str | int] = []
    for each in re.findall(r"\d+|\D+", text):
        parts += [int(each)] if each.isdecimal() else age_words(each)
    for part in parts:
        if isinstance(part, int):
            if part > MAX_NUMBER:
                return None
            # The unit may precede the number, as in "saa 3 zilizopita".
            number, unit = (None, unit_before) if unit_before else (part, None)
            count = part
        else:
            unit = units.words.get(part)
            if number is None or (unit is None and is_one(part)):
                # An article ("il y a une heure"), or a word that only looks like one.
                number = 1 if is_one(part) else None
                unit_before = unit
                continue
            count, number = number, None
        unit_before = None
        if isinstance(part, int) and unit is None:
            continue
        if unit is None or unit not in _SECONDS:
            return None
        seconds += count * _SECONDS[unit]
        last_unit = unit
    return (seconds, last_unit) if last_unit and number is None else None


def _candidate_units(language: str | None) -> Iterator[_Units]:
    """Yield the units of the text's language, then those that mean the same in all languages."""
    ages = _ages()
    codes = (language or "").replace("-", "_").split("_")
    if codes[0] == "zh" and not {"Hant", "TW", "HK", "MO"}.isdisjoint(codes):
        yield ages["zh_Hant"]
    if codes[0] in ages:
        yield ages[codes[0]]
    yield _unambiguous_units()


@cache
def _ages() -> Mapping[str, _Units]:
    """Return the unit words and phrases of each language, by its code."""
    return {
        language: _Units(
            ages["units"], {text: (n, unit) for text, (n, unit) in ages["whole"].items()}
        )
        for language, ages in shipped_json("detourage.text", "age_words.json")["ages"].items()
    }


@cache
def _unambiguous_units() -> _Units:
    """Return the words and phrases with the same meaning in all languages that have them."""
    words: dict[str, set[str]] = {}
    phrases: dict[str, set[tuple[int, str]]] = {}
    for units in _ages().values():
        for word, unit in units.words.items():
            words.setdefault(word, set()).add(unit)
        for text, age in units.phrases.items():
            phrases.setdefault(text, set()).add(age)
    return _Units(
        {word: next(iter(meanings)) for word, meanings in words.items() if len(meanings) == 1},
        {text: next(iter(meanings)) for text, meanings in phrases.items() if len(meanings) == 1},
    )


def _to_the_minute(moment: datetime) -> Moment:
    return Moment(moment.date(), time(moment.hour, moment.minute), moment.tzinfo or UTC)


def _moment_on(day: date, text: str, language: str | None) -> Moment:
    """Return the day with the first time of day in the text, if there is one."""
    clock = next(find_times(text, 0, len(text), language), None)
    return Moment(day) if clock is None else clock.on(day, language)


def _most_recent(month_and_day: tuple[int, int], today: date) -> date | None:
    """Return the most recent occurrence of a month and day."""
    # Tolerate one day, because it is already tomorrow in other time zones.
    for year in (today.year, today.year - 1):
        try:
            day = date(year, *month_and_day)
        except ValueError:
            continue
        if day <= today + timedelta(days=1):
            return day
    return None
