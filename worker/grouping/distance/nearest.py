"""The nearest of some references to each tree, for fewer comparisons than of all with all.

A tree costs as many lower bounds as there are references, and a few exact distances: which one
is nearest is decided by these wherever bounds leave it open.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.grouping.distance.forest import forest_of
from worker.grouping.distance.matrix import MEMORY
from worker.grouping.distance.normalisation import normalised_distance
from worker.html.tree import Tree


@dataclass(frozen=True, eq=False)
class Nearest:
    """The reference nearest to each of some trees.

    Parameters
    ----------
    reference
        Place of it among the references, shape (trees,), the first of equally near
        ones; -1 where there are no references.
    distance
        Normalised distance to it, exact, shape (trees,); 1 where there is none.
    """

    reference: npt.NDArray[np.intp]
    distance: npt.NDArray[np.float64]


@dataclass(frozen=True)
class KnownNearest:
    """What an earlier search says of the references now.

    Parameters
    ----------
    reference
        Place, among the references now, of the one that was nearest.
    distance
        Normalised distance to it.
    searched
        Places of the references that were among those searched.
    """

    reference: int
    distance: float
    searched: frozenset[int]


def nearest_references(
    trees: Sequence[Tree], references: Sequence[Tree], *, threads: int = 1, memory: int = MEMORY
) -> Nearest:
    """Find the nearest reference of each tree.

    Parameters
    ----------
    trees, references
        The trees, and those that they are compared with.
    threads, memory
        As for `distance_matrix`.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare; its ``trees`` are the places of those to leave
        out, of the references after all of `trees`.

    Notes
    -----
    The result is that of comparing all with all. The reference with the smallest lower
    bound (string edit distances of the labels) is compared first; then those whose bound
    is no greater than its distance.
    """
    count, others = len(trees), len(references)
    if not count or not others:
        return Nearest(np.full(count, -1, np.intp), np.ones(count))
    forest = forest_of([*trees, *references], memory=memory)
    size_a = np.array([len(tree) for tree in trees])[:, None]
    size_b = np.array([len(tree) for tree in references])[None, :]
    rows, columns = np.indices((count, others)).reshape(2, -1)
    bounds = forest.lower_bounds(rows, count + columns, threads=threads).reshape(count, others)
    distances = normalised_distance(bounds, size_a, size_b)
    is_exact = np.zeros((count, others), np.bool_)
    place = np.arange(count)
    first = distances.argmin(axis=1)
    best = np.zeros(count)
    for _ in range(2):
        candidates = distances <= best[:, None]
        candidates[place, first] = True
        rows, columns = np.nonzero(candidates & ~is_exact)
        exact = forest.distances(rows, count + columns, threads=threads)
        distances[rows, columns] = normalised_distance(exact, size_a[rows, 0], size_b[0, columns])
        is_exact[rows, columns] = True
        best = distances[place, first]
    distances[~is_exact] = np.inf
    nearest = distances.argmin(axis=1)
    return Nearest(nearest, distances[place, nearest])


def nearest_of_changed(
    trees: Sequence[Tree],
    references: Sequence[Tree],
    known: Sequence[Sequence[KnownNearest]],
    *,
    memory: int = MEMORY,
) -> Nearest:
    """Find the nearest reference of each tree with the help of earlier searches.

    Parameters
    ----------
    trees, references
        As for `nearest_references`.
    known
        For each tree, what is known of it. A search whose nearest reference is no
        longer among the references says nothing, and must be left out.
    memory
        As for `distance_matrix`.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare.

    Notes
    -----
    The result is that of `nearest_references`, equally near references included; only
    references that no earlier search covers are compared.
    """
    reference = np.full(len(trees), -1, np.intp)
    distance = np.ones(len(trees))
    of_unsearched: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, facts in enumerate(known):
        searched = frozenset().union(*(fact.searched for fact in facts))
        of_unsearched[tuple(i for i in range(len(references)) if i not in searched)].append(place)
        if facts:
            distance[place], reference[place] = min(
                (fact.distance, fact.reference) for fact in facts
            )
    for unsearched, places in of_unsearched.items():
        found = nearest_references(
            [trees[i] for i in places], [references[i] for i in unsearched], memory=memory
        )
        for place, nearest, how_far in zip(places, found.reference, found.distance, strict=True):
            if nearest < 0:
                continue
            candidate = (float(how_far), unsearched[nearest])
            if reference[place] < 0 or candidate < (distance[place], reference[place]):
                distance[place], reference[place] = candidate
    return Nearest(reference, distance)
