"""Confidence in an extracted article: the probability that its text is correct."""

from math import exp

import numpy as np

from detourage.reader.finding import Finding, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage

GOOD_F1 = 0.8
"""Minimum word F1 at which an article counts as correct."""

OF_HIDDEN = 0.63
"""Confidence in an article that the page does not display, on whose lines nothing is known."""

OF_EXPECTED_F1, OF_SURENESS, BASE = 4.0, 6.4, -7.2
"""Weights of the expected F1 and the mean probability of the words' roles in the log odds, fitted
to pages of sites on which no figure is reported."""


def confidence_of(page: Outline, judged: JudgedPage, finding: Finding | None) -> float:
    """Return the probability that the article's word F1 is at least `GOOD_F1`.

    `finding` is None for an article that the page does not display.
    """
    if finding is None:
        return OF_HIDDEN
    sizes = np.array([len(line.tokens) for line in judged.lines], dtype=np.float64)
    numbers = [line.number for line in judged.lines]
    kept = sizes * np.isin(numbers, page.text_lines[kept_texts(page, finding)])
    total, likely = max(1.0, kept.sum()), judged.probabilities
    expected_f1 = 2 * (kept * likely).sum() / max(1.0, kept.sum() + (sizes * likely).sum())
    sureness = (kept * judged.of_roles.max(axis=1, initial=0.0)).sum() / total
    return 1 / (1 + exp(-(OF_EXPECTED_F1 * expected_f1 + OF_SURENESS * sureness + BASE)))
