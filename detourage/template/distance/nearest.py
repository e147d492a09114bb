"""Search for the nearest reference of each tree without comparing all trees with all references.

Exact distances are computed only if the lower bounds do not decide which reference is nearest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    smallest distance.
    """
    forest = Forest([*trees, *references], memory=memory)
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
        lower = forest.lower_bounds(np.full_like(open_ones, place), len(trees) + open_ones)
        bounds = [
            (float(normalised_distance(int(bound), size, len(references[i]))), i)
            for bound, i in zip(lower, open_ones.tolist(), strict=True)
        ]
        for bound in sorted(bounds):
            if best is not None and bound > best:
                break
            reference = bound[1]
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
