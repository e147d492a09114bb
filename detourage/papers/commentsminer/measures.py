"""The eight features of the occurrences of a subtree (section 3)."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from detourage.comments.candidates import own_counts
from detourage.html.flat import FlatDocument
from detourage.inference import Features

LETTERS_PER_IDEOGRAPH = 3
"""Number of letters for which an East Asian character counts; two such characters are a word."""

_IDEOGRAPH = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]")
_NAMES = ("text_density", "characters", "link_density", "words")


def measure(page: FlatDocument, groups: Sequence[Sequence[int]]) -> Features:
    """Compute the features of subtrees (at least one), given the roots of their occurrences."""
    texts = [" ".join(text.split()) for text in page.texts]
    ideographs = np.array([len(_IDEOGRAPH.findall(text)) for text in texts])
    characters = np.array([*map(len, texts)]) + (LETTERS_PER_IDEOGRAPH - 1) * ideographs
    words = np.array([text.count(" ") + 1 for text in texts]) + ideographs // 2
    linked = characters * page.within(page.having({"a"}))[page.text_parents]
    before = np.zeros((len(texts) + 1, 3), dtype=np.int64)
    np.cumsum(np.column_stack([characters, words, linked]), axis=0, out=before[1:])
    sizes = (page.ends - np.arange(len(page.ends)))[:, None]
    counts = np.hstack([before[page.text_ends] - before[page.text_starts], sizes])
    rows = np.array([_measured(own_counts(page, counts, np.array(each))) for each in groups])
    names = (f"{statistic} {name}" for name in _NAMES for statistic in ("mean", "variation of"))
    return Features.of(zip(names, rows.T, strict=True))


def _measured(own: npt.NDArray[np.int64]) -> list[float]:
    characters, words, linked, elements = own.T
    every = (
        characters / np.maximum(elements, 1),
        characters,
        linked / np.maximum(characters, 1),
        words,
    )
    return [each for values in every for each in (values.mean(), values.std() / _above(values))]


def _above(values: npt.NDArray[np.float64 | np.int64]) -> float:
    return max(abs(float(values.mean())), 1e-9)
