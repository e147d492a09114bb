"""Recognition of the authors of comments."""

import re
from collections.abc import Mapping, Sequence
from string import whitespace
from typing import NamedTuple

from detourage.comments.layout import Column, Layout
from detourage.html.text import CONTROLS
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday
from detourage.text.dates import without_dates
from detourage.text.relative import find_relative
from detourage.text.words import listed

MAX_NAME = 40  # length of a name or pseudonym, in characters
MAX_WORDS = 5  # words in a name, as in "María del Carmen López García"
MAX_ADDRESS = 2_000  # length of a URL that is matched against profile patterns, in characters
MIN_SCORE = 0.6  # score of a place whose texts count as names

MIN_FALLBACK = 0.5
"""Minimum score of a place, relative to the best place, for filling the gaps of the best place."""

AUTHOR_NAMES = listed(
    "author autor auteur autore username nick nickname pseudo fn poster postername commenter"
    " commentor byline creator login screenname writer bigusername autorka verfasser usuario"
    " utente contributor"
)
_VAGUE_NAMES = listed("user member name vcard who actor profile owner person")
_OTHER_NAMES = listed(
    "title subject headline rank ranks status location count counts posts badge badges replied"
    " quote role level date time datetime tag tags online signature sig tools tool button buttons"
    " action actions share like likes vote votes score rating usertitle usertext custom extra"
    " stats info bio teaser fans joined number permalink num registered to"
)
_PROFILE = re.compile(
    r"(?:^|/)(?:users?|members?|profil\w*|authors?|people|u|~\w+|in|membres?|usuarios?|mitglied\w*"
    r"|benutzer\w*|commenter|autor\w*)(?:[/.?-]|$)|(?<!\w)(?=\w*?(?:member|profile|user|author))\w++\.(?:php|asp)"
    r"|[?&;](?:user|uid|u|member|author|mode=viewprofile|user_?(?:id|profile))[=&;]|blogger\.com/profile",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"^\W*(?:(?:posted|written|submitted|comment(?:ed)?|reply|re|commentaire|kommentar|beitrag|geschrieben"
    r"|verfasst|erstellt|ecrit|écrit|envoyé|publié|posté|escrito|publicado|enviado|scritto|inviato|napisany"
    r"|napisał[a]?|dodany|guest|gast|says?|antwort)\W+){0,2}"
    r"(?:(?:by|von|par|por|(?-i:di|da)|door|av|af|przez|от|from)\s+|(?:author|autor|auteur|autore|name|nick|user"
    r"|nome|nombre|nom|posted|imię|имя|автор|użytkownik)\s*[:：]\s*)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:(?<!\s)\s+)?+(?:\b(?:says?|said|wrote|writes|commented|replied|responded|schrieb|schreibt|sagte?|meint"
    r"|kommentierte|a dit|a écrit|dit|dice|dijo|escribió|disse|diz|ha scritto|scrive|zegt|schreef"
    r"|pisze|napisał\(?a?\)?|mówi|пишет|говорит|написал\w*|am|on|um|at|le|el|il|on the|op)\b"
    r"\s*+[:：,…]*+|(?<![:：,|•·»«–—-])[:：,|•·»«–—-]++)\s*+$",
    re.IGNORECASE,
)
_MARKS_AFTER = ":：,…|•·»«–—-"
_EDGES = ' \t"“”„«»*:：,;|–—/·•›>@#'
_NOT_IN_NAMES = re.compile(r"https?:|[:：]\s|^\W*\d[\d\s.,:/+-]*+\W*+$")
_DIGITS = re.compile(r"[\d.,\s]+|s$")
_SENTENCE = re.compile(r"[!?]{2}|[.!?…]$(?<![A-ZÀ-Þ]\.)")


class Naming(NamedTuple):
    """The author of a comment: the name, and the index of its element in the layout."""

    element: int
    name: str


def name_authors(layouts: Sequence[Layout], columns: Sequence[Column]) -> dict[int, Naming]:
    """Find the author of each comment of a page, by comment number.

    Names are at the same place in all comments: the place where most comments have a short text
    that is marked up as an author or links to a profile, and that is not always the same. The
    second-best place fills the gaps, such as those of guests without a profile.
    """
    ranked = []
    kinds = [[*map(_kinds_of, layout.names)] for layout in layouts]
    for column in columns:
        hints = {
            number: _hints(layouts[number], kinds[number], value.element, column.is_text)
            for number, value in column.values.items()
        }
        share = len(column.values) / len(layouts)
        highest = 0.6 * share + max(hints.values()) + _DISTINCT_BONUS + _LENGTH_BONUS
        # Reading is slow, and most columns have few values.
        if highest < MIN_SCORE:
            continue
        found = _read(layouts, kinds, column)
        score = _score(layouts, column, found, hints) if found else 0.0
        if score >= MIN_SCORE:
            ranked.append((score, found))
    ranked.sort(key=lambda each: -each[0])
    named: dict[int, Naming] = {}
    for score, found in reversed(ranked):
        if score >= MIN_FALLBACK * ranked[0][0]:
            named |= found
    return named


