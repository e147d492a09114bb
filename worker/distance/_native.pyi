"""The kernel: exact tree edit distances of the trees of a forest."""

import numpy as np
import numpy.typing as npt

UNITS: tuple[str, ...]
"""Ways to calculate that this processor has, the fastest first."""

Way = tuple[str, int, str, bool, bool, bool]
"""One of `UNITS`; 16 or 32 bits (0: the fewest that do); "left" or "right" ("": the
cheaper); whether what the trees share is cut off; whether tables are skipped where the
bounds meet; whether they are filled near the diagonal first."""

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
    """

    def __new__(
        cls,
        labels: npt.NDArray[np.int32],
        sizes: npt.NDArray[np.int32],
        starts: npt.NDArray[np.int64],
        memory: int,
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
        trees are too large to compare as -1.
        """

    def mapping(self, a: int, b: int, out: npt.NDArray[np.int32], way: Way | None, /) -> int:
        """Write an optimal mapping: for each node of tree a that of b, or -1.

        Gives the distance, or -1 where the trees are too large to compare.
        """

    def bounds(self, a: int, b: int, /) -> tuple[int, int]:
        """Give a lower and an upper bound of the distance, -1 for a tree too large."""
