"""Evidence for the role of a line, in addition to the evidence that it belongs to the article.

As part of the second pass, it includes the first pass's estimates for the lines before and after.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.article.classification import JudgedLines
from worker.article.evidence.view import Floats
from worker.article.hashed_words import HashedWords
from worker.article.outline import Outline
from worker.article.roles.neighbours import of_first_pass, of_lines_beside
from worker.article.roles.view import View
from worker.inference import Features

NEAR = 0.1
"""Minimum first-pass probability at which a line counts as near the article."""

REACH = 3
"""Number of lines before and after a line with this probability that also count as near."""


@dataclass(frozen=True)
class Stretch:
    """The lines of a page near its article, with evidence of their roles.

    Attributes
    ----------
    places
        Indices of the lines among all lines of the page, in ascending order.
    features
        One row per line: the evidence of the first pass and the evidence added by the second.
    words
        Words of the lines and of their enclosing elements.
    """

    places: npt.NDArray[np.int64]
    features: Features
    words: HashedWords


def near_article(probabilities: Floats) -> npt.NDArray[np.bool_]:
    """Return a mask of the lines near the article, given the article probability of each line."""
    count = len(probabilities)
    near = np.flatnonzero(probabilities >= NEAR)
    changes = np.zeros(count + 1, dtype=np.int64)
    np.add.at(changes, np.maximum(0, near - REACH), 1)
    np.add.at(changes, np.minimum(count, near + REACH + 1), -1)
    return np.cumsum(changes)[:count] > 0


def gather(page: Outline, judged: JudgedLines, *, whole: bool = False) -> Stretch:
    """Compute the evidence of the roles of a page's lines.

    Parameters
    ----------
    page, judged
        The page, and its lines as classified by the first pass.
    whole
        Whether to include all lines, not just those near the article.
    """
    near = near_article(judged.probabilities)
    places = np.arange(len(near)) if whole else np.flatnonzero(near)
    words = judged.evidence.words.chosen(places)
    if not len(places):
        return Stretch(places, Features((), np.empty((0, 0), dtype=np.float32)), words)
    known = judged.evidence.features
    view = View(page, judged, places)
    beside = Features.of([*of_first_pass(view), *of_lines_beside(view)])
    of_roles = judged.evidence.of_roles
    rows = np.concatenate([known.rows[places], beside.rows, of_roles.rows[places]], axis=1)
    return Stretch(places, Features(known.columns + beside.columns + of_roles.columns, rows), words)
