"""NCleaner: character n-gram models of clean and dirty text (Evert, LREC 2008).

A segment (heading, list item or paragraph) is kept if the model of the text that annotators kept
finds it more likely than the model of the text that they removed.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Self

from detourage.article import BlockType
from detourage.inference import load_model
from detourage.papers.conversion import outline_of, typed_texts_in
from detourage.papers.interface import Extracted, Neighbours, Source, one_line

ORDER = 3  # length of the n-grams (the default of the published tool)

INTERPOLATION = 0.6
"""Weight of an n-gram relative to one with one more character (default of the published tool)."""

PADDING = "\n"  # character that pads the beginning of a segment; it never occurs within one

_MAX_CACHED = 100_000  # maximum number of n-grams per model whose information content is cached


class Normalisation(Enum):
    """Replacement of characters that a model does not distinguish.

    `ASCII`, the published default, replaces every non-ASCII character with ``~``. `NON_LEXICAL`
    replaces every letter with ``a`` and every digit with ``0``. `NONE`, for models trained on a
    single language, replaces nothing.
    """

    NONE = "none"
    ASCII = "ascii"
    NON_LEXICAL = "non-lexical"

    def apply(self, text: str) -> str:
        """Normalise a text, without changing its length."""
        if self is Normalisation.ASCII:
            return "".join(each if each.isascii() else "~" for each in text)
        if self is Normalisation.NON_LEXICAL:
            return "".join(
                "a" if each.isalpha() else "0" if each.isdigit() else each for each in text
            )
        return text


@dataclass(frozen=True)
class NGramModel:
    """A model of character n-grams with geometric interpolation.

    The probability of a character is the weighted mean of its relative frequencies after the
    previous n-1, n-2 … 0 characters, with weights 1, q, q²… (q is `INTERPOLATION`). The frequency
    after 0 characters has add-one smoothing. `counts` has the n-grams of padded segments.
    """

    counts: Mapping[str, int]
    _bits_by_ngram: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _frequencies(self) -> list[Counter[str]]:
        """Counts of the n-grams of each length from 0 to `ORDER`, by length."""
        frequencies = [Counter[str]() for _ in range(ORDER + 1)]
        for ngram, count in self.counts.items():
            for length in range(ORDER + 1):
                frequencies[length][ngram[ORDER - length :]] += count
        return frequencies

    @cached_property
    def _histories(self) -> list[Counter[str]]:
        """Counts of histories (n-grams without their last character), by length of the n-gram."""
        histories = [Counter[str]()]
        for frequencies in self._frequencies[1:]:
            totals: Counter[str] = Counter()
            for ngram, count in frequencies.items():
                totals[ngram[:-1]] += count
            histories.append(totals)
        return histories

    def information(self, text: str) -> float:
        """Return the mean information content of a normalised text's characters, in bits."""
        padded = PADDING * (ORDER - 1) + text
        bits = sum(self._bits(padded[start : start + ORDER]) for start in range(len(text)))
        return bits / len(text)

    def _bits(self, ngram: str) -> float:
        bits = self._bits_by_ngram.get(ngram)
        if bits is None:
            if len(self._bits_by_ngram) >= _MAX_CACHED:
                self._bits_by_ngram.clear()
            bits = self._bits_by_ngram[ngram] = -math.log2(self._probability(ngram))
        return bits

    def _probability(self, ngram: str) -> float:
        """Return the probability of an n-gram's last character after the others."""
        probability = 0.0
        total_weight = 0.0
        for start in range(ORDER):
            weight = INTERPOLATION**start
            total_weight += weight
            suffix = ngram[start:]
            length = len(suffix)
            count, total = self._frequencies[length][suffix], self._histories[length][suffix[:-1]]
            if length == 1:  # add-one smoothing
                count, total = count + 1, total + len(self._frequencies[1]) + 1
            if count:
                probability += weight * count / total
        return probability / total_weight


@dataclass(frozen=True)
class Model:
    """Classifier of segments, which compares a model of clean text with one of dirty text."""

    KIND: ClassVar[str] = "character n-grams"

    normalisation: Normalisation
    clean: NGramModel
    dirty: NGramModel

    def is_clean(self, segment: str) -> bool:
        """Return whether a non-empty segment is more likely clean than dirty."""
        text = self.normalisation.apply(one_line(segment))
        return self.clean.information(text) <= self.dirty.information(text)

    def to_parameters(self) -> dict[str, Any]:
        """Return all parameters in a form that can be serialised as JSON."""
        return {
            "normalisation": self.normalisation.value,
            "clean": dict(sorted(self.clean.counts.items())),
            "dirty": dict(sorted(self.dirty.counts.items())),
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build a model from the parameters returned by `to_parameters`."""
        clean, dirty = NGramModel(parameters["clean"]), NGramModel(parameters["dirty"])
        return cls(Normalisation(parameters["normalisation"]), clean, dirty)


def segments_of(source: Source) -> list[tuple[BlockType, str]]:
    """Split the visible text of a page into segments, one per block."""
    page = outline_of(source)
    return typed_texts_in(page, page.tags.index("body") if "body" in page.tags else 0, source.url)


def extract(source: Source, _neighbours: Neighbours, *, model: Model) -> Extracted:
    """Extract the segments that a model classifies as clean."""
    clean = [(kind, text) for kind, text in segments_of(source) if model.is_clean(text)]
    return Extracted.from_typed_texts(None, clean)


def extract_shipped(source: Source, neighbours: Neighbours, *, name: str) -> Extracted:
    """Extract the segments that a shipped model (``"ascii"`` or ``"non-lexical"``) finds clean."""
    return extract(source, neighbours, model=shipped_model(name))


def shipped_model(name: str) -> Model:
    """Load a shipped model, which is trained on the same CleanEval pages as the published one."""
    return load_model(Model, __package__, f"models/nclean-{name}.json")
