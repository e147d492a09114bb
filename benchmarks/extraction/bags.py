"""Comparison of texts as bags of words, as done by the Web Content Extraction Benchmark."""

import re
from collections import Counter
from typing import NamedTuple

_WORD = re.compile(r"\w+")


class BagScore(NamedTuple):
    """Precision, recall and F1 of the words of a text, from 0 to 1."""

    precision: float
    recall: float
    f1: float


def compare_bags(found: str, wanted: str) -> BagScore:
    """Compare the words of two texts as multisets, in lower case."""
    bags = [Counter(lower_case_words(text)) for text in (found, wanted)]
    common, found_total, wanted_total = (sum(bag.values()) for bag in (bags[0] & bags[1], *bags))
    if not common:
        return BagScore(0.0, 0.0, float(found_total == wanted_total))
    precision, recall = common / found_total, common / wanted_total
    return BagScore(precision, recall, 2 * precision * recall / (precision + recall))


def lower_case_words(text: str) -> list[str]:
    """Return the words of a text in lower case; apostrophes of any form separate words."""
    return _WORD.findall(text.lower())
