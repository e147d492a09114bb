"""Recognition of dates relative to the day of reading, such as "3 hours ago" and "gestern"."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

from detourage.text.caches import cached_if_short
from detourage.text.calendars import month_named
from detourage.text.names import names

MAX_CHARACTERS = 200
"""Maximum number of characters of a text that are examined."""

MAX_WHOLE = 40
"""Maximum length of a phrase without a number, such as "час назад"."""

_ONE = (
    "a|an|one|ein|eine|einem|einen|einer|un|une|una|uno|um|uma|een|en|et|ett|jeden|jedną|jedna"
    "|один|одну|bir|egy|jeden|jednu|jedan|jedna|satu|một|μία|ένα"
)
_NUMBER = rf"(?:(?<![\w.,:/])\d{{1,3}}(?![\d.,:/])|(?:\b(?:{_ONE})\b))"
_IS_ONE = re.compile(_ONE, re.IGNORECASE)
_A_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_BETWEEN = r"(?:\W{0,2}(?:\b(?:and|und|et|y|e|i|и)\b)?\W{0,2})"
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
_DAY = re.compile(
    rf"\b(?:(?P<now>{_NOW})|(?P<today>{_TODAY})|(?P<before>{_DAY_BEFORE})|(?P<last>{_YESTERDAY}))\b"
    "|(?P<now2>刚刚|剛剛|たった今|방금)|(?P<before2>前天|一昨日)|(?P<today2>今[天日]|วันนี้)"
    "|(?P<last2>昨[天日]|เมื่อวาน)",
    re.IGNORECASE,
)
_DAYS_AGO = {"now": 0, "today": 0, "last": 1, "before": 2}
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile("[a-z]+")
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")


def _required_words(forms: Iterable[str]) -> frozenset[str]:
    """Return one required word for each form that can occur in ASCII texts."""
    return frozenset(
        max(_LETTERS.findall(form.lower()), key=len)
        for form in forms
        if form.replace("’", "").isascii()
    )


_OF_NUMBERS, _OF_DAYS = _required_words(_ONE.split("|")), _required_words(_DAYS.split("|"))


@cache
def _of_units() -> frozenset[str]:
    return _required_words(names()["units"])


_TIME_AFTER = re.compile(
    r"\W{0,3}(?:(?:at|um|à|a las|alle|às|om|o|в|kl)\b)?\W{0,3}\d{1,2}[:.h]\d\d(?:\s*[ap]\.?m\b)?",
    re.IGNORECASE,
)
_WITHOUT_YEAR = re.compile(
    r"(?<![\w.,/])(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?(?P<name>[^\W\d_]{3,14})\b\.?"
    r"|(?P<name2>[^\W\d_]{3,14})\.?\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?)(?![\w/])",
    re.IGNORECASE,
)
_MAX_BESIDE_DAY = 12
"""Maximum number of other characters around a named day without a time; longer texts are prose."""


@cached_if_short(4096)
def find_relative(text: str) -> tuple[int, int] | None:
    """Return the start and end offsets of the first relative date in a short line, or None."""
    text = text[:MAX_CHARACTERS]
    has_digit = _DIGIT.search(text) is not None
    # For most texts, patterns take ten times as long as looking up the words.
    if text.isascii() or not _OTHER_LETTER.search(text):
        words = {*_LETTERS.findall(text.lower())}
        may_be_day = not words.isdisjoint(_OF_DAYS)
        has_number = has_digit or not words.isdisjoint(_OF_NUMBERS)
        may_be_whole = not words.isdisjoint(_of_units())
        may_be_age = has_number and may_be_whole
    else:
        may_be_day = may_be_whole = True
        may_be_age = has_digit or _A_NUMBER.search(text) is not None
    age = _age().search(text) if may_be_age and _has_number_of_units(text) else None
    if age:
        return age.span()
    named = _named_day(text) if may_be_day else None
    if named is None and has_digit:
        found = next((found for found, _ in _days_without_year(text)), None)
        named = found and (found.start(), (_TIME_AFTER.match(text, found.end()) or found).end())
    if named is None and may_be_whole and not has_digit and len(text) <= MAX_WHOLE:
        is_whole = " ".join(words_of_age(text)) in _phrases()
        return (0, len(text)) if is_whole else None
    return named


def is_now(text: str) -> bool:
    """Return whether a text denotes the present moment."""
    found = _DAY.search(text)
    return found is not None and _kind(found) == "now"


def days_ago(text: str, language: str | None) -> int | None:
    """Return how many days ago the named day ("gestern") was, or None."""
    found = _DAY.search(text)
    if found is None or (found[0].lower() == "hier" and (language or "").startswith("de")):
        return None
    return _DAYS_AGO[_kind(found)]


def _kind(found: re.Match[str]) -> str:
    return (found.lastgroup or "").rstrip("2")


def is_one(word: str) -> bool:
    """Return whether a word means one, as in "an hour ago"."""
    return _IS_ONE.fullmatch(word) is not None


def day_without_year(text: str, language: str | None = None) -> tuple[int, int] | None:
    """Return the month and day named in a text without a year, or None."""
    return next((named for _, named in _days_without_year(text, language)), None)


def _days_without_year(
    text: str, language: str | None = None
) -> Iterator[tuple[re.Match[str], tuple[int, int]]]:
    for found in _WITHOUT_YEAR.finditer(text[:MAX_CHARACTERS]):
        day = int(found["day"] or found["day2"])
        month = month_named(found["name"] or found["name2"], language)
        if month and 1 <= day <= 31:
            yield found, (month, day)


def words_of_age(text: str) -> list[str]:
    """Return the words of a text in lower case, including combining marks."""
    words: list[str] = []
    word = ""
    for character in f"{text.lower()} ":
        # Vowel signs of Indic and Thai scripts are marks, which Python does not count as letters.
        if character.isalpha() or (word and unicodedata.category(character) in ("Mn", "Mc")):
            word += character
        elif word:
            words.append(word)
            word = ""
    return words


@cache
def _phrases() -> frozenset[str]:
    return frozenset(text for ages in names()["ages"].values() for text in ages["whole"])


def _named_day(text: str) -> tuple[int, int] | None:
    found = _DAY.search(text)
    if found is None:
        return None
    after = _TIME_AFTER.match(text, found.end())
    if after is None and len(text) - len(found[0]) > _MAX_BESIDE_DAY:
        return None
    return found.start(), (after or found).end()


def _has_number_of_units(text: str) -> bool:
    """Return whether a number is followed by the first word of a unit, which is rare.

    For most pages, this check avoids compiling the pattern of ages, which takes 10 ms.
    """
    parts = [_folded(part) for part in _WORDS_AND_DIGITS.findall(text)]
    return any(
        after in _first_words() and (part in _ONES or part.isdecimal())
        for part, after in pairwise(parts)
    )


def _folded(word: str) -> str:
    """Return a word in a form that does not depend on case."""
    return word.casefold().replace("\u0307", "").replace("ı", "i")


_WORDS_AND_DIGITS = re.compile(r"\d+|[^\W\d]+")
_ONES = frozenset(map(_folded, _ONE.split("|")))


@cache
def _first_words() -> frozenset[str]:
    words = (_WORDS_AND_DIGITS.match(unit) for unit in names()["units"])
    return frozenset(_folded(word[0]) for word in words if word)


@cache
def _age() -> re.Pattern[str]:
    """Return the pattern of ages: numbers with units, and words that place them in the past."""
    unit, direction = _one_of(names()["units"]), _one_of(names()["directions"])
    before = rf"(?:\b{direction}\s+|\bil y a\s+)?"
    after = rf"(?:\.?\s*(?:{direction}|her)\b)?"
    # The empty group has matched before every number except the first. Repeating the hundreds of
    # units instead would double the time taken to compile the pattern.
    form = rf"{before}(?:(?(1){_BETWEEN}){_NUMBER}\s?{unit}(?!\w)())++{after}"
    return re.compile(form, re.IGNORECASE)


def _one_of(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, words), key=lambda w: (-len(w), w))) + ")"
