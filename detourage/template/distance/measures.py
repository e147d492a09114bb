"""Tree edit distances of pairs of trees, their estimates, and their normalisation."""

from typing import overload

import numpy as np
import numpy.typing as npt

from detourage.html.tree import Tree
from detourage.template.distance.forest import Forest, Indices
from detourage.template.matrix import MAX_SIZE_TOLERANT_PIVOT_DISTANCE, tolerant


def tree_edit_distance(a: Tree, b: Tree, *, bound: int | None = None) -> int:
    """Return the minimum number of edits that turn one tree into the other; this is a metric.

    An edit is the deletion, insertion or relabelling of a node. A distance above the `bound` is
    returned as ``bound + 1``, which saves time. Raise TreeTooLargeError if the trees are too large
    to compare.

    Sources: K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees
    and related problems", SIAM J. Comput. 18(6), 1989 (recurrence); S. Dulucq and H. Touzet,
    "Analysis of tree edit distance algorithms", CPM 2003 (choice of paths); H. Touzet, "A linear
    tree edit distance algorithm for similar ordered trees", CPM 2005 (band along the diagonal).
    """
    if bound is not None and bound < 0:
        raise ValueError(f"bound must be at least 0, not {bound}")
    return int(Forest([a, b]).distances([0], [1], bound=bound)[0])


def edit_mapping(a: Tree, b: Tree) -> list[tuple[int | None, int | None]]:
    """Map the nodes of one tree to the nodes of another with as few changes as possible.

    Each node occurs once, by its postorder number: in ``(i, j)`` if kept or relabelled, in ``(i,
    None)`` if deleted, or in ``(None, j)`` if inserted. Of several optimal mappings, any may be
    returned. Raise TreeTooLargeError if the trees are too large to compare.
    """
    mapped = Forest([a, b]).mapping(0, 1)
    inserted = np.setdiff1d(np.arange(len(b)), mapped)
    kept = [(i, j if j >= 0 else None) for i, j in enumerate(mapped.tolist())]
    return [*kept, *((None, j) for j in inserted.tolist())]


def grouping_distances(
    forest: Forest, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1
) -> Indices:
    """Return the distances of the trees a[i] and b[i], or `TOO_LARGE` or `NOT_COMPUTED`.

    A distance is estimated if, by its lower bound, the pages are too far apart for one group. For
    ten edits that the bound counts beyond the difference in size, the estimate counts thirteen.
    """
    a, b = np.asarray(a, np.int32), np.asarray(b, np.int32)
    total = forest.lengths[a] + forest.lengths[b]
    surplus = np.abs(forest.lengths[a] - forest.lengths[b])
    bounds = forest.lower_bounds(a, b)
    edits: Indices = bounds + 3 * (bounds - surplus) // 10
    is_near = tolerant(bounds, total, surplus) <= MAX_SIZE_TOLERANT_PIVOT_DISTANCE
    edits[is_near] = forest.try_distances(a[is_near], b[is_near], threads=threads)
    return edits


@overload
def normalised_distance(distance: int, size_a: int, size_b: int) -> float: ...
@overload
def normalised_distance(
    distance: npt.NDArray[np.integer] | npt.NDArray[np.floating],
    size_a: int | npt.NDArray[np.integer],
    size_b: int | npt.NDArray[np.integer],
) -> npt.NDArray[np.float64]: ...
def normalised_distance(
    distance: int | npt.NDArray[np.integer] | npt.NDArray[np.floating],
    size_a: int | npt.NDArray[np.integer],
    size_b: int | npt.NDArray[np.integer],
) -> float | npt.NDArray[np.float64]:
    """Scale a unit-cost tree edit distance to the range from 0 (equal) to 1 (nothing in common).

    ``2 d / (size_a + size_b + d)`` satisfies the triangle inequality, unlike division by the sum or
    maximum of the sizes. Source: Y. Li and B. Liu, "A Normalized Levenshtein Distance Metric", IEEE
    TPAMI 29(6), 2007, theorem 1; the proof carries over from strings to trees with unit costs.
    """
    ratio = 2 * np.asarray(distance) / (np.asarray(size_a) + np.asarray(size_b) + distance)
    return float(ratio) if ratio.ndim == 0 else ratio
