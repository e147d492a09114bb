"""The distances between all the trees of a site."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import numpy.typing as npt

from worker.distance.pairs import tree_edit_distance
from worker.pages.tree import Tree


def distance_matrix(trees: Sequence[Tree], *, threads: int = 1) -> npt.NDArray[np.int32]:
    """Tree edit distance of every pair.

    Parameters
    ----------
    trees
        The trees of a site; equal ones are compared once.
    threads
        Number of threads that compare; the interpreter lock is free meanwhile.

    Returns
    -------
    ndarray of int32, shape (len(trees), len(trees))
        Raw distances, symmetric, zero on the diagonal.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare within the limits of time and memory.
    """
    number_of: dict[Tree, int] = {}
    numbers = np.array([number_of.setdefault(tree, len(number_of)) for tree in trees], np.intp)
    distinct = list(number_of)
    pairs = list(combinations(range(len(distinct)), 2))
    matrix = np.zeros((len(distinct), len(distinct)), np.int32)
    with ThreadPoolExecutor(threads) as pool:
        distances = pool.map(
            lambda pair: tree_edit_distance(distinct[pair[0]], distinct[pair[1]]), pairs
        )
        for (i, j), distance in zip(pairs, distances, strict=True):
            matrix[i, j] = matrix[j, i] = distance
    return matrix[np.ix_(numbers, numbers)]
