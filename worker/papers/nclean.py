"""NCleaner: character n-gram models of clean and of dirty text (Evert, LREC 2008).

A page is cut into segments: headings, list items, paragraphs. Two n-gram models, one of what
people kept of web pages and one of what they threw away, compare each segment; it is kept
when the model of clean text finds it the likelier.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, Self

from worker.article.result import BlockType
from worker.html import PageError
from worker.inference import load_model
from worker.papers.interface import (
    Extracted,
    Neighbours,
    Source,
    TrainingPair,
    one_line,
)
from worker.papers.reading import page_of, stretches_of

PAIRS_OF_A_LANGUAGE = 5
"""Pairs of each language that Lejeune et al. (2015, section 4.3) train with."""

ORDER = 3
"""Length of the n-grams: the default of the published tool."""

INTERPOLATION = 0.6
"""Weight of each shorter history against the next longer one: the published default."""

PADDING = "\n"
"""Stands before the first character of a segment, where no text does."""

MIN_SHIPPED_COUNT = 3
"""n-grams seen less often are left out of the shipped models. That halves them; the mean F1 on
the pairs that they were trained on goes from 91.9 to 91.2 % (86.1 % for keeping all text)."""

_REMEMBERED = 100_000
"""n-grams whose probability a model remembers."""


class Normalisation(Enum):
    """What two characters are the same for the models.

    `ASCII` is the published default, in which all letters beyond ASCII are one. `NON_LEXICAL`
    turns every letter into ``a`` and every digit into ``0``. `NONE` keeps all characters, for
    models trained in one language.
    """

    NONE = "none"
    ASCII = "ascii"
    NON_LEXICAL = "non-lexical"

    def apply(self, text: str) -> str:
        """Normalise a text; the length stays the same."""
        return "".join(map(_NORMALISERS[self], text))


def _ascii(character: str) -> str:
    return character if character < "\x80" else "~"


def _non_lexical(character: str) -> str:
    if character.isalpha():
        return "a"
    return "0" if character.isdigit() else character


_NORMALISERS: dict[Normalisation, Callable[[str], str]] = {
    Normalisation.NONE: str,
    Normalisation.ASCII: _ascii,
    Normalisation.NON_LEXICAL: _non_lexical,
}


@dataclass(frozen=True)
class NGramModel:
    """A model of character n-grams with geometric interpolation.

    The probability of a character is a mean of its relative frequencies after the last n-1,
    n-2 … 0 characters, weighted by 1, q, q²…; that after none has one added to each count, so
    that nothing is impossible.

    Parameters
    ----------
    counts
        How often each n-gram occurs, in segments padded at the beginning.
    """

    counts: Mapping[str, int]
    _known: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _frequencies(self) -> list[Counter[str]]:
        """Counts of the n-grams of each length from none to n."""
        frequencies = [Counter[str]() for _ in range(ORDER + 1)]
        for ngram, count in self.counts.items():
            for length in range(ORDER + 1):
                frequencies[length][ngram[ORDER - length :]] += count
        return frequencies

    @cached_property
    def _histories(self) -> list[Counter[str]]:
        """For each length, how often each n-gram without its last character begins one."""
        histories = [Counter[str]()]
        for frequencies in self._frequencies[1:]:
            totals: Counter[str] = Counter()
            for ngram, count in frequencies.items():
                totals[ngram[:-1]] += count
            histories.append(totals)
        return histories

    def information(self, text: str) -> float:
        """Mean information of the characters of a normalised text, in bits."""
        padded = PADDING * (ORDER - 1) + text
        bits = sum(self._bits(padded[start : start + ORDER]) for start in range(len(text)))
        return bits / len(text)

    def _bits(self, ngram: str) -> float:
        bits = self._known.get(ngram)
        if bits is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            bits = self._known[ngram] = -math.log2(self._probability(ngram))
        return bits

    def _probability(self, ngram: str) -> float:
        probability = 0.0
        total_weight = 0.0
        for shortened in range(ORDER):
            weight = INTERPOLATION**shortened
            total_weight += weight
            part = ngram[shortened:]
            length = len(part)
            count, history = self._frequencies[length][part], self._histories[length][part[:-1]]
            if length == 1:
                count, history = count + 1, history + len(self._frequencies[1]) + 1
            if count:
                probability += weight * count / history
        return probability / total_weight


@dataclass(frozen=True)
class Model:
    """What tells clean segments from dirty ones.

    Parameters
    ----------
    normalisation
        Applied to every text.
    clean, dirty
        The two n-gram models.
    """

    KIND: ClassVar[str] = "character n-grams"

    normalisation: Normalisation
    clean: NGramModel
    dirty: NGramModel

    def is_clean(self, segment: str) -> bool:
        """Tell whether people would have kept a segment, which is not empty."""
        text = self.normalisation.apply(one_line(segment))
        return self.clean.information(text) <= self.dirty.information(text)

    @property
    def digest(self) -> str:
        """Short digest of the model."""
        return sha256(json.dumps(self.to_parameters()).encode()).hexdigest()[:8]

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {
            "normalisation": self.normalisation.value,
            "clean": dict(sorted(self.clean.counts.items())),
            "dirty": dict(sorted(self.dirty.counts.items())),
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the model with the parameters that `to_parameters` gave."""
        return cls(
            Normalisation(parameters["normalisation"]),
            NGramModel(parameters["clean"]),
            NGramModel(parameters["dirty"]),
        )

    @classmethod
    def train(
        cls,
        pairs: Iterable[TrainingPair],
        normalisation: Normalisation = Normalisation.NONE,
        *,
        min_count: int = 1,
    ) -> Self:
        """Train a model on pages and what people made of them.

        The training is the differential one: n-grams of the cleaned text count as clean, and
        those that the page has beyond them as dirty.

        Parameters
        ----------
        pairs
            Pages with their cleaned text. From those that cannot be read, nothing is learnt.
        normalisation
            `NONE` suits pairs in one language.
        min_count
            n-grams seen less often are left out.

        Raises
        ------
        ValueError
            If there is no text to learn from, clean or dirty.
        """
        clean: Counter[str] = Counter()
        raw: Counter[str] = Counter()
        for pair in pairs:
            try:
                segments = [text for _, text in segments_of(pair.source)]
            except PageError:
                continue
            raw.update(_ngrams(segments, normalisation))
            clean.update(_ngrams(pair.text.splitlines(), normalisation))
        dirty = raw - clean
        kept = [
            {ngram: count for ngram, count in counts.items() if count >= min_count}
            for counts in (clean, dirty)
        ]
        if not all(kept):
            raise ValueError("no clean text or no dirty text to learn from")
        return cls(normalisation, *map(NGramModel, kept))


