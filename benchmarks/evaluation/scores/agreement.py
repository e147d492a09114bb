"""Scores of Deturck (2015) for the agreement of a text with the gold text."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.evaluation.scores.prf import PRF

EXACT_COSINE = 0.9
"""Minimum cosine for a text to be acceptable ("exactitude" in Deturck 2015, section 5.2)."""


@dataclass(frozen=True)
class Agreement:
    """Deturck's (2015) comparison of a text T with the gold text T*.

    `cosine` compares the word counts (0 to 1), and `exact` states whether it is at least
    `EXACT_COSINE`. `equal` means T = T*, `within_gold` T ⊂ T*, and `around_gold` T* ⊂ T, where T ⊂
    T* means that the words of T occur in T* contiguously.
    """

    cosine: float
    exact: bool
    equal: bool
    within_gold: bool
    around_gold: bool


def agreement(found: Sequence[str], wanted: Sequence[str]) -> Agreement:
    """Compare the words of a text with the words of the gold text.

    As in Deturck (2015), section 5.2 and figure 5.1, equal texts do not count as included in each
    other. An empty text is not part of any other text.
    """
    similarity = cosine(Counter(found), Counter(wanted))
    return Agreement(
        cosine=similarity,
        exact=similarity >= EXACT_COSINE,
        equal=list(found) == list(wanted),
        within_gold=_is_within(found, wanted),
        around_gold=_is_within(wanted, found),
    )


def cosine(found: Mapping[str, int], wanted: Mapping[str, int]) -> float:
    """Return the cosine of two vectors of counts: 1 if both are empty, and 0 if only one is."""
    if not found or not wanted:
        return float(not found and not wanted)
    product = sum(count * wanted[word] for word, count in found.items() if word in wanted)
    squares = [sum(count * count for count in side.values()) for side in (found, wanted)]
    # Only one square root is computed, so that equal vectors have a cosine of exactly 1.
    return product / math.sqrt(squares[0] * squares[1])


def bag_of_words(found: Sequence[str], wanted: Sequence[str]) -> PRF:
    """Score two texts as bags of words, ignoring order."""
    common = (Counter(found) & Counter(wanted)).total()
    return PRF.of(common, len(found), len(wanted))


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    if not 0 < len(part) < len(whole):
        return False
    # With one word per line, a part is found only at whole words, as words contain no line ends.
    return "\n".join(["", *part, ""]) in "\n".join(["", *whole, ""])
