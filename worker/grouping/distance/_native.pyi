"""The kernel: exact tree edit distances of the trees of a forest."""

import numpy as np
import numpy.typing as npt

from worker.grouping.distance.native import Way

UNITS: tuple[str, ...]
"""Ways to calculate that this processor has, the fastest first."""

class Forest:
    """Trees to compare with each other.

    Parameters
    ----------
    labels, sizes
        The trees one after the other, each in postorder.
    starts
        Where each tree begins in them, and the end of the last one.
    memory
        Bytes in which savings are remembered from pair to pair.
    work
        Units of it after which no pair is begun.
    """

    @property
    def work(self) -> int:
        """Units of work that all pairs so far took at most."""

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
        """Write the distances of trees a[i] and b[i] to out[i].

        Where one is greater than the bound it is given as bound + 1, and where two
        trees are too large to compare as -1; where the work is used up as -3.
        """

    def mapping(self, a: int, b: int, out: npt.NDArray[np.int32], way: Way | None, /) -> int:
        """Write an optimal mapping: for each node of tree a that of b, or -1.

        Gives the distance, or -1 where the trees are too large to compare.
        """

    def lower_bounds(
        self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], out: npt.NDArray[np.int32], /
    ) -> None:
        """Write lower bounds of the distances, -1 for trees too large even for that."""

    def upper_bounds(
        self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], out: npt.NDArray[np.int32], /
    ) -> None:
        """Write upper bounds of the distances, -1 for trees too large even for that."""
