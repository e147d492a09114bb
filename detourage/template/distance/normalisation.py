"""Normalisation of distances between trees of different sizes."""

from typing import overload

import numpy as np
import numpy.typing as npt


@overload
def normalised_distance(distance: int, size_a: int, size_b: int) -> float: ...
@overload
def normalised_distance(
    distance: npt.NDArray[np.integer] | npt.NDArray[np.floating],
    size_a: int | npt.NDArray[np.integer],
    size_b: int | npt.NDArray[np.integer],
) -> npt.NDArray[np.float64]: ...
def normalised_distance(
    distance: int | npt.NDArray[np.integer] | npt.NDArray[np.floating],
    size_a: int | npt.NDArray[np.integer],
    size_b: int | npt.NDArray[np.integer],
) -> float | npt.NDArray[np.float64]:
    """Scale a unit-cost tree edit distance to the range from 0 (equal) to 1 (nothing in common).

    ``2 d / (size_a + size_b + d)`` satisfies the triangle inequality, unlike division by the sum or
    maximum of the sizes. Source: Y. Li and B. Liu, "A Normalized Levenshtein Distance Metric", IEEE
    TPAMI 29(6), 2007, theorem 1; the proof carries over from strings to trees with unit costs.
    """
    ratio = 2 * np.asarray(distance) / (np.asarray(size_a) + np.asarray(size_b) + distance)
    return float(ratio) if ratio.ndim == 0 else ratio
