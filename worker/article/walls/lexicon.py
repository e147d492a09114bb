"""Wall phrases in about forty languages, by concept."""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from worker.text.caches import cached_if_short
from worker.text.words import tokens

LONGEST_STEM: Final = 16
"""Maximum length of a stem, in characters."""


class Lexicon:
    """Phrases for several concepts, matched in time linear in the length of the text.

    A word of a phrase that ends with an asterisk is a stem, such as ``remov*``.
    """

    def __init__(self, phrases: dict[str, list[str]]) -> None:
        self.concepts = tuple(phrases)
        self._by_first: defaultdict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for bit, concept in enumerate(self.concepts):
            for phrase in phrases[concept]:
                first, *rest = _pieces(phrase)
                self._by_first[first].append((1 << bit, tuple(rest)))
        self._stems = sorted({len(key) - 1 for key in self._by_first if key.endswith("*")})
        # Most words of a text recur and are not part of any phrase.
        self._beginning = cached_if_short(20_000)(self._look_up)

    def marks(self, words: Sequence[str]) -> list[int]:
        """Return for each word the concepts whose phrases cover it, as bits."""
        found = [0] * len(words)
        for place, word in enumerate(words):
            for bit, rest in self._beginning(word):
                end = place + 1 + len(rest)
                if end <= len(words) and all(map(_fits, rest, words[place + 1 : end])):
                    for covered in range(place, end):
                        found[covered] |= bit
        return found

    def _look_up(self, word: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
        stems = (f"{word[:size]}*" for size in self._stems if size <= len(word))
        return tuple(chain.from_iterable(self._by_first.get(key, ()) for key in (word, *stems)))


def _pieces(phrase: str) -> list[str]:
    pieces: list[str] = []
    for word in phrase.split():
        pieces += tokens(word.rstrip("*"))
        if word.endswith("*"):
            pieces[-1] = f"{pieces[-1][:LONGEST_STEM]}*"
    return pieces


def _fits(piece: str, word: str) -> bool:
    return word.startswith(piece[:-1]) if piece.endswith("*") else word == piece


@cache
def shipped_lexicon() -> Lexicon:
    """Return the lexicon with which the wall model was trained."""
    path = Path(__file__).with_name("lexicon.json")
    return Lexicon(json.loads(path.read_text(encoding="utf-8")))
