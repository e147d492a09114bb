"""Lookup table of character traits."""

import re
from enum import IntFlag, auto
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.text import words

Table = npt.NDArray[np.uint32]


class Trait(IntFlag):
    """Character traits, in the same order as in ``_texts.c``."""

    UPPER = auto()
    DECIMAL = auto()
    DIGIT = auto()
    COMMA = auto()
    COLON = auto()
    QUESTION_MARK = auto()
    QUOTE = auto()
    SEPARATOR = auto()
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
    Trait.SEPARATOR: "|»›",
    Trait.AT: "@",
    Trait.COPYRIGHT: "©",
    Trait.START_MARK: '([<—–-•*»"“«',
    Trait.END_MARK: ".!?…;。！？»”\"'’)）」』:",
}

_CLASSES = {
    Trait.ILLEGAL: words.ILLEGAL,
    Trait.INVISIBLE: words.INVISIBLE,
    Trait.UNSPACED: words.UNSPACED,
    Trait.SIGN: words.SIGNS,
    Trait.SENTENCE_MARK: words.MARKS,
    Trait.WEAK_MARK: words.WEAK_MARKS,
    Trait.AFTER_SENTENCE: words.CLOSING,
    Trait.UNSPACED_MARK: words.UNSPACED_MARKS,
    Trait.GREEK: words.GREEK,
}
"""Further traits, defined by characters and ranges as in regex character classes."""

_RANGE = re.compile("(.)(?:-(.))?", re.DOTALL)

LAST_CHARACTER = 0x1FFFF
"""Last character in the tables; later characters, up to 0x3FFFF, are single-character words."""


class CharacterTables(NamedTuple):
    """The traits and the lower-case form of each character up to `LAST_CHARACTER`."""

    traits: Table
    lower: Table


@cache
def character_tables() -> CharacterTables:
    """Return the tables, which take about 5 ms to build."""
    codes = np.arange(LAST_CHARACTER + 1, dtype="<u4")
    characters = codes.view("<U1")
    traits = np.zeros(len(codes), dtype=np.uint32)
    for trait, has_trait in {
        Trait.UPPER: np.strings.isupper(characters),
        Trait.DECIMAL: np.strings.isdecimal(characters),
        Trait.DIGIT: np.strings.isdigit(characters),
        Trait.SPACE | Trait.AFTER_SENTENCE: np.strings.isspace(characters),
        Trait.WORD: np.strings.isalnum(characters) | (characters == "_"),
    }.items():
        traits[has_trait] |= np.uint32(trait)
    for trait, single in _CHARACTERS.items():
        traits[[*map(ord, single)]] |= np.uint32(trait)
    for trait, of_class in _CLASSES.items():
        for first, last in _RANGE.findall(of_class):
            traits[ord(first) : ord(last or first) + 1] |= np.uint32(trait)
    traits[(traits & Trait.UNSPACED) != 0] &= ~np.uint32(Trait.WORD)
    every = codes.tobytes().decode("utf-32-le", "surrogatepass")
    # U+0130 is the only capital whose lower case has two characters; `_texts.c` leaves it to
    # Python.
    lower = every.replace("\u0130", "\u0131").lower().encode("utf-32-le", "surrogatepass")
    return CharacterTables(traits, np.frombuffer(lower, dtype=np.uint32))
