"""Search for the nearest reference of each tree without comparing all trees with all references.

Distances are computed only if the lower bounds do not decide which reference is nearest.
"""

import heapq
from collections.abc import Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.html.tree import Tree
from detourage.template.distance.forest import ANY_WORK, MEMORY, TOO_LARGE, Forest
from detourage.template.distance.measures import grouping_distances, normalised_distance


class Nearest(NamedTuple):
    """The nearest reference of each tree that was finished within the work limit.

    `reference` has the indices (the first one in a tie), and `distance` the normalised distances;
    -1 and 1 if no reference can be compared. `begun` has the `grouping_distances` of the first
    unfinished tree, by the indices of tree and reference; None if not comparable.
    """

    reference: npt.NDArray[np.intp]
    distance: npt.NDArray[np.float64]
    begun: Mapping[tuple[int, int], int | None]


class KnownNearest(NamedTuple):
    """The nearest of the references whose indices are in `searched`, found by an earlier search."""

    reference: int
    distance: float
    searched: frozenset[int]


def nearest_of_changed(
    trees: Sequence[Tree],
    references: Sequence[Tree],
    known: Sequence[Sequence[KnownNearest]],
    *,
    distances: Mapping[tuple[int, int], int | None] = MappingProxyType({}),
    memory: int = MEMORY,
    work: int = ANY_WORK,
) -> Nearest:
    """Find the nearest reference of each tree, using the results of earlier searches.

    `known` has the earlier searches for each tree, except those that found a reference no longer in
    use. `distances` has known distances by tree and reference; None if not comparable. Regardless
    of the `work` limit (see `Forest`), at least one pair is compared or one search finished.

    The result is that of a full comparison, except for pairs too large to compare. References not
    searched before are compared in ascending order of their lower bounds, until a bound exceeds the
    smallest distance. `Forest.label_bounds` rules out most references; `Forest.lower_bounds`, which
    takes 80 times as long, is computed only for the others.
    """
    forest = Forest([*trees, *references], memory=memory)
    lengths = np.array([len(reference) for reference in references])
    found: list[tuple[float, int]] = []
    begun: dict[tuple[int, int], int | None] = {}
    for tree, searches in enumerate(known):
        has_progress = bool(found)
        if has_progress and forest.work >= work:
            break
        begun = {}
        searched = frozenset().union(*(search.searched for search in searches))
        remaining = np.array([i for i in range(len(references)) if i not in searched], np.int32)
        best = min(((search.distance, search.reference) for search in searches), default=None)
        size = len(trees[tree])
        label_bounds = forest.label_bounds(tree, len(trees) + remaining)
        ratios = normalised_distance(label_bounds, size, lengths[remaining]).tolist()
        # A sorted list is a heap. False marks bounds that `lower_bounds` has not improved yet.
        bounds = sorted(zip(ratios, remaining.tolist(), repeat(False)))
        while bounds:
            bound, reference, is_improved = heapq.heappop(bounds)
            if best is not None and (bound, reference) > best:
                break
            if not is_improved:
                edits = int(forest.lower_bounds([tree], [len(trees) + reference])[0])
                ratio = float(normalised_distance(edits, size, len(references[reference])))
                heapq.heappush(bounds, (max(bound, ratio), reference, True))
                continue
            if (tree, reference) in distances:
                distance = distances[tree, reference]
            elif has_progress and forest.work >= work:
                return _nearest(found, begun)
            else:
                computed = int(grouping_distances(forest, [tree], [len(trees) + reference])[0])
                begun[tree, reference] = distance = None if computed == TOO_LARGE else computed
                has_progress = True
            if distance is not None:
                ratio = float(normalised_distance(distance, size, len(references[reference])))
                best = min((ratio, reference), best or (np.inf, 0))
        found.append(best or (1.0, -1))
    return _nearest(found, {})


def _nearest(
    found: Sequence[tuple[float, int]], begun: Mapping[tuple[int, int], int | None]
) -> Nearest:
    """Convert the pairs of distance and reference found for the trees to arrays."""
    references = np.array([reference for _, reference in found], np.intp)
    distances = np.array([distance for distance, _ in found], np.float64)
    return Nearest(references, distances, begun)
