"""CommentsMiner, section by section.

J. Subercaze, C. Gravier and F. Laforest, "Extraction de commentaires utilisateurs sur le Web",
EGC 2016.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from worker.comments.elements import PageElements
from worker.comments.features import paper_measures
from worker.comments.reading import read_comments
from worker.evaluation.methods.giving import as_given
from worker.evaluation.methods.interface import Extracted, Neighbours, Source
from worker.evaluation.methods.papers.commentsminer.mining import Subtree, mine
from worker.evaluation.methods.reading import page_of
from worker.learning import Features, load_model
from worker.pages import Page

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LinearRanking:
    """A ranking function that sums weighted features (section 3).

    Attributes
    ----------
    columns
        Names of the features.
    means, deviations
        Mean and standard deviation of each in training.
    weights
        Weight of each, in units of its deviation.
    """

    KIND: ClassVar[str] = "linear ranking"

    columns: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the function with the parameters that `to_parameters` gave."""
        features: Mapping[str, Mapping[str, float]] = parameters["features"]
        return cls(
            tuple(features),
            *(
                tuple(each[name] for each in features.values())
                for name in ("mean", "deviation", "weight")
            ),
        )

    def to_parameters(self) -> dict[str, Any]:
        """Return all that makes it, ready for JSON."""
        return {
            "features": {
                column: {"mean": mean, "deviation": deviation, "weight": weight}
                for column, mean, deviation, weight in zip(
                    self.columns, self.means, self.deviations, self.weights, strict=True
                )
            }
        }

    def scores(self, features: Features) -> _Floats:
        """Return the score of each candidate; the greatest is the comments'.

        Raises
        ------
        RuntimeError
            If these are not the features that it was trained on.
        """
        rows = features.rows_for(self.columns)
        standard = (rows - np.array(self.means)) / np.array(self.deviations)
        return np.asarray(standard @ np.array(self.weights), dtype=np.float64)


def trained_ranking() -> LinearRanking:
    """Return the function that ListNet, the paper's best, learnt (``benchmarks/comments``)."""
    return load_model(LinearRanking, __package__, "commentsminer.json").model


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Find comments as the paper does, and read them as the service does."""
    page = page_of(source)
    comments = read_comments(page.flat, mine_comments(page), page.url)
    return Extracted(None, "", (), comments=as_given(comments))


def mine_comments(page: Page, ranking: LinearRanking | None = None) -> tuple[HtmlElement, ...]:
    """Find the comments of a page as the paper does.

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
    features = paper_measures(elements, [each.roots for each in candidates])
    chosen = candidates[int((ranking or trained_ranking()).scores(features).argmax())]
    return tuple(elements.elements[root] for root in find_occurrences(elements, chosen))


def find_occurrences(page: PageElements, pattern: Subtree) -> list[int]:
    """Find where a page has a pattern, in one depth-first pass (section 3).

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
