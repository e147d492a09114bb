"""What characters are, looked up in a table."""

import re
from collections.abc import Callable
from enum import IntFlag, auto
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worker.language import words

Table = npt.NDArray[np.uint32]


class Trait(IntFlag):
    """What a character is. The order is that of ``_texts.c``."""

    UPPER = auto()
    DECIMAL = auto()
    DIGIT = auto()
    COMMA = auto()
    COLON = auto()
    QUESTION_MARK = auto()
    QUOTE = auto()
    PARTER = auto()
    AT = auto()
    COPYRIGHT = auto()
    START_MARK = auto()
    END_MARK = auto()
    SPACE = auto()
    ILLEGAL = auto()
    INVISIBLE = auto()
    WORD = auto()
    UNSPACED = auto()
    SIGN = auto()
    SENTENCE_MARK = auto()
    WEAK_MARK = auto()
    AFTER_SENTENCE = auto()
    UNSPACED_MARK = auto()
    GREEK = auto()


_CHARACTERS = {
    Trait.COMMA: ",،，、",
    Trait.COLON: ":：",
    Trait.QUESTION_MARK: "?",
    Trait.QUOTE: '"«“„「',
    Trait.PARTER: "|»›",
    Trait.AT: "@",
    Trait.COPYRIGHT: "©",
    Trait.START_MARK: '([<—–-•*»"“«',
    Trait.END_MARK: ".!?…;。！？»”\"'’)）」』:",
}

_CLASSES = {
    trait: re.compile(f"(?:{pattern})+")
    for trait, pattern in {
        Trait.SPACE: r"\s",
        Trait.ILLEGAL: words.ILLEGAL,
        Trait.INVISIBLE: f"[{words.INVISIBLE}]",
        Trait.WORD: rf"[^\W{words.UNSPACED}]",
        Trait.UNSPACED: f"[{words.UNSPACED}]",
        Trait.SIGN: f"[{words.SIGNS}]",
        Trait.SENTENCE_MARK: f"[{words.MARKS}]",
        Trait.WEAK_MARK: f"[{words.WEAK_MARKS}]",
        Trait.AFTER_SENTENCE: words.AFTER_SENTENCE,
        Trait.UNSPACED_MARK: f"[{words.UNSPACED_MARKS}]",
        Trait.GREEK: words.GREEK,
    }.items()
}

_PREDICATES: dict[Trait, Callable[[str], bool]] = {
    Trait.UPPER: str.isupper,
    Trait.DECIMAL: str.isdecimal,
    Trait.DIGIT: str.isdigit,
}

LAST_CHARACTER = 0x1FFFF
"""The last character of the tables."""

LAST_UNSPACED = 0x3FFFF
"""All characters between the last one and this are words by themselves; none beyond has a trait."""


class CharacterTables(NamedTuple):
    """For each character up to `LAST_CHARACTER` its traits, and what it is as a small letter."""

    traits: Table
    lower: Table


@cache
def character_tables() -> CharacterTables:
    """Return the tables, which take some 20 ms to make."""
    traits = np.zeros(LAST_CHARACTER + 1, dtype=np.uint32)
    every = "".join(map(chr, range(len(traits))))
    for trait, predicate in _PREDICATES.items():
        traits[np.fromiter(map(predicate, every), np.bool_, len(every))] |= np.uint32(trait)
    for trait, characters in _CHARACTERS.items():
        traits[[*map(ord, characters)]] |= np.uint32(trait)
    for trait, pattern in _CLASSES.items():
        for found in pattern.finditer(every):
            traits[found.start() : found.end()] |= np.uint32(trait)
    # The one capital that becomes two characters is left; `_texts.c` leaves it to Python.
    lower = every.replace("\u0130", "\u0131").lower().encode("utf-32-le", "surrogatepass")
    return CharacterTables(traits, np.frombuffer(lower, dtype=np.uint32))
