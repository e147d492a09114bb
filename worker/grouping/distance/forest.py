"""Choice of the implementation that compares trees: native kernel or fallback."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from worker.grouping.distance.fallback import AptedForest, warn_once
from worker.html.tree import Tree

try:
    from worker.grouping.distance.native import NativeForest
except ImportError:
    IMPLEMENTATION = "apted"
else:
    IMPLEMENTATION = "native"


class Forest(Protocol):
    """Trees that can be compared with each other, identified by index."""

    def distances(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        bound: int | None = None,
        threads: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Return the distances of the trees a[i] and b[i], or ``bound + 1`` above the bound."""

    def try_distances(self, a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the distances of the trees a[i] and b[i], or `TOO_LARGE` or `LEFT`."""

    @property
    def work(self) -> int:
        """Upper bound of the units of work used so far."""

    def lower_bounds(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1
    ) -> npt.NDArray[np.int32]:
        """Return lower bounds of the distances of the trees a[i] and b[i]."""

    def upper_bounds(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1
    ) -> npt.NDArray[np.int32]:
        """Return upper bounds of the distances of the trees a[i] and b[i]."""

    def mapping(self, a: int, b: int) -> npt.NDArray[np.int32]:
        """Return the node of tree `b` mapped to each node of tree `a`, or -1."""


ANY_WORK = np.iinfo(np.int64).max

TASK_WORK = 5_000_000_000
"""Units of work after which a task starts no further comparison (at most 1.25 s)."""


def forest_of(trees: Sequence[Tree], *, memory: int = 0, work: int = ANY_WORK) -> Forest:
    """Prepare trees so that they can be compared with each other.

    Parameters
    ----------
    trees
        The trees to compare.
    memory
        Size in bytes of the cache of subtree distances shared by all pairs.
    work
        Units of work after which no comparison is started; `Forest.try_distances` then returns
        `LEFT`. A unit takes at most 0.25 ns; how many units a pair takes depends only on the pair.
    """
    if IMPLEMENTATION == "native":
        return NativeForest(trees, memory=memory, work=work)
    warn_once()
    return AptedForest(trees, work=work)
