"""Labels of links to other parts, in the languages of ``link_labels.json``.

A label counts only if it consists entirely of listed words: "Next", "Page suivante" and "2. Seite"
count, "Next article" and "Weiter zum Shop" do not.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from detourage import core
from detourage.html.class_name_splitting import to_kebab_case
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.shipped import shipped_json

MAX_LABEL = 48  # maximum length of a label, in characters
MAX_TOKENS = 6  # maximum number of words in a label


class Direction(StrEnum):
    """Direction of a link, relative to its page."""

    NEXT = "next"
    PREVIOUS = "previous"
    FIRST = "first"
    LAST = "last"
    WHOLE = "whole"


class Label(NamedTuple):
    """Meaning of a label. Arrows, "older" and "newer" are ambiguous, so `is_sure` is false."""

    direction: Direction | None
    number: int | None = None
    is_sure: bool = True


_ARROWS = {
    Direction.NEXT: "› » > >> → ⟩ ▶ ► ❯ ⇒ →→ ››› »» ››",
    Direction.PREVIOUS: "‹ « < << ← ⟨ ◀ ◄ ❮ ⇐ ←← ‹‹‹ «« ‹‹",
    Direction.FIRST: "|< |‹ |« |<< ⏮ ⇤",
    Direction.LAST: ">| ›| »| >>| ⏭ ⇥",
}
_DIRECTION_OF_ARROW = {
    arrow: direction for direction, arrows in _ARROWS.items() for arrow in arrows.split()
}
_ARROW_CHARACTERS = "|⏮⏭⇤⇥‹›«»<>←→⟨⟩▶►◀◄❮❯⇒⇐"
_AROUND_LABEL = f" .,:;!…/\\()[]{{}}-–—_·•*\u200e\u200f\ufe0e\ufe0f\xa0{_ARROW_CHARACTERS}"
_NUMBER = lazy_pattern(r"\d{1,5}")


class _Words(NamedTuple):
    """Words for a direction, "older" or "newer", the noun "page", and the whole article."""

    directions: dict[str, Direction]
    ages: dict[str, Direction]
    nouns: frozenset[str]
    whole: frozenset[str]


@cache
def _words() -> _Words:
    languages: dict[str, dict[str, list[str]]] = shipped_json(
        "detourage.pagination", "link_labels.json"
    )
    for lists in languages.values():
        lists |= {kind: [word.casefold() for word in words] for kind, words in lists.items()}
    directions: dict[str, Direction] = {}
    ages: dict[str, Direction] = {}
    nouns: set[str] = set()
    whole: set[str] = set()
    for lists in languages.values():
        for direction in (Direction.NEXT, Direction.PREVIOUS, Direction.FIRST, Direction.LAST):
            for word in lists.get(direction, ()):
                directions.setdefault(word, direction)
        ages.update(dict.fromkeys(lists.get("older", ()), Direction.PREVIOUS))
        ages.update(dict.fromkeys(lists.get("newer", ()), Direction.NEXT))
        nouns.update(lists["nouns"])
        whole.update(lists.get("whole", ()))
    return _Words(directions, ages, frozenset(nouns), frozenset(whole))


@cache
def label_words() -> Any:
    """Return the words of all labels, for `detourage.core.PartLinks`."""
    words = _words()
    labels = (*words.directions, *words.ages, *words.nouns, *words.whole)
    return core.word_set(word.strip(_AROUND_LABEL) for each in labels for word in each.split())


@cached_if_short(8192)
def read_label(text: str) -> Label | None:
    """Return the meaning of a label of at most `MAX_LABEL` characters, or None if it has none."""
    bare = " ".join(text.split()).strip(_AROUND_LABEL).casefold()
    if not bare:
        arrow = "".join(character for character in text if character in _ARROW_CHARACTERS)
        direction = _DIRECTION_OF_ARROW.get(arrow)
        return None if direction is None else Label(direction, is_sure=False)
    words = _words()
    if bare in words.whole:
        return Label(Direction.WHOLE)
    tokens = (bare,) if bare in words.directions else tuple(bare.split())
    return _read_words(tokens) if len(tokens) <= MAX_TOKENS else None


def _read_words(tokens: Sequence[str]) -> Label | None:
    """Return the meaning of a label's words, or None if one of them is unknown."""
    words = _words()
    direction: Direction | None = None
    age: Direction | None = None
    number: int | None = None
    for token in filter(None, (written.strip(_AROUND_LABEL) for written in tokens)):
        if token in words.directions:
            direction = direction or words.directions[token]
        elif token in words.ages:
            age = age or words.ages[token]
        elif number is None and _NUMBER.fullmatch(token):
            number = int(token)
        elif token not in words.nouns:
            return None
    if direction is None and age is not None:
        return Label(age, is_sure=False)
    if direction is None and number is None:
        return None
    return Label(direction, number if direction is None else None)


_DIRECTION_IN_NAME = lazy_pattern(  # "next", "prev-page", "last"
    r"(?<![a-z])(?:(?:next|prev(?:ious)?|first|last)(?![a-z])"
    r"|(?:next|prev(?:ious)?)(?:page|posts?|link|btn|button))"
)
_DIRECTION_BY_INITIAL = {each[0]: each for each in Direction if each is not Direction.WHOLE}


def read_name(name: str) -> Direction | None:
    """Return the direction named by a class or ID, such as ``pager__item--next``, or None."""
    directions = {
        _DIRECTION_BY_INITIAL[word[0]] for word in _DIRECTION_IN_NAME.findall(to_kebab_case(name))
    }
    # Two directions mean neither: "prev-next" is a bar with both, "next last" may end any list.
    return directions.pop() if len(directions) == 1 else None
