"""CommentsMiner: the method of paper 004, section by section.

J. Subercaze, C. Gravier and F. Laforest, "Extraction de commentaires utilisateurs sur le Web",
EGC 2016.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Self

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from worker.comments.elements import PageElements
from worker.comments.features import PAPER_COLUMNS, Rows, paper_measures
from worker.comments.mining import Subtree, mine
from worker.pages import Page

_MODEL = "commentsminer.json"

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LinearRanking:
    """A ranking function that sums weighted features (paper 004, section 3).

    Attributes
    ----------
    means, deviations
        Mean and standard deviation of each of `PAPER_COLUMNS` in training.
    weights
        Weight of each, in units of its deviation.
    """

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is no such function of `PAPER_COLUMNS`.
        """
        try:
            columns = json.loads(text)
            if tuple(columns) != PAPER_COLUMNS:
                raise ValueError(f"ranks by other features: {', '.join(columns)}")
            means, deviations, weights = zip(
                *((each["mean"], each["deviation"], each["weight"]) for each in columns.values()),
                strict=True,
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no ranking function: {error!r}") from error
        return cls(means, deviations, weights)

    def to_json(self) -> str:
        """Write the function down, a feature a line."""
        lines = [
            f"{json.dumps(column)}: "
            + json.dumps({"mean": mean, "deviation": deviation, "weight": weight})
            for column, mean, deviation, weight in zip(
                PAPER_COLUMNS, self.means, self.deviations, self.weights, strict=True
            )
        ]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def scores(self, rows: Rows) -> _Floats:
        """Return the score of each candidate; the greatest is the comments'.

        Parameters
        ----------
        rows
            Shape (candidates, `PAPER_COLUMNS`).
        """
        standard = (rows - np.array(self.means)) / np.array(self.deviations)
        return np.asarray(standard @ np.array(self.weights), dtype=np.float64)


@cache
def trained_ranking() -> LinearRanking:
    """Load the function that ListNet, the paper's best, learnt (``benchmarks/comments``)."""
    text = files("worker.comments").joinpath(_MODEL).read_text(encoding="utf-8")
    return LinearRanking.from_json(text)


def mine_comments(page: Page, ranking: LinearRanking | None = None) -> tuple[HtmlElement, ...]:
    """Find the comments of a page as paper 004 does.

    Parameters
    ----------
    page
        The page. The paper's have two comments and more: some pattern is taken for the
        comments' whenever there is one.
    ranking
        The ranking function; `trained_ranking` unless given.

    Returns
    -------
    tuple of elements
        Root of each occurrence of the chosen pattern, in document order. Who answers whom
        is told by which one stands in which (section 3).
    """
    elements = PageElements.of(page.document)
    candidates = mine(elements)
    if not candidates:
        return ()
    rows = paper_measures(elements, [each.roots for each in candidates])
    chosen = candidates[int((ranking or trained_ranking()).scores(rows).argmax())]
    return tuple(elements.elements[root] for root in find_occurrences(elements, chosen))


def find_occurrences(page: PageElements, pattern: Subtree) -> list[int]:
    """Find where a page has a pattern, in one depth-first pass (paper 004, section 3).

    Returns
    -------
    list of int
        The element at the root of each occurrence, rising.

    Notes
    -----
    From the last element to the first, which nodes of the pattern can stand at each is known
    from its children; those of a node are found in their order, each at the first child that
    follows.
    """
    below = _children_of(pattern.parents)
    fitting: list[frozenset[int]] = [frozenset()] * len(page)
    children: list[list[int]] = [[] for _ in page.elements]
    for index in range(len(page) - 1, -1, -1):
        fitting[index] = frozenset(
            node
            for node, label in enumerate(pattern.labels)
            if label == page.tags[index]
            and _in_order(below[node], [fitting[child] for child in reversed(children[index])])
        )
        if page.parents[index] >= 0:
            children[page.parents[index]].append(index)
    return [index for index, nodes in enumerate(fitting) if 0 in nodes]


def _children_of(parents: Sequence[int]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(node)
    return below


def _in_order(nodes: Sequence[int], places: Sequence[frozenset[int]]) -> bool:
    """Tell whether nodes can be found at places, in their order."""
    remaining = iter(places)
    return all(any(node in place for place in remaining) for node in nodes)
