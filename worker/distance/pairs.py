"""The distance of one pair of trees."""

from worker.distance import fallback
from worker.distance.encoding import label_codes
from worker.distance.errors import TreeTooLargeError
from worker.pages.tree import Tree

try:
    from worker.distance import _kernel
except ImportError:
    IMPLEMENTATION = "apted"
else:
    IMPLEMENTATION = "native"


def tree_edit_distance(a: Tree, b: Tree, *, bound: int | None = None) -> int:
    """Fewest nodes to delete, insert or relabel to turn one tree into the other.

    Parameters
    ----------
    a, b
        Ordered labelled trees.
    bound
        When given, the answer need only be exact up to it: any distance above
        `bound` may come back as ``bound + 1``.

    Returns
    -------
    int
        The unit-cost tree edit distance, exact, symmetric and a metric.

    Raises
    ------
    TreeTooLargeError
        If the trees are too large to compare within the limits of time and memory.

    Notes
    -----
    K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between
    trees and related problems", SIAM J. Comput. 18(6), 1989.
    """
    if bound is not None and bound < 0:
        raise ValueError(f"a bound is at least 0, not {bound}")
    if a == b:
        return 0
    if IMPLEMENTATION == "native":
        codes_a, codes_b = label_codes([a, b])
        try:
            distance = _kernel.distance(codes_a, a.sizes, codes_b, b.sizes)
        except OverflowError as error:
            raise TreeTooLargeError(str(error)) from error
    else:
        fallback.warn_once()
        distance = fallback.tree_edit_distance(a, b)
    return distance if bound is None else min(distance, bound + 1)
