"""The way that this installation compares trees."""

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
    """Trees that can be compared with each other by their places."""

    def distances(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        bound: int | None = None,
        threads: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Distances of the trees a[i] and b[i], or ``bound + 1`` above the bound."""

    def try_distances(self, a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Distances of the trees a[i] and b[i], `TOO_LARGE` or `LEFT`."""

    @property
    def work(self) -> int:
        """Units of work that all so far took at most."""

    def lower_bounds(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1
    ) -> npt.NDArray[np.int32]:
        """Numbers that the distances of the trees a[i] and b[i] are not below."""

    def upper_bounds(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, threads: int = 1
    ) -> npt.NDArray[np.int32]:
        """Numbers that the distances of the trees a[i] and b[i] are not above."""

    def mapping(self, a: int, b: int) -> npt.NDArray[np.int32]:
        """For each node of tree `a` that of `b` that is mapped to it, or -1."""


ANY_WORK = np.iinfo(np.int64).max

TASK_WORK = 5_000_000_000
"""Units of work after which a task begins with no other pair: a second and a quarter at most."""


def forest_of(trees: Sequence[Tree], *, memory: int = 0, work: int = ANY_WORK) -> Forest:
    """Make trees ready to be compared with each other.

    Parameters
    ----------
    trees
        What is compared.
    memory
        Bytes in which the distances of subtrees may be remembered from pair to pair.
    work
        Units of work after which no pair is begun: `Forest.try_distances` then gives `LEFT`. One
        is a quarter of a nanosecond at most; how many a pair takes depends on nothing else.
    """
    if IMPLEMENTATION == "native":
        return NativeForest(trees, memory=memory, work=work)
    warn_once()
    return AptedForest(trees, work=work)
