"""Sites of more pages than can be compared two by two.

Of a site of a few hundred trees every pair is compared. Beyond, the work would grow with
the square of the pages, and another policy takes over:

1. A bounded number of trees stands for the site (`reference_trees`): a sample of it, and
   trees that are far from all of the sample, for templates too rare to be drawn.
2. Their whole matrix is computed and clustered as that of any small site.
3. Every other page belongs where its nearest reference does (`nearest_references`), unless
   even that is too far. Which one is nearest is decided by exact distances wherever
   bounds leave it open.

So a page costs as many lower bounds as there are references, and a few exact distances.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.distance.errors import TreeTooLargeError
from worker.distance.forest import forest_of
from worker.distance.matrix import MEMORY
from worker.distance.normalisation import normalised_distance
from worker.pages.tree import Tree

SAMPLE = 150
"""Trees drawn to stand for a site. Of a generated site of 1,046 pages and six templates they
took 9 s of one core to choose, compare and assign to (adjusted Rand index to the truth 0.93)."""

FARAWAY = 50
"""Trees taken beside them, at most: the whole matrix then has some 20,000 pairs, a second or
a few."""

FAR = 0.55
"""Normalised distance from which a page has too little in common with another to be of its
template: the limit of `worker.templates`, which tells how it was measured."""


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


def nearest_references(
    trees: Sequence[Tree], references: Sequence[Tree], *, threads: int = 1, memory: int = MEMORY
) -> Nearest:
    """Find the nearest reference of each tree.

    Parameters
    ----------
    trees
        Pages of a site.
    references
        Trees that stand for the site.
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


def reference_trees(
    trees: Sequence[Tree],
    *,
    sample: int = SAMPLE,
    faraway: int = FARAWAY,
    far: float = FAR,
    threads: int = 1,
    memory: int = MEMORY,
) -> npt.NDArray[np.intp]:
    """Choose the trees that stand for a site.

    Parameters
    ----------
    trees
        The trees of a site, in any order.
    sample
        How many of its distinct trees are drawn.
    faraway
        How many more are taken, at most, of those that are far from all of the sample.
    far
        Normalised distance from which a tree is far.
    threads, memory
        As for `distance_matrix`.

    Returns
    -------
    ndarray of intp
        Places of the references, ascending, of equal trees the first; all distinct
        trees where they are no more than `sample`.

    Raises
    ------
    TreeTooLargeError
        If a pair is too large to compare; its ``trees`` are the places of those to leave
        out.

    Notes
    -----
    The sample is the trees of smallest digest: as good as drawn by chance, but the same
    whatever the order of the pages, and nearly the same when more arrive.
    """
    place_of: dict[str, int] = {}
    for place, tree in enumerate(trees):
        place_of.setdefault(tree.digest, place)
    ranked = [place_of[digest] for digest in sorted(place_of)]
    chosen, others = ranked[:sample], ranked[sample:]
    try:
        nearest = nearest_references(
            [trees[i] for i in others], [trees[i] for i in chosen], threads=threads, memory=memory
        )
    except TreeTooLargeError as error:
        compared = [*others, *chosen]
        digests = {trees[compared[i]].digest for i in error.trees}
        places = [place for place, tree in enumerate(trees) if tree.digest in digests]
        raise TreeTooLargeError(str(error), places) from None
    rare = [i for i, distance in zip(others, nearest.distance, strict=True) if distance >= far]
    return np.array(sorted(chosen + rare[:faraway]), np.intp)
