"""Distance matrices of many trees."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from worker.grouping.distance.errors import TreeTooLargeError
from worker.grouping.distance.forest import forest_of
from worker.html.tree import Tree

MEMORY = 64 * 2**20
"""Default size in bytes of the cache of subtree distances."""


def distance_matrix(
    trees: Sequence[Tree], *, threads: int = 1, memory: int = MEMORY
) -> npt.NDArray[np.int32]:
    """Return the tree edit distances between all pairs of trees.

    Parameters
    ----------
    trees
        The trees of a site; equal trees are compared only once.
    threads
        Number of threads, which run without holding the GIL.
    memory
        Size in bytes of the cache of distances between subtrees that occur in several trees, so
        that each distance is computed only once; 0 disables the cache.

    Returns
    -------
    ndarray of int32, shape (len(trees), len(trees))
        Raw distances, symmetric, zero on the diagonal.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare within the limits of time and memory; the
        exception's ``trees`` are the indices of the trees to leave out.
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


def distances_between(
    rows: Sequence[Tree],
    columns: Sequence[Tree],
    *,
    bound: int | None = None,
    threads: int = 1,
    memory: int = MEMORY,
) -> npt.NDArray[np.int32]:
    """Return the tree edit distances between rows and columns, a block of a matrix.

    Parameters
    ----------
    rows, columns
        The trees; equal trees are compared only once. With a single row, one tree is compared with
        many.
    bound
        Maximum distance of interest; larger distances are returned as ``bound + 1``.
    threads, memory
        As for `distance_matrix`.

    Returns
    -------
    ndarray of int32, shape (len(rows), len(columns))
        Raw distances.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare within the limits of time and memory; the
        exception's ``trees`` are the indices of the trees to leave out, rows first.
    """
    distinct, places = _distinct([*rows, *columns])
    pairs = np.stack(np.meshgrid(places[: len(rows)], places[len(rows) :], indexing="ij"), axis=-1)
    different, back = np.unique(np.sort(pairs, axis=-1).reshape(-1, 2), axis=0, return_inverse=True)
    forest = forest_of(distinct, memory=memory)
    try:
        distances = forest.distances(different[:, 0], different[:, 1], bound=bound, threads=threads)
    except TreeTooLargeError as error:
        raise TreeTooLargeError(str(error), np.flatnonzero(np.isin(places, error.trees))) from None
    return distances[back.reshape(-1)].reshape(len(rows), len(columns))


def _distinct(trees: Sequence[Tree]) -> tuple[list[Tree], npt.NDArray[np.intp]]:
    number_of: dict[Tree, int] = {}
    places = [number_of.setdefault(tree, len(number_of)) for tree in trees]
    return list(number_of), np.array(places, np.intp)
