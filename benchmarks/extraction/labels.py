"""Which lines of a page its gold holds."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from worker.evaluation import Gold, matching_blocks, words
from worker.evaluation.records import Block


def shares_in_gold(
    texts: Sequence[str], gold: Gold, headline: Block | None
) -> npt.NDArray[np.float64]:
    """Match the lines of a page, in order, with the words of its gold.

    Parameters
    ----------
    texts
        The lines.
    gold
        What people said.
    headline
        The headline that every method is given; it is not looked for among the lines.

    Returns
    -------
    array of shape (lines,)
        Share of each line's words that are matched.
    """
    wanted = words(gold.text or "")
    title = words(headline.text) if headline is not None else []
    if title and wanted[: len(title)] == title:
        del wanted[: len(title)]
    by_line = [words(text) for text in texts]
    matched = np.zeros(sum(map(len, by_line)))
    for start, _, size in matching_blocks([word for line in by_line for word in line], wanted):
        matched[start : start + size] = 1.0
    ends = np.cumsum([0, *map(len, by_line)])
    return np.array(
        [matched[start:end].mean() if end > start else 0.0 for start, end in pairwise(ends)]
    )
