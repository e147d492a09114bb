"""Recognition of the authors of comments."""

import re
from collections.abc import Container, Mapping, Sequence
from string import whitespace
from typing import NamedTuple

from detourage.comments.layout import MIN_FALLBACK, Column, Layout, merge_ranked
from detourage.comments.part_words import AUTHOR, NO_AUTHOR, PERSON
from detourage.html.visible_text import CONTROLS
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday
from detourage.text.dates import may_have_date, without_dates
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.relative_dates import find_relative
from detourage.text.words import count_unspaced

MAX_NAME = 40  # length of a name or pseudonym, in characters
MAX_WORDS = 5  # words in a name, as in "María del Carmen López García"
MAX_ADDRESS = 2_000  # length of a URL that is matched against profile patterns, in characters
MIN_SCORE = 0.6  # minimum score of a column whose texts count as names
MAX_HINT_GAP = 0.5  # how far the best hint of a column may be below the highest mean of any column
_PROFILE = lazy_pattern(  # A profile's URL, such as "/users/ann" or "/member.php?u=1"
    r"(?:^|/)(?:users?|members?|profil\w*|authors?|people|u|~\w+|in|membres?|usuarios?|mitglied\w*"
    r"|benutzer\w*|commenter|autor\w*)(?:[/.?-]|$)|(?<!\w)(?=\w*?(?:member|profile|user|author))\w++\.(?:php|asp)"
    r"|[?&;](?:user|uid|u|member|author|mode=viewprofile|user_?(?:id|profile))[=&;]|blogger\.com/profile",
    re.IGNORECASE,
)
_LABEL_BEFORE_NAME = lazy_pattern(  # "Posted by Ann", "Author: Ann"
    r"^\W*(?:(?:posted|written|submitted|comment(?:ed)?|reply|re|commentaire|kommentar|beitrag|geschrieben"
    r"|verfasst|erstellt|ecrit|écrit|envoyé|publié|posté|escrito|publicado|enviado|scritto|inviato|napisany"
    r"|napisał[a]?|dodany|guest|gast|says?|antwort)\W+){0,2}"
    r"(?:(?:by|von|par|por|(?-i:di|da)|door|av|af|przez|от|from)\s+|(?:author|autor|auteur|autore|name|nick|user"
    r"|nome|nombre|nom|posted|imię|имя|автор|użytkownik)\s*[:：]\s*)",
    re.IGNORECASE,
)
_VERB_AFTER_NAME = lazy_pattern(  # "Ann says:", "Ann wrote on", "Ann |"
    r"(?:(?<!\s)\s+)?+(?:\b(?:says?|said|wrote|writes|commented|replied|responded|schrieb|schreibt|sagte?|meint"
    r"|kommentierte|a dit|a écrit|dit|dice|dijo|escribió|disse|diz|ha scritto|scrive|zegt|schreef"
    r"|pisze|napisał\(?a?\)?|mówi|пишет|говорит|написал\w*|am|on|um|at|le|el|il|on the|op)\b"
    r"\s*+[:：,…]*+|(?<![:：,|•·»«–—-])[:：,|•·»«–—-]++)\s*+$",
    re.IGNORECASE,
)
_MARKS_AFTER = ":：,…|•·»«–—-"
_AROUND_NAME = ' \t"“”„«»*:：,;|–—/·•›>@#'  # characters removed from both ends of a name
_NOT_IN_NAMES = lazy_pattern(r"https?:|[:：]\s|^\W*\d[\d\s.,:/+-]*+\W*+$")  # URL, label or number
_NUMBER_OR_PLURAL = lazy_pattern(r"[\d.,\s]+|s$")  # what differs between "1 post" and "45 posts"
_END_OF_SENTENCE = lazy_pattern(r"[!?]{2}|[.!?…]$(?<!\b\w\.)")


class FoundAuthor(NamedTuple):
    """The author of a comment: the name, and the index of its element in the layout."""

    element: int
    name: str


def find_authors(layouts: Sequence[Layout], columns: Sequence[Column]) -> dict[int, FoundAuthor]:
    """Find the author of each comment of a page, by comment number.

    Names are at the same place in all comments. They are short, mostly different texts that are
    marked up as authors or link to profiles. If a comment has no name there, such as that of a
    guest without a profile, the name is taken from the next best place.
    """
    addresses = layouts[0].attributes.by_element("href")
    links = {link for column in columns for link in column.links if link in addresses}
    profiles = {link for link in links if _is_profile(addresses[link])}
    hints_by_column = [_hints(column, profiles) for column in columns]
    usual = [hints for hints in hints_by_column if 2 * len(hints) >= len(layouts)]
    best_hint = max((sum(hints) / len(hints) for hints in usual), default=0.0)
    # Reading names is slow, so skip columns whose markup is much less like that of an author, and
    # columns that cannot reach a sufficient score.
    limits = {
        number: _max_score(len(layouts), columns[number], max(hints))
        for number, hints in enumerate(hints_by_column)
        if max(hints) >= best_hint - MAX_HINT_GAP
    }
    scored: dict[int, tuple[float, dict[int, FoundAuthor]]] = {}
    min_score = MIN_SCORE
    for number in sorted(limits, key=limits.__getitem__, reverse=True):
        if limits[number] < min_score:
            break
        found = _read_column(layouts, columns[number])
        score = _score(layouts, columns[number], found, hints_by_column[number]) if found else 0.0
        if score >= MIN_SCORE:
            scored[number] = score, found
            min_score = max(min_score, MIN_FALLBACK * score)
    return merge_ranked([scored[number] for number in sorted(scored)])


