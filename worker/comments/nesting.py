"""Which records stand inside which."""

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int64]


def nesting_of(group: _Integers, starts: _Integers, ends: _Integers) -> tuple[_Integers, _Integers]:
    """Find the nearest stretch around each one, within its group.

    Parameters
    ----------
    group, starts, ends
        Group, start and end of each stretch, ordered by group and start; of two that
        overlap, one holds the other.

    Returns
    -------
    around : array
        Place of the nearest stretch around each, -1 for none.
    depth : array
        Number of stretches around each.
    """
    offset = group * (int(ends.max(initial=0)) + 1)
    ended = np.searchsorted(np.sort(offset + ends), offset + starts, side="right")
    # All before have begun.
    depth = np.arange(len(starts)) - ended
    around = np.full(len(starts), -1, dtype=np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        inner = np.flatnonzero(depth == level)
        outer = np.flatnonzero(depth == level - 1)
        around[inner] = outer[np.searchsorted(outer, inner) - 1]
    return around, depth
