"""Training of NCleaner's models of character n-grams, and the choice of their training pairs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from detourage.html import PageError
from detourage.papers.interface import Source, one_line
from detourage.papers.nclean import ORDER, PADDING, Model, NGramModel, Normalisation, segments_of

PAIRS_PER_LANGUAGE = 5
"""Number of training pairs per language in Lejeune et al. (2015, section 4.3)."""

MIN_SHIPPED_COUNT = 3
"""Minimum count of an n-gram in the shipped models; it halves their size at little cost in F1."""


class TrainingPair(NamedTuple):
    """A page and its text as cleaned by a human annotator, with one segment per line."""

    source: Source
    text: str
    language: str = ""


def train(
    pairs: Iterable[TrainingPair],
    normalisation: Normalisation = Normalisation.NONE,
    *,
    min_count: int = 1,
) -> Model:
    """Train a model on pages and their cleaned texts.

    The n-grams of the cleaned text count as clean, and the additional n-grams of the page as dirty;
    n-grams with a count below `min_count` are left out. Unreadable pages are skipped. The
    normalisation `NONE` suits pairs in a single language. Raise ValueError if there is no clean
    text or no dirty text.
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
        raise ValueError(f"no clean or no dirty n-gram occurs at least {min_count} times")
    return Model(normalisation, *map(NGramModel, kept))


def five_pairs(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    """Choose the training pairs of NCT5 (Lejeune et al. 2015, section 4.3).

    If all pairs are in one language, the first five are chosen. Otherwise, one pair is chosen for
    each language: the one with the longest cleaned text among the language's first five.
    """
    by_language = _first_pairs_by_language(pairs)
    if len(by_language) == 1:
        return by_language[0]
    return [max(each, key=lambda pair: len(pair.text)) for each in by_language]


def all_pairs(pairs: Sequence[TrainingPair]) -> list[TrainingPair]:
    """Choose the training pairs of NCT25, five per language."""
    return [pair for each in _first_pairs_by_language(pairs) for pair in each]


def _first_pairs_by_language(pairs: Iterable[TrainingPair]) -> list[list[TrainingPair]]:
    """Return the first pairs of each language, at most `PAIRS_PER_LANGUAGE`."""
    by_language: defaultdict[str, list[TrainingPair]] = defaultdict(list)
    for pair in pairs:
        if len(by_language[pair.language]) < PAIRS_PER_LANGUAGE:
            by_language[pair.language].append(pair)
    return list(by_language.values())


PAIR_SELECTORS: Mapping[str, Callable[[Sequence[TrainingPair]], Sequence[TrainingPair]]] = {
    "nclean": list,
    "nct5": five_pairs,
    "nct25": all_pairs,
}
"""Functions that select the training pairs, by the name of the method trained on them."""


def _ngrams(segments: Iterable[str], normalisation: Normalisation) -> Iterable[str]:
    for segment in segments:
        line = one_line(segment)
        padded = PADDING * (ORDER - 1) + normalisation.apply(line)
        yield from (padded[start : start + ORDER] for start in range(len(line)))
