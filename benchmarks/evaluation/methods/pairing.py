"""Pair the pages of a site by distance, without clustering (Deturck 2015, section 4.3)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def nearest_pairs(distances: npt.NDArray[np.float64], names: Sequence[str]) -> dict[int, int]:
    """Pair the two nearest pages, then the two nearest of the remaining pages, and so on.

    Without a maximum distance, even outliers get a partner. Pages that could not be compared have
    the distance NaN and are never paired. Ties are broken by `names`, independently of the order of
    the pages. Return the index of each page's partner.
    """
    # The rank of each page is its place in the alphabetical order of names.
    ranks = np.argsort(np.argsort(np.array(names), kind="stable"))
    rows, columns = np.triu_indices(len(names), 1)
    smaller_ranks = np.minimum(ranks[rows], ranks[columns])
    larger_ranks = np.maximum(ranks[rows], ranks[columns])
    partners: dict[int, int] = {}
    for pair in np.lexsort((larger_ranks, smaller_ranks, distances[rows, columns])):
        row, column = int(rows[pair]), int(columns[pair])
        if np.isfinite(distances[row, column]) and not {row, column} & partners.keys():
            partners[row], partners[column] = column, row
    return partners
