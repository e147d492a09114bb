"""What the texts of a page say, read once: on one line, token by token, with what is counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np
import numpy.typing as npt

from worker.text import _texts
from worker.text.characters import Trait, character_tables

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_SEED = hash("worker.text.texts") & 0xFFFF_FFFF_FFFF_FFFF
"""Another one in each process. The tokens are numbered as they come, whatever it is."""


class Count(IntEnum):
    """What is counted of a text. The order is that of ``_texts.c``."""

    TOKENS = 0
    SENTENCES = auto()
    UNSPACED = auto()
    CHARACTERS = auto()
    CAPITALS = auto()
    DECIMALS = auto()
    COMMAS = auto()
    QUOTES = auto()
    PARTERS = auto()
    ATS = auto()
    COPYRIGHTS = auto()
    WORDS = auto()
    CAPITALISED = auto()
    IDEOGRAPHS = auto()
    FIRST = auto()
    LAST = auto()


@dataclass(frozen=True, eq=False)
class Texts:
    """What texts say.

    Attributes
    ----------
    clean
        The texts on one line, see `worker.text.words.clean`.
    tokens
        The tokens of all texts, in order, see `worker.text.words.tokens`.
    distinct
        Each token once, in the order of their first places.
    numbers
        For each token its number there.
    repeated
        For each token whether it stands in the same text before.
    ends
        For each text the end of its tokens.
    counts
        For each text what `Count` names: sentence ends (`worker.text.words.count_sentences`);
        characters that are words by themselves, as they stand in the text and, as ``IDEOGRAPHS``,
        as tokens; characters and words parted by spaces, of the text on one line, and how many
        are what; the traits of its first character and of its last.
    """

    clean: Sequence[str]
    tokens: list[str]
    distinct: Sequence[str]
    numbers: Integers
    repeated: Booleans
    ends: Integers
    counts: npt.NDArray[np.int32]

    def count(self, counted: Count) -> Integers:
        """Return for each text what is counted."""
        return self.counts[:, counted].astype(np.int64)

    def starts_with(self, trait: Trait) -> Booleans:
        """Say of each text whether its first character, on one line, is of a kind."""
        found: Booleans = (self.counts[:, Count.FIRST] & trait) != 0
        return found

    def ends_with(self, trait: Trait) -> Booleans:
        """Say of each text whether its last character, on one line, is of a kind."""
        found: Booleans = (self.counts[:, Count.LAST] & trait) != 0
        return found


def count_words(text: str) -> float:
    """Count words, two characters for one in scripts that part no words."""
    try:
        tokens, unspaced = _texts.count(text, character_tables().traits)
    except UnicodeEncodeError:
        # Halves of surrogate pairs, which JSON may hold and which are no part of words.
        return count_words(text.encode("utf-8", "replace").decode())
    return tokens - unspaced / 2


def read_texts(texts: list[str], lines: list[str]) -> Texts:
    """Read texts.

    Parameters
    ----------
    texts
        Texts whose tokens are those of each as it stands.
    lines
        Further texts, whose tokens are those of each on one line: what is invisible parts none.
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