def segments_of(source: Source) -> list[tuple[BlockType, str]]:
    """Cut a page into its segments: all the text that it shows, block by block."""
    document = page_of(source).document
    body = document.find("body")
    return stretches_of(body if body is not None else document, source.url)


def extract(source: Source, _neighbours: Neighbours, *, model: Model) -> Extracted:
    """Keep the segments that are clean for a model."""
    return Extracted.from_stretches(
        None, [segment for segment in segments_of(source) if model.is_clean(segment[1])]
    )


def extract_shipped(source: Source, neighbours: Neighbours, *, name: str) -> Extracted:
    """Keep the segments that are clean for a shipped model.

    Parameters
    ----------
    source, neighbours
        The page.
    name
        ``"ascii"`` or ``"non-lexical"``.
    """
    return extract(source, neighbours, model=shipped_model(name))


def shipped_model(name: str) -> Model:
    """Return a shipped model: trained on the CleanEval development pairs, as the published one."""
    return load_model(Model, __package__, f"models/nclean-{name}.json").model


def five_pairs(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    """Choose the pairs of NCT5 (Lejeune et al. 2015, section 4.3).

    Five where all are of one language; where they are of several, one of each: that with the
    longest cleaned text of its five.
    """
    by_language = _first_of_each(pairs)
    if len(by_language) == 1:
        return by_language[0]
    return [max(each, key=lambda pair: len(pair.text)) for each in by_language]


def all_pairs(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    """Choose the pairs of NCT25: five of each language, for every language."""
    return [pair for each in _first_of_each(pairs) for pair in each]


def _first_of_each(pairs: Iterable[TrainingPair]) -> list[list[TrainingPair]]:
    by_language: defaultdict[str, list[TrainingPair]] = defaultdict(list)
    for pair in pairs:
        if len(by_language[pair.language]) < PAIRS_OF_A_LANGUAGE:
            by_language[pair.language].append(pair)
    return list(by_language.values())


TRAINED: Mapping[str, Callable[[Sequence[TrainingPair]], Sequence[TrainingPair]]] = {
    "nclean": list,
    "nct5": five_pairs,
    "nct25": all_pairs,
}
"""Methods that are trained on pairs that are given: by name, which of them they take."""


def _ngrams(segments: Iterable[str], normalisation: Normalisation) -> Iterable[str]:
    for segment in segments:
        line = one_line(segment)
        padded = PADDING * (ORDER - 1) + normalisation.apply(line)
        yield from (padded[start : start + ORDER] for start in range(len(line)))
