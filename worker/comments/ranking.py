"""The probability that a candidate is the comments of a page.

Boosted trees trained on other sites (``benchmarks/comments/train.py``) weigh what
`worker.comments.features` measures.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from worker.boosting import BoostedTrees
from worker.comments.candidates import Candidate
from worker.comments.elements import PageElements
from worker.comments.features import COLUMNS

WIDER_PROBABILITY = 0.5
"""Probability from which on a candidate replaces the likeliest one if it holds that as a part."""

_MODEL = "model.json"


@cache
def trained_model() -> BoostedTrees:
    """Load the classifier.

    Raises
    ------
    RuntimeError
        If its file was trained on other measures than are taken.
    """
    text = files("worker.comments").joinpath(_MODEL).read_text(encoding="utf-8")
    model = BoostedTrees.from_json(text)
    if model.columns != COLUMNS:
        raise RuntimeError(f"{_MODEL} was trained on other measures: train it again")
    return model


def likeliest(
    page: PageElements, candidates: Sequence[Candidate], probabilities: npt.NDArray[np.float64]
) -> int:
    """Choose the candidate that is the comments, if any is.

    Where a page marks some of its comments, those of its author or those that answer, they are
    a candidate too, and often a likely one. All comments together are preferred: of likely
    candidates each of whose records holds at most one of the likeliest's, and which together
    hold all of these, the one with the most records.

    Returns
    -------
    int
        Its place among the candidates.
    """
    best = int(probabilities.argmax())
    chosen = best
    for place in np.flatnonzero(probabilities >= WIDER_PROBABILITY).tolist():
        if len(candidates[place].members) > len(candidates[chosen].members) and _holds(
            page, candidates[place].members, candidates[best].members
        ):
            chosen = place
    return chosen


def _holds(page: PageElements, outer: Sequence[int], inner: Sequence[int]) -> bool:
    """Tell whether each of some elements is, or stands in, another one of others."""
    known = set(outer)
    found: set[int] = set()
    for index in inner:
        around = index
        while around >= 0 and around not in known:
            around = page.parents[around]
        found.add(around)
    return -1 not in found and len(found) == len(inner)
