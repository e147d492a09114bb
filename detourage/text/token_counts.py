"""Tokens and counts of a page's texts, computed in a single pass."""

import re
from collections.abc import Sequence
from enum import IntEnum, auto
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.records import record
from detourage.text import _texts, words

Table = npt.NDArray[np.uint32]
Digests = npt.NDArray[np.uint64]


class Trait:
    """Character traits, in the same order as in ``traits.h``; an enumeration would take 1 ms."""

    (
        UPPER,
        DECIMAL,
        DIGIT,
        COMMA,
        COLON,
        QUESTION_MARK,
        QUOTE,
        SEPARATOR,
        AT,
        COPYRIGHT,
        START_MARK,
        END_MARK,
        SPACE,
        ILLEGAL,
        INVISIBLE,
        WORD,
        UNSPACED,
        SIGN,
        SENTENCE_MARK,
        WEAK_MARK,
        AFTER_SENTENCE,
        UNSPACED_MARK,
        GREEK,
        ALPHANUMERIC,
    ) = (1 << bit for bit in range(24))


_CHARACTERS = {  # Traits of single characters
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
# Traits of ranges of characters, written as in a regex character class.
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
_RANGE = re.compile("(.)(?:-(.))?", re.DOTALL)
LAST_CHARACTER = 0x1FFFF
"""Last character in the tables; later characters, up to 0x3FFFF, are single-character words."""


class CharacterTables(NamedTuple):
    """The traits and the lower-case form of each character up to `LAST_CHARACTER`."""

    traits: Table
    lower: Table


@cache
def character_tables() -> CharacterTables:
    """Return the tables, which take about 4 ms to build."""
    codes = np.arange(LAST_CHARACTER + 1, dtype="<u4")
    characters = codes.view("<U1")
    traits = np.zeros(len(codes), dtype=np.uint32)
    alphanumeric = np.flatnonzero(np.strings.isalnum(characters))
    digits = alphanumeric[np.strings.isdigit(characters[alphanumeric])]
    for trait, places in {
        Trait.UPPER: np.flatnonzero(np.strings.isupper(characters)),
        Trait.DECIMAL: digits[np.strings.isdecimal(characters[digits])],
        Trait.DIGIT: digits,
        Trait.SPACE | Trait.AFTER_SENTENCE: np.flatnonzero(np.strings.isspace(characters[:0x3001])),
        Trait.WORD | Trait.ALPHANUMERIC: alphanumeric,
    }.items():
        traits[places] |= np.uint32(trait)
    traits[ord("_")] |= np.uint32(Trait.WORD)
    for trait, single in _CHARACTERS.items():
        traits[[*map(ord, single)]] |= np.uint32(trait)
    for trait, ranges in _CLASSES.items():
        for first, last in _RANGE.findall(ranges):
            traits[ord(first) : ord(last or first) + 1] |= np.uint32(trait)
    traits[(traits & Trait.UNSPACED) != 0] &= ~np.uint32(Trait.WORD)
    # U+0130 is the only capital whose lower case has two characters; C calls Python to convert it.
    alphabet = codes.view(f"<U{len(codes)}").item().replace("\u0130", "\u0131")
    return CharacterTables(traits, np.array([alphabet.lower()]).view(np.uint32))


Integers = npt.NDArray[np.int64]


class Count(IntEnum):
    """Columns of `Texts.counts`, in the same order as in ``_texts.c``."""

    TOKENS = 0
    SENTENCES = auto()
    UNSPACED = auto()
    CHARACTERS = auto()
    CAPITALS = auto()
    DECIMALS = auto()
    COMMAS = auto()
    QUOTES = auto()
    SEPARATORS = auto()
    ATS = auto()
    COPYRIGHTS = auto()
    WORDS = auto()
    CAPITALISED = auto()
    IDEOGRAPHS = auto()
    FIRST = auto()
    LAST = auto()


@record
class Texts:
    """Counts of a page's texts, followed by those of its lines, except lines that equal a text.

    `clean` has each text on one line. `ends` has the number of tokens (see `detourage.text.words`)
    up to the end of each text. `counts` has a row per text and a column per `Count`. ``UNSPACED``
    counts the single-character words of the original text, ``IDEOGRAPHS`` those among its tokens.
    ``FIRST`` and ``LAST`` are the traits of its first and last characters. `digests` has the digest
    of the tokens of each text. `line_texts` has the index of each line among the texts.
    """

    clean: Sequence[str]
    ends: Integers
    counts: npt.NDArray[np.int32]
    digests: Digests
    line_texts: Integers

    def count(self, counted: Count) -> Integers:
        """Return one of the counts of every text, such as its `Count.COMMAS`."""
        return self.counts[:, counted].astype(np.int64)


def count_words(text: str) -> float:
    """Count words; in scripts without spaces, two characters count as one word."""
    try:
        tokens, unspaced = _texts.count(text, character_tables().traits)
    except UnicodeEncodeError:
        # Lone surrogates, which are possible in JSON, are not part of words.
        return count_words(text.encode("utf-8", "replace").decode())
    return tokens - unspaced / 2


def count_sentences(text: str) -> int:
    """Count the sentence ends in a text of any script; semicolons count only in Greek."""
    valid = text.encode("utf-8", "replace").decode()  # without lone surrogates, as above
    return int(read_texts([valid], np.empty(0, np.int64)).counts[0, Count.SENTENCES])


def digests_of(texts: list[str]) -> Digests:
    """Return the digests of the tokens of texts, as in `Texts.digests`."""
    return read_texts(texts, np.empty(0, np.int64)).digests


def read_texts(texts: list[str], line_starts: Integers) -> Texts:
    """Clean and count the texts of a page, and the lines that begin at some of the texts.

    The tokens of a text come from the original text. A line with several texts or invisible
    characters has separate tokens, which come from the cleaned text, in which invisible characters
    do not separate words.
    """
    clean, counts, digests, line_texts = _texts.read(texts, line_starts, *character_tables())
    text_counts = np.frombuffer(counts, dtype=np.int32).reshape(-1, len(Count))
    return Texts(
        clean=clean,
        ends=np.cumsum(text_counts[:, Count.TOKENS], dtype=np.int64),
        counts=text_counts,
        digests=np.frombuffer(digests, dtype=np.uint64),
        line_texts=np.frombuffer(line_texts, dtype=np.int64),
    )
