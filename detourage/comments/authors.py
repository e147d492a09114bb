"""Recognition of the authors of comments."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import whitespace
from typing import NamedTuple

from detourage.comments.layout import MIN_FALLBACK, Column, Layout, merge_ranked
from detourage.html.text import CONTROLS
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday
from detourage.text.dates import without_dates
from detourage.text.patterns import lazy_pattern
from detourage.text.relative import find_relative
from detourage.text.words import word_set

MAX_NAME = 40  # length of a name or pseudonym, in characters
MAX_WORDS = 5  # words in a name, as in "María del Carmen López García"
MAX_ADDRESS = 2_000  # length of a URL that is matched against profile patterns, in characters
MIN_SCORE = 0.6  # minimum score of a column whose texts count as names
MAX_HINT_GAP = 0.5  # how far the best `_hint` of a column may be below that of the best column
# Words in classes and IDs of authors, of persons in any role, and of other parts of a comment.
_AUTHOR_WORDS = word_set(
    "author autor auteur autore username nick nickname pseudo fn poster postername commenter"
    " commentor byline creator login screenname writer bigusername autorka verfasser usuario"
    " utente contributor"
)
_VAGUE_WORDS = word_set("user member name vcard who actor profile owner person")
_OTHER_PART_WORDS = word_set(
    "title subject headline rank ranks status location count counts posts badge badges replied"
    " quote role level date time datetime tag tags online signature sig tools tool button buttons"
    " action actions share like likes vote votes score rating usertitle usertext custom extra"
    " stats info bio teaser fans joined number permalink num registered to"
)
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
_DIGIT = lazy_pattern(r"\d")
_END_OF_SENTENCE = lazy_pattern(r"[!?]{2}|[.!?…]$(?<![A-ZÀ-Þ]\.)")


class FoundAuthor(NamedTuple):
    """The author of a comment: the name, and the index of its element in the layout."""

    element: int
    name: str


def find_authors(layouts: Sequence[Layout], columns: Sequence[Column]) -> dict[int, FoundAuthor]:
    """Find the author of each comment of a page, by comment number.

    Names are at the same place in all comments. They are short, mostly different texts that are
    marked up as authors or link to profiles. If a comment has no name there, such as that of a
    guest without a profile, the name is taken from a similar place.
    """
    roles_of = cache(_roles_of)  # comments of a page share most classes and IDs
    roles = [[*map(roles_of, layout.names)] for layout in layouts]
    hints_by_column = [
        {
            number: _hint(layouts[number], roles[number], value.element, column.is_text)
            for number, value in column.values.items()
        }
        for column in columns
    ]
    usual = (hints.values() for hints in hints_by_column if 2 * len(hints) >= len(layouts))
    best_hint = max((sum(hints) / len(hints) for hints in usual), default=0.0)
    # Reading names is slow, so skip columns whose markup is much less like that of an author, and
    # those that cannot have a score high enough.
    limits = {
        number: _max_score(len(layouts), columns[number], max(hints.values()))
        for number, hints in enumerate(hints_by_column)
        if max(hints.values()) >= best_hint - MAX_HINT_GAP
    }
    scored: dict[int, tuple[float, dict[int, FoundAuthor]]] = {}
    min_score = MIN_SCORE
    for number in sorted(limits, key=limits.__getitem__, reverse=True):
        if limits[number] < min_score:
            break
        found = _read_column(layouts, roles, columns[number])
        score = _score(layouts, columns[number], found, hints_by_column[number]) if found else 0.0
        if score >= MIN_SCORE:
            scored[number] = score, found
            min_score = max(min_score, MIN_FALLBACK * score)
    return merge_ranked([scored[number] for number in sorted(scored)])


def _read_column(
    layouts: Sequence[Layout], roles: Sequence[Sequence[int]], column: Column
) -> dict[int, FoundAuthor]:
    """Return the name in each text of a column, by comment number."""
    found = {}
    for number, value in column.values.items():
        if layouts[number].tags[value.element] in CONTROLS:
            continue
        role = roles[number][value.element]
        is_author = bool(role & _AUTHOR) or role & (_VAGUE | _OTHER) == _VAGUE
        name = clean_name(value.text, is_author=is_author)
        if name:
            found[number] = FoundAuthor(value.element, name)
    return found


# Bit flags for the roles that the class and ID of an element indicate.
_AUTHOR, _VAGUE, _OTHER = 1, 2, 4
_ROLE_WORDS = {_AUTHOR: _AUTHOR_WORDS, _VAGUE: _VAGUE_WORDS, _OTHER: _OTHER_PART_WORDS}


def _roles_of(names: frozenset[str]) -> int:
    return sum(role for role, words in _ROLE_WORDS.items() if not names.isdisjoint(words))


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
    if not name or is_weekday(name):
        return ""
    is_long = len(name) > MAX_NAME or len(name.split()) > MAX_WORDS
    is_sentence = " " in name and _END_OF_SENTENCE.search(name)
    return "" if is_long or is_sentence or _NOT_IN_NAMES.search(name) or "|" in name else name


def _without_verb_after(name: str) -> str:
    """Remove a verb, such as "wrote:", and its punctuation from the last two words after a name."""
    words = name.rstrip(_MARKS_AFTER + whitespace).rsplit(None, 2)
    match = _VERB_AFTER_NAME.search(name, len(words[0]) if len(words) > 2 else 0)
    return name[: match.start()] if match else name


def _max_score(comments: int, column: Column, max_hint: float) -> float:
    """Return an upper limit of the `_score` of a column, given that of the hints."""
    values = column.values.values()
    # `without_dates` replaces each date or time by three characters.
    growth = 3 if any(_DIGIT.search(value.text) for value in values) else 1
    return 0.6 * len(values) / comments + max_hint + 0.3 * (len(values) > 1) + 0.21 * growth


def _score(
    layouts: Sequence[Layout],
    column: Column,
    found: Mapping[int, FoundAuthor],
    hints: Mapping[int, float],
) -> float:
    """Return a score that is high if the names found in a column are those of the authors."""
    share = len(found) / len(layouts)
    mean_hint = sum(map(hints.__getitem__, found)) / len(found)
    score = 0.6 * share * len(found) / len(column.values) + mean_hint
    names = [author.name for author in found.values()]
    if len(names) > 1:
        distinct = len(set(names))
        if distinct > 1:
            score += 0.3 * min(1.0, 2 * distinct / len(names))
            # Texts such as "Posts 123" and "Posts 45" are labels with numbers.
            score -= 0.8 * (len({_NUMBER_OR_PLURAL.sub("", name) for name in names}) == 1)
        elif mean_hint < 0.4:
            score -= 0.2
    total_length = sum(len(value.text) for value in column.values.values())
    score += 0.2 * sum(map(len, names)) / max(total_length, 1)
    if column.is_text:
        return score
    elements = ((layouts[number], author.element) for number, author in found.items())
    text_counts = (each.text_ends[index] - each.text_starts[index] for each, index in elements)
    return score - 0.5 * sum(count > 1 for count in text_counts) / len(found)


def _hint(layout: Layout, roles: Sequence[int], index: int, is_text: bool) -> float:
    """Return how strongly markup indicates an author; negative if it indicates something else."""
    hint = 0.0
    own, inherited = roles[index], 0
    for ancestor in layout.small_ancestors(index, 3):
        inherited |= roles[ancestor]
    if own & _AUTHOR or layout.get(index, "itemprop") == "name":
        hint += 0.4
    elif inherited & _AUTHOR:
        hint += 0.3
    elif (own | inherited) & _VAGUE:
        hint += 0.2
    if own & (_OTHER | _AUTHOR) == _OTHER:
        hint -= 0.5
    elif inherited & _OTHER:
        hint -= 0.2
    if layout.tags[index] in ("cite", "b", "strong", "h3", "h4", "h5"):
        hint += 0.1
    if _leads_to_profile(layout, index, is_text):
        hint += 0.4
    return hint


def _leads_to_profile(layout: Layout, index: int, is_text: bool) -> bool:
    """Return whether an element is, contains or is directly inside a link to a profile."""
    # If the name is a single text node, the element's children are other parts of the comment.
    end = index + 1 if is_text else min(layout.ends[index], index + 4)
    tags = layout.tags[index:end]
    link = index + tags.index("a") if "a" in tags else layout.parents[index]
    if link < 0 or layout.tags[link] != "a":
        return False
    return _is_profile(layout.get(link, "href") or "")


@cached_if_short(4096)
def _is_profile(url: str) -> bool:
    return _PROFILE.search(url[:MAX_ADDRESS]) is not None
