"""What tells the role of a line, beside what is known of it as evidence for the article.

The second pass over a page: it sees what the first said of the lines around, so that a line is
judged by what stands before and after it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.article.classification import JudgedLines
from worker.article.hashed_words import HashedWords
from worker.article.outline import Outline
from worker.article.roles.addresses import of_links
from worker.article.roles.declared import of_declarations
from worker.article.roles.images import of_images
from worker.article.roles.neighbours import of_first_pass, of_lines_beside
from worker.article.roles.places import of_elements, of_names
from worker.article.roles.view import Floats, View
from worker.article.roles.wording import of_marks, of_words
from worker.inference import Features

SOURCES = (
    of_first_pass,
    of_lines_beside,
    of_elements,
    of_names,
    of_words,
    of_marks,
    of_links,
    of_declarations,
    of_images,
)
"""Where the columns come from, in their order."""

NEAR = 0.1
"""Probability from which a line is near the article."""

REACH = 3
"""Lines before and after such a line whose roles are looked for, too."""


@dataclass(frozen=True)
class Stretch:
    """The lines of a page near its article, with what tells their roles.

    Attributes
    ----------
    places
        Their places among all lines of the page, rising.
    features
        A row for each: what the first pass knew, and what is added.
    words
        Their words, and those of the elements around them.
    """

    places: npt.NDArray[np.int64]
    features: Features
    words: HashedWords


def near_article(probabilities: Floats) -> npt.NDArray[np.bool_]:
    """Say of each line of a page whether it is near the article.

    Parameters
    ----------
    probabilities
        For each line of the page the probability that it is the article's.
    """
    count = len(probabilities)
    near = np.flatnonzero(probabilities >= NEAR)
    changes = np.zeros(count + 1, dtype=np.int64)
    np.add.at(changes, np.maximum(0, near - REACH), 1)
    np.add.at(changes, np.minimum(count, near + REACH + 1), -1)
    return np.cumsum(changes)[:count] > 0


def gather(page: Outline, judged: JudgedLines, url: str = "", *, whole: bool = False) -> Stretch:
    """Measure what tells the roles of a page's lines.

    Parameters
    ----------
    page, judged
        The page, and its lines as the first pass sees them.
    url
        Address of the page.
    whole
        Whether to measure all lines, and not only those near the article.
    """
    near = near_article(judged.probabilities)
    places = np.arange(len(near)) if whole else np.flatnonzero(near)
    words = judged.evidence.words.chosen(places)
    if not len(places):
        return Stretch(places, Features((), np.empty((0, 0), dtype=np.float32)), words)
    known = judged.evidence.features
    view = View(page, judged, url, places)
    added = Features.of(column for source in SOURCES for column in source(view))
    rows = np.concatenate([known.rows[places], added.rows], axis=1)
    return Stretch(places, Features(known.columns + added.columns, rows), words)
