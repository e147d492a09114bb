"""Nesting of records."""

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int64]


def nesting_of(group: _Integers, starts: _Integers, ends: _Integers) -> tuple[_Integers, _Integers]:
    """Return each range's innermost enclosing range, or -1, and its number of enclosing ranges.

    Ranges are compared only within their group. They must be ordered by group and start, and
    overlapping ones must be nested.
    """
    offset = group * (int(ends.max(initial=0)) + 1)
    ended = np.searchsorted(np.sort(offset + ends), offset + starts, side="right")
    # All previous ranges have started.
    depth = np.arange(len(starts)) - ended
    around = np.full(len(starts), -1, dtype=np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        inner = np.flatnonzero(depth == level)
        outer = np.flatnonzero(depth == level - 1)
        around[inner] = outer[np.searchsorted(outer, inner) - 1]
    return around, depth
