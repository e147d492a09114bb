"""The eight features of the occurrences of a subtree (section 3)."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from detourage.html.flat import FlatDocument, Integers
from detourage.inference import Features

LETTERS_PER_EAST_ASIAN = 3
"""Number of letters that a kana, Chinese character or hangul counts as; two of them are a word."""

_EAST_ASIAN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]")
_NAMES = ("text_density", "characters", "link_density", "words")  # each has two features


def measure(page: FlatDocument, groups: Sequence[Sequence[int]]) -> Features:
    """Compute the features of one or more subtrees, given the roots of each one's occurrences."""
    texts = [" ".join(text.split()) for text in page.texts]
    east_asian = np.array([len(_EAST_ASIAN.findall(text)) for text in texts])
    characters = np.array([*map(len, texts)]) + (LETTERS_PER_EAST_ASIAN - 1) * east_asian
    words = np.array([text.count(" ") + 1 for text in texts]) + east_asian // 2
    linked = characters * page.within(page.having({"a"}))[page.text_parents]  # in links
    # Sums over all texts before each text; the counts of an element are differences of two sums.
    sums = np.zeros((len(texts) + 1, 3), dtype=np.int64)
    np.cumsum(np.column_stack([characters, words, linked]), axis=0, out=sums[1:])
    elements = (page.ends - np.arange(len(page.ends)))[:, None]
    counts = np.hstack([sums[page.text_ends] - sums[page.text_starts], elements])
    root_arrays = [np.array(roots) for roots in groups]
    own = (own_counts(roots, page.ends[roots], counts[roots]) for roots in root_arrays)
    rows = np.array([*map(_statistics, own)])
    names = (f"{statistic} {name}" for name in _NAMES for statistic in ("mean", "variation of"))
    return Features.of(zip(names, rows.T, strict=True))


def _statistics(own: npt.NDArray[np.int64]) -> list[float]:
    """Return the mean and the coefficient of variation of each of the quantities in `_NAMES`."""
    characters, words, linked, elements = own.T
    quantities = (
        characters / np.maximum(elements, 1),
        characters,
        linked / np.maximum(characters, 1),
        words,
    )
    means = [float(values.mean()) for values in quantities]
    variations = [q.std() / max(abs(mean), 1e-9) for q, mean in zip(quantities, means, strict=True)]
    return [each for pair in zip(means, variations, strict=True) for each in pair]


def own_counts(starts: Integers, ends: Integers, totals: Integers) -> Integers:
    """Return the counts of several ranges, minus those of the ranges inside them.

    The ranges are ordered by their starts and are nested or disjoint; `totals` has a row per range.
    """
    parents: list[int] = []
    open_ranges, range_ends = [-1], ends.tolist()
    for index, start in enumerate(starts.tolist()):
        while len(open_ranges) > 1 and range_ends[open_ranges[-1]] <= start:
            open_ranges.pop()
        parents.append(open_ranges[-1])
        open_ranges.append(index)
    own, outer = totals.copy(), np.array(parents)
    np.subtract.at(own, outer[outer >= 0], totals[outer >= 0])
    return own
