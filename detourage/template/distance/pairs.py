"""Comparison of two trees."""

import numpy as np

from detourage.html.tree import Tree
from detourage.template.distance.forest import forest_of


def tree_edit_distance(a: Tree, b: Tree, *, bound: int | None = None) -> int:
    """Return the minimum number of edits that turn one tree into the other, a metric.

    An edit is the deletion, insertion or relabelling of a node. A distance above the `bound` is
    returned as ``bound + 1``, which saves time. Raise TreeTooLargeError if the trees are too large
    to compare.

    Sources: K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees
    and related problems", SIAM J. Comput. 18(6), 1989 (recurrence); S. Dulucq and H. Touzet,
    "Analysis of tree edit distance algorithms", CPM 2003 (choice of side); H. Touzet, "A linear
    tree edit distance algorithm for similar ordered trees", CPM 2005 (band along the diagonal).
    """
    if bound is not None and bound < 0:
        raise ValueError(f"a bound must be at least 0, not {bound}")
    return int(forest_of([a, b]).distances([0], [1], bound=bound)[0])


def edit_mapping(a: Tree, b: Tree) -> list[tuple[int | None, int | None]]:
    """Map the nodes of one tree to the nodes of another with as few changes as possible.

    Each node occurs once, by its postorder number: in ``(i, j)`` if kept or relabelled, in ``(i,
    None)`` if deleted, or in ``(None, j)`` if inserted. Of several optimal mappings, any may be
    returned. Raise TreeTooLargeError if the trees are too large to compare.
    """
    mapped = forest_of([a, b]).mapping(0, 1)
    inserted = np.setdiff1d(np.arange(len(b)), mapped)
    kept = [(i, j if j >= 0 else None) for i, j in enumerate(mapped.tolist())]
    return [*kept, *((None, j) for j in inserted.tolist())]
