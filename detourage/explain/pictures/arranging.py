"""Order and positions of pages in pictures, computed with only NumPy.

Clustering uses SciPy for this, which would take 32 MB, a fifth of the inspector's memory limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from detourage.template.matrix import Matrix

MAX_STEPS: Final = 300
TOLERANCE: Final = 1e-6
"""Tolerance at which scaling stops, as in `detourage.template.scaling`."""

STEPS_BY_SIZE: Final = 4_000_000
"""Maximum product of the number of scaling steps and the square of the number of pages, to bound
the time."""


@dataclass(frozen=True)
class OrderedPages:
    """Page indices in the order of the leaves of their dendrogram.

    Each branch has four points; x is in leaves, starting at 0, and heights are at most 1.
    """

    order: Sequence[int]
    branches: Sequence[tuple[Sequence[float], Sequence[float]]]


def order_pages(distances: Matrix) -> OrderedPages:
    """Put pages in the leaf order of their average-linkage dendrogram; no distance may be NaN.

    The dendrogram is built with the nearest-neighbour chain algorithm (F. Murtagh, "A survey of
    recent advances in hierarchical clustering algorithms", The Computer Journal 26(4), 1983).
    Merged clusters are oriented so that the pages where they meet are as close as possible.
    """
    count = len(distances)
    between = distances.copy()
    np.fill_diagonal(between, np.inf)
    sizes = np.ones(count)
    leaves = [[page] for page in range(count)]
    nodes = list(range(count))
    joins: list[tuple[int, int, float]] = []
    chain: list[int] = []
    for _ in range(count - 1):
        one, other = _nearest_to_each_other(between, sizes, chain)
        height = float(between[one, other])
        joins.append((nodes[one], nodes[other], height))
        joined = (sizes[one] * between[one] + sizes[other] * between[other]) / (
            sizes[one] + sizes[other]
        )
        joined[[one, other]] = np.inf
        between[one] = between[:, one] = joined
        between[other] = between[:, other] = np.inf
        sizes[one] += sizes[other]
        sizes[other] = 0
        leaves[one] = _side_by_side(distances, leaves[one], leaves[other])
        nodes[one] = count + len(joins) - 1
    order = leaves[int(sizes.argmax())] if count else []
    return OrderedPages(order, _branches(order, joins))


def place_pages(distances: Matrix) -> Matrix:
    """Return positions that approximate distances, as `detourage.template.scaling` does."""
    count = len(distances)
    if count < 2:
        return np.zeros((count, 2))
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    # Several threads would not be faster, but would take time from other requests.
    with threadpool_limits(limits=1):
        return _fitted(distances, centred)


def _fitted(distances: Matrix, centred: Matrix) -> Matrix:
    """Return positions for centred squared distances, iterated to the best fit."""
    count = len(distances)
    values, vectors = np.linalg.eigh(-centred / 2)
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    farthest = vectors[np.abs(vectors).argmax(axis=0), np.arange(2)]
    places: Matrix = vectors * np.sign(farthest) * np.sqrt(values.clip(min=0.0))
    fitted = _among(places)
    stress = float(((distances - fitted) ** 2).sum())
    for _ in range(min(MAX_STEPS, STEPS_BY_SIZE // count**2)):
        ratios = np.divide(distances, fitted, out=np.zeros_like(fitted), where=fitted > 0)
        moved = (ratios.sum(axis=1)[:, None] * places - ratios @ places) / count
        fitted = _among(moved)
        lowered = float(((distances - fitted) ** 2).sum())
        converged = stress - lowered <= TOLERANCE * stress
        places, stress = moved, lowered
        if converged:
            break
    return places


def _among(places: Matrix) -> Matrix:
    x, y = places.T
    found: Matrix = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
    return found


def _nearest_to_each_other(between: Matrix, sizes: Matrix, chain: list[int]) -> tuple[int, int]:
    """Extend the chain of nearest neighbours to a mutual pair, and remove that pair from it."""
    if not chain:
        chain.append(int(sizes.argmax()))
    while True:
        nearest = int(between[chain[-1]].argmin())
        if len(chain) > 1 and between[chain[-1], chain[-2]] <= between[chain[-1], nearest]:
            one, other = sorted((chain.pop(), chain.pop()))
            return one, other
        chain.append(nearest)


def _side_by_side(distances: Matrix, one: list[int], other: list[int]) -> list[int]:
    ways = product((one, one[::-1]), (other, other[::-1]))
    left, right = min(ways, key=lambda way: float(distances[way[0][-1], way[1][0]]))
    return left + right


def _branches(
    order: Sequence[int], joins: Sequence[tuple[int, int, float]]
) -> list[tuple[list[float], list[float]]]:
    places = dict(zip(order, map(float, range(len(order))), strict=True))
    heights = dict.fromkeys(order, 0.0)
    highest = max((height for _, _, height in joins), default=0.0) or 1.0
    branches = []
    for number, (one, other, height) in enumerate(joins, start=len(order)):
        low, high = sorted((one, other), key=places.__getitem__)
        heights[number] = height / highest
        places[number] = (places[low] + places[high]) / 2
        branches.append(
            (
                [places[low], places[low], places[high], places[high]],
                [heights[low], heights[number], heights[number], heights[high]],
            )
        )
    return branches
