"""Distances that discount differences in page size."""

from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.template.matrix import Matrix

EXCUSED_SHARE: Final = 0.5
"""Share of the larger page's surplus nodes that is not counted (measured on generated sites); with
1, small pages fit any template."""


def size_tolerant_distances(distances: Matrix, sizes: npt.ArrayLike) -> Matrix:
    """Discount half of the difference in size in normalised tree edit distances.

    Articles of one template differ in length, and the larger page's ``|a - b|`` surplus nodes say
    nothing about the template. The result is ``2 x / (a + b + x)`` with ``x = d - |a - b| / 2``
    instead of the tree edit distance ``d``. It is in [0, 1], symmetric, 0 only for equal pages, and
    not a metric. Raise ValueError unless there is one positive size per row.
    """
    nodes = checked_sizes(sizes, len(distances))
    total = nodes[:, None] + nodes[None, :]
    surplus = np.abs(nodes[:, None] - nodes[None, :])
    raw = distances * total / (2 - distances)
    return _excused(raw, total, surplus)


def size_tolerant_distance(distance: int, size_a: int, size_b: int) -> float:
    """Return the size-tolerant distance of a pair, given its tree edit distance and sizes."""
    return float(_excused(np.asarray(distance, np.float64), size_a + size_b, abs(size_a - size_b)))


def _excused(raw: Matrix, total: Matrix | int, surplus: Matrix | int) -> Matrix:
    counted = np.maximum(raw - EXCUSED_SHARE * surplus, 0.0)
    tolerant: Matrix = np.clip(2 * counted / (total + counted), 0.0, 1.0)
    return tolerant


def checked_sizes(sizes: npt.ArrayLike, count: int) -> Matrix:
    """Return sizes as float64; raise ValueError unless there are `count` sizes of at least 1."""
    nodes = np.asarray(sizes, dtype=np.float64)
    if nodes.shape != (count,) or np.any(nodes < 1):
        raise ValueError(f"a positive size is required for each of the {count} pages")
    return nodes
