"""Native kernel that computes exact tree edit distances between the trees of a forest."""

import numpy as np
import numpy.typing as npt

from detourage.template.distance.forest import Way

UNITS: tuple[str, ...]
"""Vector units that this processor supports, fastest first."""

class Forest:
    """Trees to compare with each other, concatenated, each in postorder.

    `starts` has the position of each tree, followed by the end of the last. `memory` is the size in
    bytes of the cache of subtree results shared by all pairs. No comparison starts after others
    have used `work` units.
    """

    @property
    def work(self) -> int:
        """Upper bound of the units of work used so far."""

    def __new__(
        cls,
        labels: npt.NDArray[np.int32],
        sizes: npt.NDArray[np.int32],
        starts: npt.NDArray[np.int64],
        memory: int,
        work: int,
        /,
    ) -> Forest: ...
    def distances(
        self,
        a: npt.NDArray[np.int32],
        b: npt.NDArray[np.int32],
        out: npt.NDArray[np.int32],
        bound: int,
        way: Way | None,
        /,
    ) -> None:
        """Write the distance of trees a[i] and b[i] to out[i], or bound + 1 if it exceeds bound.

        -1 means that the two trees are too large to compare, and -3 that the work limit was
        reached.
        """

    def mapping(self, a: int, b: int, out: npt.NDArray[np.int32], way: Way | None, /) -> int:
        """Write an optimal mapping: the node of b for each node of a, or -1.

        Return the distance, or -1 if the trees are too large to compare.
        """

    def lower_bounds(
        self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], out: npt.NDArray[np.int32], /
    ) -> None:
        """Write lower bounds of the distances, or -1 for trees too large even for bounds."""
