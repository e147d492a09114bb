"""The scores of Deturck (2015): whether a text says what the gold says."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.evaluation.scores.prf import PRF

EXACT_COSINE = 0.9
"""Cosine from which Deturck (2015, section 5.2) calls a text acceptable, "exactitude"."""


@dataclass(frozen=True)
class Agreement:
    """The comparison of Deturck (2015) of a text T with the gold T*.

    Attributes
    ----------
    cosine
        Cosine of the word counts, 0..1.
    exact
        Whether the cosine reaches 0.9; the share of such texts is the exactitude.
    equal
        T = T*: the same words in the same order.
    within_gold
        T ⊂ T*: all words of T, in one stretch of T*, which holds more.
    around_gold
        T* ⊂ T: all words of T*, in one stretch of T, which holds more.
    """

    cosine: float
    exact: bool
    equal: bool
    within_gold: bool
    around_gold: bool


def agreement(found: Sequence[str], wanted: Sequence[str]) -> Agreement:
    """Compare the words of a text with those of a gold.

    An empty text is a part of nothing: both inclusions need words on both sides.

    Notes
    -----
    Deturck (2015), section 5.2 and figure 5.1. Its columns of inclusion leave equal texts out.
    """
    alike = cosine(Counter(found), Counter(wanted))
    return Agreement(
        cosine=alike,
        exact=alike >= EXACT_COSINE,
        equal=list(found) == list(wanted),
        within_gold=_is_within(found, wanted),
        around_gold=_is_within(wanted, found),
    )


def cosine(found: Mapping[str, int], wanted: Mapping[str, int]) -> float:
    """Return the cosine of two vectors of counts: 1 for two empty ones, 0 for one."""
    if not found or not wanted:
        return float(not found and not wanted)
    product = sum(count * wanted[word] for word, count in found.items() if word in wanted)
    squares = [sum(count * count for count in side.values()) for side in (found, wanted)]
    # One square root, so that equal vectors have a cosine of 1 and not almost.
    return product / math.sqrt(squares[0] * squares[1])


def bag_of_words(found: Sequence[str], wanted: Sequence[str]) -> PRF:
    """Score two texts as bags of words, order left aside."""
    common = (Counter(found) & Counter(wanted)).total()
    return PRF.of(common, len(found), len(wanted))


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    if not 0 < len(part) < len(whole):
        return False
    # No word holds a line end, so that words match whole.
    return "\n".join(["", *part, ""]) in "\n".join(["", *whole, ""])
