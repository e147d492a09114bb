"""Distance matrices of many trees."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from detourage.html.tree import Tree
from detourage.template.distance.errors import TreeTooLargeError
from detourage.template.distance.forest import forest_of

MEMORY = 64 * 2**20
"""Default size in bytes of the cache of subtree distances."""


def distance_matrix(
    trees: Sequence[Tree], *, threads: int = 1, memory: int = MEMORY
) -> npt.NDArray[np.int32]:
    """Return the tree edit distances between all pairs of trees, not normalised.

    Equal trees are compared only once, as are subtrees that occur in several trees if `memory`
    (bytes) permits. The threads do not hold the GIL. Raise TreeTooLargeError, with the indices of
    the trees to leave out, if a pair is too large to compare.
    """
    distinct, places = _distinct(trees)
    i, j = np.triu_indices(len(distinct), 1)
    matrix = np.zeros((len(distinct), len(distinct)), np.int32)
    forest = forest_of(distinct, memory=memory)
    try:
        matrix[i, j] = matrix[j, i] = forest.distances(i, j, threads=threads)
    except TreeTooLargeError as error:
        raise TreeTooLargeError(str(error), np.flatnonzero(np.isin(places, error.trees))) from None
    return matrix[np.ix_(places, places)]


def _distinct(trees: Sequence[Tree]) -> tuple[list[Tree], npt.NDArray[np.intp]]:
    number_of: dict[Tree, int] = {}
    places = [number_of.setdefault(tree, len(number_of)) for tree in trees]
    return list(number_of), np.array(places, np.intp)