def _read_column(layouts: Sequence[Layout], column: Column) -> dict[int, FoundAuthor]:
    """Return the name in each text of a column, by comment number."""
    found = {}
    for number, element, text in column.values:
        if layouts[number].tags[element] in CONTROLS:
            continue
        names = layouts[number].names[element]
        is_author = bool(names & AUTHOR) or names & (PERSON | NO_AUTHOR) == PERSON
        name = clean_name(text, is_author=is_author)
        if name:
            found[number] = FoundAuthor(element, name)
    # Initials are displayed instead of avatars.
    are_initials = all(
        len(each.name) == 1 and not count_unspaced(each.name) for each in found.values()
    )
    return {} if are_initials else found


@cached_if_short(4096)
def clean_name(text: str, *, is_author: bool = False) -> str:
    """Return the name in a short text of a comment, or an empty string if it contains none.

    If the page's markup identifies the text as an author (`is_author`), any text can be a name.
    """
    name = without_dates(text)
    age = find_relative(name)
    if age is not None:
        name = f"{name[: age[0]]}|{name[age[1] :]}"
    name = name.strip(_AROUND_NAME)
    name = _LABEL_BEFORE_NAME.sub("", name, count=1)
    shorter = _without_verb_after(name)
    while shorter != name:
        name, shorter = shorter, _without_verb_after(shorter)
    name = name.strip(_AROUND_NAME)
    if is_author:
        return name
    if is_weekday(name):
        return ""
    is_long = len(name) > MAX_NAME or len(name.split()) > MAX_WORDS
    is_sentence = " " in name and _END_OF_SENTENCE.search(name)
    return "" if is_long or is_sentence or _NOT_IN_NAMES.search(name) or "|" in name else name


def _without_verb_after(name: str) -> str:
    """Remove a verb with its punctuation, such as "wrote:", that is one of the last two words."""
    words = name.rstrip(_MARKS_AFTER + whitespace).rsplit(None, 2)
    match = _VERB_AFTER_NAME.search(name, len(words[0]) if len(words) > 2 else 0)
    return name[: match.start()] if match else name


def _max_score(comments: int, column: Column, max_hint: float) -> float:
    """Return an upper limit of the `_score` of a column, given its maximum hint."""
    # `without_dates` replaces each date or time by three characters.
    growth = 3 if any(map(may_have_date, column.texts)) else 1
    count = len(column.texts)
    return 0.6 * count / comments + max_hint + 0.3 * (count > 1) + 0.21 * growth


def _score(
    layouts: Sequence[Layout],
    column: Column,
    found: Mapping[int, FoundAuthor],
    hints: Sequence[float],
) -> float:
    """Return a score that is high if the names found in a column are those of the authors."""
    share = len(found) / len(layouts)
    hint_of = dict(zip(column.comments, hints, strict=True))
    mean_hint = sum(map(hint_of.__getitem__, found)) / len(found)
    score = 0.6 * share * len(found) / len(column.texts) + mean_hint
    names = [author.name for author in found.values()]
    if len(names) > 1:
        distinct = len(set(names))
        if distinct > 1:
            score += 0.3 * min(1.0, 2 * distinct / len(names))
            # Texts such as "Posts 123" and "Posts 45" are labels with numbers.
            score -= 0.8 * (len({_NUMBER_OR_PLURAL.sub("", name) for name in names}) == 1)
        elif mean_hint < 0.4:
            score -= 0.2
    total_length = sum(map(len, column.texts))
    score += 0.2 * sum(map(len, names)) / max(total_length, 1)
    if column.is_text:
        return score
    elements = ((layouts[number], author.element) for number, author in found.items())
    text_counts = (each.text_ends[index] - each.text_starts[index] for each, index in elements)
    return score - 0.5 * sum(count > 1 for count in text_counts) / len(found)


def _hints(column: Column, profiles: Container[int]) -> list[float]:
    """Return the hints of a column, which are higher for texts in links to profiles."""
    hints = zip(column.hints, column.links, strict=True)
    return [hint + 0.4 if link in profiles else hint for hint, link in hints]


@cached_if_short(4096)
def _is_profile(url: str) -> bool:
    return _PROFILE.search(url[:MAX_ADDRESS]) is not None
