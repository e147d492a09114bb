"""Tokens and counts of a page's texts, computed in a single pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np
import numpy.typing as npt

from detourage.text import _texts
from detourage.text.characters import Trait, character_tables

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_SEED = hash("detourage.text.texts") & 0xFFFF_FFFF_FFFF_FFFF
"""Hash seed of the process, without effect on results: tokens are numbered by first appearance."""


class Count(IntEnum):
    """Counts per text, in the same order as in ``_texts.c``."""

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


@dataclass(frozen=True, eq=False)
class Texts:
    """Tokens and counts of texts.

    `clean` are the texts on one line each, and `tokens` the tokens of all texts (see
    `detourage.text.words`). `numbers` are the tokens' indices in `distinct`, which is in order of
    appearance; `repeated` is whether a token occurred earlier in the same text; `ends` are the
    indices after each text's last token. `counts` has a column per `Count`: ``SENTENCES`` are
    sentence ends; ``UNSPACED`` and ``IDEOGRAPHS`` are characters that are words of their own, in
    the original text and among the tokens, respectively; ``FIRST`` and ``LAST`` are the traits of
    the cleaned text's first and last characters; the others count its characters and
    space-separated words.
    """

    clean: Sequence[str]
    tokens: list[str]
    distinct: Sequence[str]
    numbers: Integers
    repeated: Booleans
    ends: Integers
    counts: npt.NDArray[np.int32]

    def count(self, counted: Count) -> Integers:
        """Return a count for each text."""
        return self.counts[:, counted].astype(np.int64)

    def starts_with(self, trait: Trait) -> Booleans:
        """Return for each text whether the first character, after cleaning, has a trait."""
        found: Booleans = (self.counts[:, Count.FIRST] & trait) != 0
        return found

    def ends_with(self, trait: Trait) -> Booleans:
        """Return for each text whether the last character, after cleaning, has a trait."""
        found: Booleans = (self.counts[:, Count.LAST] & trait) != 0
        return found


def count_words(text: str) -> float:
    """Count words; in scripts without spaces, two characters count as one word."""
    try:
        tokens, unspaced = _texts.count(text, character_tables().traits)
    except UnicodeEncodeError:
        # Lone surrogates, which are possible in JSON, are not part of words.
        return count_words(text.encode("utf-8", "replace").decode())
    return tokens - unspaced / 2


def read_texts(texts: list[str], lines: list[str]) -> Texts:
    """Tokenise and count texts.

    The tokens of `texts` come from the original texts. They are followed by the tokens of `lines`,
    which come from the cleaned texts, where invisible characters do not separate words.
    """
    tables = character_tables()
    answer = _texts.read(texts, lines, *tables, _SEED)
    clean, tokens, distinct, numbers, repeated, counts = answer
    of_texts = np.frombuffer(counts, dtype=np.int32).reshape(-1, len(Count))
    return Texts(
        clean=clean,
        tokens=tokens,
        distinct=distinct,
        numbers=np.frombuffer(numbers, dtype=np.int32).astype(np.int64),
        repeated=np.frombuffer(repeated, dtype=np.bool_),
        ends=np.cumsum(of_texts[:, Count.TOKENS], dtype=np.int64),
        counts=of_texts,
    )
