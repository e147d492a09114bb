"""The pages of a site paired by distance alone, before any clustering (Deturck 2015, 4.3)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def nearest_pairs(distances: npt.NDArray[np.float64], names: Sequence[str]) -> dict[int, int]:
    """Pair the pages that are nearest to each other.

    The two nearest pages make a pair, then the two nearest of those that are left, until one page
    or none is. No distance is too large, which is why the thesis went on to clustering: a page
    apart gets a partner too.

    Parameters
    ----------
    distances
        Distance of every two pages; NaN where they could not be compared, which makes no pair.
    names
        Name of each page; of equally near pairs the first by name counts, whatever the order
        of the pages.

    Returns
    -------
    dict
        Partner of each page that has one, by place.
    """
    ranks = np.argsort(np.argsort(np.array(names), kind="stable"))
    rows, columns = np.triu_indices(len(names), 1)
    firsts = np.minimum(ranks[rows], ranks[columns])
    seconds = np.maximum(ranks[rows], ranks[columns])
    partners: dict[int, int] = {}
    for pair in np.lexsort((seconds, firsts, distances[rows, columns])):
        row, column = int(rows[pair]), int(columns[pair])
        if np.isfinite(distances[row, column]) and not {row, column} & partners.keys():
            partners[row], partners[column] = column, row
    return partners