_DISTINCT_BONUS = 0.3  # added to the score of a place whose names differ
_LENGTH_BONUS = 0.2  # added to the score of a place whose texts consist only of names


def _read(
    layouts: Sequence[Layout], kinds: Sequence[Sequence[int]], column: Column
) -> dict[int, Naming]:
    found = {}
    for number, value in column.values.items():
        layout = layouts[number]
        if layout.tags[value.element] in CONTROLS:
            continue
        kind = kinds[number][value.element]
        is_author = bool(kind & _AUTHOR) or kind & (_VAGUE | _OTHER) == _VAGUE
        name = clean_name(value.text, is_author=is_author)
        if name:
            found[number] = Naming(value.element, name)
    return found


_AUTHOR, _VAGUE, _OTHER = 1, 2, 4
"""Bit flags for the roles that the names of an element indicate."""


def _kinds_of(names: frozenset[str]) -> int:
    words_of = {_AUTHOR: AUTHOR_NAMES, _VAGUE: _VAGUE_NAMES, _OTHER: _OTHER_NAMES}
    return sum(kind for kind, words in words_of.items() if not names.isdisjoint(words))


@cached_if_short(4096)
def clean_name(text: str, *, is_author: bool = False) -> str:
    """Return the name in a short text of a comment; empty if the text contains none.

    If the page marks the element up as an author (`is_author`), a pseudonym may have any form.
    """
    name = without_dates(text)
    age = find_relative(name)
    if age is not None:
        name = f"{name[: age[0]]}|{name[age[1] :]}"
    name = name.strip(_EDGES)
    name = _BEFORE.sub("", name, count=1)
    shorter = _without_after(name)
    while shorter != name:
        name, shorter = shorter, _without_after(shorter)
    name = name.strip(_EDGES)
    if is_author:
        return name
    if not name or is_weekday(name):
        return ""
    is_long = len(name) > MAX_NAME or len(name.split()) > MAX_WORDS
    is_sentence = " " in name and _SENTENCE.search(name)
    return "" if is_long or is_sentence or _NOT_IN_NAMES.search(name) or "|" in name else name


def _without_after(name: str) -> str:
    """Remove what may follow a name: at most two words and some punctuation."""
    words = name.rstrip(_MARKS_AFTER + whitespace).rsplit(None, 2)
    found = _AFTER.search(name, len(words[0]) if len(words) > 2 else 0)
    return name[: found.start()] if found else name


def _score(
    layouts: Sequence[Layout],
    column: Column,
    found: Mapping[int, Naming],
    hints_of: Mapping[int, float],
) -> float:
    share = len(found) / len(layouts)
    # The remaining texts at this place are not names.
    hints = sum(map(hints_of.__getitem__, found)) / len(found)
    score = 0.6 * share * len(found) / len(column.values) + hints
    names = [naming.name for naming in found.values()]
    if len(names) > 1:
        distinct = len(set(names))
        if distinct > 1:
            score += _DISTINCT_BONUS * min(1.0, 2 * distinct / len(names))
            # A label and a number: "Posts 123", "Posts 45".
            score -= 0.8 * (len({_DIGITS.sub("", name) for name in names}) == 1)
        elif hints < 0.4:
            score -= 0.2
    shown = sum(len(value.text) for value in column.values.values())
    score += _LENGTH_BONUS * sum(map(len, names)) / max(shown, 1)
    if column.is_text:
        return score
    holders = ((layouts[number], naming.element) for number, naming in found.items())
    several = sum(each.text_ends[index] - each.text_starts[index] > 1 for each, index in holders)
    return score - 0.5 * several / len(found)


def _hints(layout: Layout, kinds: Sequence[int], index: int, is_text: bool) -> float:
    hints = 0.0
    own, around = kinds[index], 0
    for each in layout.small_around(index, 3):
        around |= kinds[each]
    if own & _AUTHOR or layout.get(index, "itemprop") == "name":
        hints += 0.4
    elif around & _AUTHOR:
        hints += 0.3
    elif (own | around) & _VAGUE:
        hints += 0.2
    if own & (_OTHER | _AUTHOR) == _OTHER:
        hints -= 0.5
    elif around & _OTHER:
        hints -= 0.2
    if layout.tags[index] in ("cite", "b", "strong", "h3", "h4", "h5"):
        hints += 0.1
    if _leads_to_profile(layout, index, is_text):
        hints += 0.4
    return hints


def _leads_to_profile(layout: Layout, index: int, is_text: bool) -> bool:
    # If only the element's own text counts, its children are other parts of the comment.
    end = index + 1 if is_text else min(layout.ends[index], index + 4)
    try:
        link = layout.tags.index("a", index, end)
    except ValueError:
        link = layout.parents[index]
        if link < 0 or layout.tags[link] != "a":
            return False
    return _is_profile(layout.get(link, "href") or "")


@cached_if_short(4096)
def _is_profile(address: str) -> bool:
    return _PROFILE.search(address[:MAX_ADDRESS]) is not None
