"""Distances between pages and between clusters of pages, and their correction for size."""

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Matrix: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]

DISCOUNTED_SHARE: Final = 0.5
"""Share of a larger page's surplus nodes that is ignored; with 1, small pages fit any template."""

MAX_SIZE_TOLERANT_PIVOT_DISTANCE: Final = 0.47
"""Maximum size-tolerant distance of a member from its group's pivot, chosen on real sites."""


def checked_distances(matrix: npt.ArrayLike) -> Matrix:
    """Return a distance matrix as float64; NaN (an unknown distance) is allowed.

    Raise ValueError if it is not square, is not symmetric, has values outside [0, 1], or has
    values other than 0 on the diagonal.
    """
    distances = np.asarray(matrix, dtype=np.float64)
    if distances.size == 0:
        return np.zeros((0, 0))
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"a distance matrix must be square, not of shape {distances.shape}")
    if np.any(np.nan_to_num(np.diagonal(distances)) != 0):
        raise ValueError("the distance of a page to itself must be 0")
    if np.any((distances < 0) | (distances > 1)):
        raise ValueError("normalised distances must be between 0 and 1")
    if not np.array_equal(distances, distances.T, equal_nan=True):
        raise ValueError("a distance matrix must be symmetric")
    return distances


def comparable_pages(distances: Matrix) -> Indices:
    """Return the pages that remain after pages with the most unknown distances are removed."""
    unknown = np.isnan(distances)
    kept = np.arange(len(distances))
    while unknown.any():
        counts = unknown.sum(axis=1)
        worst = len(counts) - 1 - int(counts[::-1].argmax())  # the last one in a tie
        kept = np.delete(kept, worst)
        unknown = np.delete(np.delete(unknown, worst, axis=0), worst, axis=1)
    return kept


def merge_near_clusters(distances: Matrix, clusters: Indices, limit: float) -> Indices:
    """Merge the two nearest clusters repeatedly until all are farther apart than `limit`.

    The distance of clusters is the mean over their pairs of pages (average linkage). `clusters` has
    the cluster of each page, in any numbering; the clusters of the result are numbered from 0.
    """
    values, page_clusters = np.unique(clusters, return_inverse=True)
    membership = (page_clusters[:, None] == np.arange(len(values))).astype(np.float64)
    sizes = membership.sum(axis=0)
    means: Matrix = membership.T @ distances @ membership / np.outer(sizes, sizes)
    np.fill_diagonal(means, np.inf)
    merged_into = np.arange(len(values))
    for _ in range(len(values) - 1):
        one, other = np.unravel_index(means.argmin(), means.shape)
        if means[one, other] > limit:
            break
        mean = (sizes[one] * means[one] + sizes[other] * means[other]) / (sizes[one] + sizes[other])
        mean[one] = np.inf
        means[one] = means[:, one] = mean
        means[other] = means[:, other] = np.inf
        sizes[one] += sizes[other]
        merged_into[merged_into == other] = one
    return np.unique(merged_into[page_clusters], return_inverse=True)[1]


def size_tolerant_distances(distances: Matrix, sizes: npt.ArrayLike) -> Matrix:
    """Discount half of the difference in size in normalised tree edit distances.

    Articles of one template differ in length, and the ``|a - b|`` surplus nodes of the larger page
    say nothing about the template. Therefore, ``x = d - |a - b| / 2`` replaces the tree edit
    distance ``d`` in the normalised distance, ``2 x / (a + b + x)``. The result is in [0, 1],
    symmetric, and 0 only for equal pages, but is not a metric. Raise ValueError unless there is one
    positive size per row.
    """
    nodes = checked_sizes(sizes, len(distances))
    total = nodes[:, None] + nodes[None, :]
    surplus = np.abs(nodes[:, None] - nodes[None, :])
    return tolerant(distances * total / (2 - distances), total, surplus)


def size_tolerant_distance(distance: int, size_a: int, size_b: int) -> float:
    """Return the size-tolerant distance of a pair, given its tree edit distance and sizes."""
    return float(tolerant(np.asarray(distance, np.float64), size_a + size_b, abs(size_a - size_b)))


def tolerant(
    edits: npt.NDArray[Any], total: npt.NDArray[Any] | int, surplus: npt.NDArray[Any] | int
) -> Matrix:
    """Return size-tolerant distances, given the edits, sums and differences of the trees' sizes."""
    counted = np.maximum(edits - DISCOUNTED_SHARE * surplus, 0.0)
    tolerant: Matrix = np.clip(2 * counted / (total + counted), 0.0, 1.0)
    return tolerant


def checked_sizes(sizes: npt.ArrayLike, count: int) -> Matrix:
    """Return sizes as float64; raise ValueError unless there are `count` sizes of at least 1."""
    nodes = np.asarray(sizes, dtype=np.float64)
    if nodes.shape != (count,) or np.any(nodes < 1):
        raise ValueError(f"a positive size is required for each of the {count} pages")
    return nodes
