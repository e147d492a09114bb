"""Comparison of two trees."""

import numpy as np

from worker.grouping.distance.forest import forest_of
from worker.html.tree import Tree


def tree_edit_distance(a: Tree, b: Tree, *, bound: int | None = None) -> int:
    """Return the minimum number of edits that turn one tree into the other.

    An edit is the deletion, insertion or relabelling of a node.

    The exact unit-cost distance is a metric. A distance above the `bound` is returned as
    ``bound + 1``, which saves time. Raises TreeTooLargeError if the trees are too
    large to compare within the limits of time and memory.

    The recurrence is due to K. Zhang and D. Shasha, "Simple fast algorithms for the editing
    distance between trees and related problems", SIAM J. Comput. 18(6), 1989. The choice of side
    follows S. Dulucq and H. Touzet, "Analysis of tree edit distance algorithms", CPM 2003. The band
    along the diagonal follows H. Touzet, "A linear tree edit distance algorithm for similar ordered
    trees", CPM 2005.
    """
    if bound is not None and bound < 0:
        raise ValueError(f"a bound must be at least 0, not {bound}")
    return int(forest_of([a, b]).distances([0], [1], bound=bound)[0])


def edit_mapping(a: Tree, b: Tree) -> list[tuple[int | None, int | None]]:
    """Map the nodes of one tree to the nodes of another with as few changes as possible.

    Each node occurs once, by its postorder number: in ``(i, j)`` if node ``i`` of `a` is kept or
    relabelled as node ``j`` of `b`, in ``(i, None)`` if it is deleted, and then in ``(None, j)``
    for each inserted node ``j``. The numbers of deletions, insertions and pairs with different
    labels add up to `tree_edit_distance`. If there are several such mappings, it is not specified
    which one is returned. Raises TreeTooLargeError if the trees are too large to compare within the
    limits of time and memory.
    """
    mapped = forest_of([a, b]).mapping(0, 1)
    inserted = np.setdiff1d(np.arange(len(b)), mapped)
    kept = [(i, j if j >= 0 else None) for i, j in enumerate(mapped.tolist())]
    return [*kept, *((None, j) for j in inserted.tolist())]
