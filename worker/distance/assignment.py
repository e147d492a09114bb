"""The nearest reference of each tree when the references have changed by a few."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.distance.matrix import MEMORY
from worker.distance.references import Nearest, nearest_references
from worker.pages.tree import Tree


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
    trees
        Pages of a site.
    references
        Trees that stand for the site.
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
