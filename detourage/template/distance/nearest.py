"""Search for the nearest reference of each tree without comparing all trees with all references.

Exact distances are computed only if the lower bounds do not decide which reference is nearest.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from detourage.html.tree import Tree
from detourage.template.distance.forest import ANY_WORK, MEMORY, TOO_LARGE, Forest
from detourage.template.distance.measures import normalised_distance


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest reference of each tree, up to the first tree unfinished at the work limit.

    `reference` has the indices (the first one in a tie), or -1 if no reference can be compared, and
    `distance` the exact normalised distances, or 1. `begun` has the distances computed for the
    first unfinished tree, by the indices of tree and reference; None if the two cannot be compared.
    """

    reference: npt.NDArray[np.intp]
    distance: npt.NDArray[np.float64]
    begun: Mapping[tuple[int, int], int | None]


@dataclass(frozen=True)
class KnownNearest:
    """Result of an earlier search among the current references with the indices `searched`."""

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
    """Find the nearest reference of each tree, making use of earlier searches.

    `known` has the earlier searches for each tree, without those that found a reference no longer
    in use. `distances` has known distances by tree and reference; None if not comparable. At least
    one pair is compared or one search finished, whatever the limit of `work` (see `Forest`).

    The result is that of a full comparison, except for pairs too large to compare. References not
    yet searched are compared in ascending order of their lower bounds, until a bound exceeds the
    smallest distance. The bounds by label counts rule out most references; `Forest.lower_bounds`,
    which take 80 times as long, are computed for the others only.
    """
    forest = Forest([*trees, *references], memory=memory)
    lengths = np.array([len(reference) for reference in references])
    found: list[tuple[float, int]] = []
    begun: dict[tuple[int, int], int | None] = {}
    for place, facts in enumerate(known):
        has_progress = bool(found)
        if has_progress and forest.work >= work:
            break
        begun = {}
        searched = frozenset().union(*(fact.searched for fact in facts))
        open_ones = np.array([i for i in range(len(references)) if i not in searched], np.int32)
        best = min(((fact.distance, fact.reference) for fact in facts), default=None)
        size = len(trees[place])
        by_labels = forest.label_bounds(place, len(trees) + open_ones)
        ratios = normalised_distance(by_labels, size, lengths[open_ones]).tolist()
        # A sorted list is a heap.
        bounds = sorted(zip(ratios, open_ones.tolist(), repeat(False)))
        while bounds:
            bound, reference, is_final = heapq.heappop(bounds)
            if best is not None and (bound, reference) > best:
                break
            if not is_final:
                lower = int(forest.lower_bounds([place], [len(trees) + reference])[0])
                ratio = float(normalised_distance(lower, size, len(references[reference])))
                heapq.heappush(bounds, (max(bound, ratio), reference, True))
                continue
            if (place, reference) in distances:
                distance = distances[place, reference]
            elif has_progress and forest.work >= work:
                return _nearest(found, begun)
            else:
                computed = int(forest.try_distances([place], [len(trees) + reference])[0])
                begun[place, reference] = distance = None if computed == TOO_LARGE else computed
                has_progress = True
            if distance is not None:
                ratio = float(normalised_distance(distance, size, len(references[reference])))
                best = min((ratio, reference), best or (np.inf, 0))
        found.append(best or (1.0, -1))
    return _nearest(found, {})


def _nearest(
    found: Sequence[tuple[float, int]], begun: Mapping[tuple[int, int], int | None]
) -> Nearest:
    return Nearest(
        np.array([reference for _, reference in found], np.intp),
        np.array([distance for distance, _ in found], np.float64),
        begun,
    )
