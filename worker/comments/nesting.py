"""Which records stand inside which."""

import numpy as np
import numpy.typing as npt

_Integers = npt.NDArray[np.int64]


def nesting_of(group: _Integers, starts: _Integers, ends: _Integers) -> _Integers:
    """Find the nearest stretch around each one, within its group.

    Parameters
    ----------
    group, starts, ends
        Group, start and end of each stretch, ordered by group and start; of two that
        overlap, one holds the other.

    Returns
    -------
    array
        Place of the nearest stretch around each, -1 for none.
    """
    around = np.full(len(starts), -1, dtype=np.int64)
    if not len(starts):
        return around
    offset = group * (int(ends.max()) + 1)
    # In most groups nothing is nested, which is told without a step for each stretch.
    reached = np.maximum.accumulate(offset + ends)
    nested = np.flatnonzero(reached[:-1] > (offset + starts)[1:]) + 1
    for number in np.unique(group[nested]).tolist():
        open_stretches: list[int] = []
        first, last = np.searchsorted(group, [number, number + 1]).tolist()
        for place in range(first, last):
            while open_stretches and ends[open_stretches[-1]] <= starts[place]:
                open_stretches.pop()
            if open_stretches:
                around[place] = open_stretches[-1]
            open_stretches.append(place)
    return around
