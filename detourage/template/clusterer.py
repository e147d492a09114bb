"""Grouping of pages by template: projection to a plane, followed by k-means (Deturck 2015)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from detourage.template.k_means import Starts
from detourage.template.matrix import (
    MAX_SIZE_TOLERANT_PIVOT_DISTANCE,
    Indices,
    Matrix,
    checked_distances,
    comparable_pages,
    merge_near_clusters,
    size_tolerant_distances,
)
from detourage.template.scaling import classical_scaling, majorise_stress

OUTLIER: Final = -1  # label of a page that belongs to no group
DECIMALS: Final = 9  # decimals to which numbers are compared, to ignore rounding errors

MAX_TOLERANT_MERGE_DISTANCE: Final = 0.39
"""Maximum mean size-tolerant distance between two clusters that are merged."""

MAX_MERGE_DISTANCE: Final = 0.43
"""Maximum mean plain distance of merged clusters, if sizes are unknown; 0.47 merges templates."""

MAX_PIVOT_DISTANCE: Final = 0.55
"""Maximum plain distance of a member from its group's pivot, used if page sizes are unknown."""

DEFAULT_METHOD: Final = "mds_kmeans"  # name of the method of `MdsKMeans`, stored with its results

MAX_CLUSTERS: Final = 40  # maximum number of clusters tried; also at most half as many as pages

STARTS: Final = 20
"""Number of k-means runs per number of clusters; the result with the least inertia is used."""


@dataclass(kw_only=True, eq=False)
class TemplateClusterer(ABC):
    """Group the pages of a site by a matrix of their distances.

    Subclasses form clusters. Clusters within a mean distance of `merge_distance` are merged; a
    negative value merges none. Each group gets a pivot, with which its other pages are compared.
    Pages farther than `max_pivot_distance` from their pivot, or alone in their cluster, are
    outliers. The defaults of the two limits depend on whether the sizes of the pages are given.

    Unknown distances are NaN; the pages with the most unknown distances become outliers until
    every remaining distance is known. The result depends only on the matrix and the order of its
    rows, which `group_pages` makes independent of the order of the pages.
    """

    merge_distance: float | None = None
    max_pivot_distance: float | None = None

    def fit(
        self,
        X: npt.ArrayLike,  # noqa: N803
        *,
        sizes: npt.ArrayLike | None = None,
    ) -> Self:
        """Group the pages of a matrix of normalised distances; NaN where a distance is unknown.

        With `sizes` (numbers of nodes), the distances are replaced by `size_tolerant_distances`.
        The results are `labels_` (groups numbered by their first pages, -1 for an outlier),
        `pivots_`, `embedding_` (positions on a plane, NaN for a page that cannot be compared) and
        `silhouette_` (the mean of the grouped pages, 0 for fewer than two groups).

        Raise ValueError if the matrix or the sizes are invalid.
        """
        distances = checked_distances(X)
        if sizes is not None:
            distances = size_tolerant_distances(distances, sizes)
        n = len(distances)
        comparable = comparable_pages(distances)
        known = distances[np.ix_(comparable, comparable)]
        max_merge, max_pivot = self.merge_distance, self.max_pivot_distance
        if max_merge is None:
            max_merge = MAX_MERGE_DISTANCE if sizes is None else MAX_TOLERANT_MERGE_DISTANCE
        if max_pivot is None:
            max_pivot = MAX_PIVOT_DISTANCE if sizes is None else MAX_SIZE_TOLERANT_PIVOT_DISTANCE
        with _libraries().limit(limits=1):
            positions = majorise_stress(known, classical_scaling(known))
            clusters = self._clusters(known, positions)
            is_outlier = clusters == OUTLIER  # each outlier becomes a separate cluster
            clusters = np.where(is_outlier, len(clusters) + np.arange(len(clusters)), clusters)
            clusters = merge_near_clusters(known, clusters, max_merge)

        labels = np.full(len(known), OUTLIER, dtype=np.int64)
        pivots: list[int] = []
        numbers, first_pages = np.unique(clusters, return_index=True)
        for cluster in numbers[np.argsort(first_pages)]:
            members = np.flatnonzero(clusters == cluster)
            pivot = members[self._pivot(known[np.ix_(members, members)], positions[members])]
            members = members[known[pivot, members] <= max_pivot]
            if len(members) > 1:
                labels[members] = len(pivots)
                pivots.append(int(comparable[pivot]))

        self.labels_ = np.full(n, OUTLIER, dtype=np.int64)
        self.labels_[comparable] = labels
        self.pivots_ = np.array(pivots, dtype=np.int64)
        self.embedding_ = np.full((n, positions.shape[1]), np.nan)
        self.embedding_[comparable] = positions
        grouped = labels != OUTLIER
        self.silhouette_ = mean_silhouette(known[np.ix_(grouped, grouped)], labels[grouped])
        return self

    @abstractmethod
    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        """Return the cluster of each page, numbered from 0, or `OUTLIER` if it has no cluster."""

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        """Return the index of the pivot among the pages of a group, by default their medoid."""
        return first_smallest(distances.sum(axis=1))


@cache
def _libraries() -> Any:
    """Return the control of libraries' threads; cached, because finding the libraries is slow."""
    return ThreadpoolController()


class MdsKMeans(TemplateClusterer):
    """Group the pages of a site by k-means on a plane that shows their distances.

    Source: Deturck (2015, section 4.3). The distances are projected by classical scaling and stress
    majorisation. Of all numbers of clusters, the one with the largest mean silhouette (of the
    distances) is used; if none is positive, each page is its own cluster before merging. The pivot
    is the page nearest to its group's centroid.

    Unlike the method of the paper, this one is deterministic and has limits; a `merge_distance` of
    -1 and a `max_pivot_distance` of 1 correspond to the paper.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        n = len(distances)
        distinct = len(np.unique(positions.round(DECIMALS), axis=0))
        most = min(MAX_CLUSTERS, distinct, max(n // 2, 2), n - 1)
        if most < 2:
            return np.arange(n)
        starts = Starts(positions, number=STARTS, most=most, seed=0)
        return best_separated(distances, map(starts.cluster, range(2, most + 1)))

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        return first_smallest(np.linalg.norm(positions - positions.mean(axis=0), axis=1))


def mean_silhouette(distances: Matrix, labels: Indices) -> float:
    """Return the mean silhouette: how much nearer items are to their cluster than to the others.

    The silhouette of an item compares the mean distance ``a`` to the others of its cluster with the
    smallest distance ``b`` to an item of another cluster: it is ``1 - a / b`` if ``a < b``, ``b / a
    - 1`` if ``a > b``, and otherwise 0. It is also 0 for an item alone in its cluster, and if there
    are fewer than two clusters.

    Rousseeuw ("Silhouettes", Journal of Computational and Applied Mathematics 20, 1987) uses the
    smallest *mean* distance to another cluster as ``b``; the minimum is the wording of Deturck
    (2015, section 4.3), "the smallest dissimilarity of an element with respect to the elements in
    the other clusters".
    """
    if len(np.unique(labels)) < 2:
        return 0.0
    silhouettes = np.zeros(len(labels))
    same_cluster = labels[:, None] == labels
    companions = same_cluster.sum(axis=1) - 1
    a = np.where(same_cluster, distances, 0.0).sum(axis=1) / np.maximum(companions, 1)
    b = np.where(same_cluster, np.inf, distances).min(axis=1)

    is_closer = (companions > 0) & (a < b)
    is_farther = (companions > 0) & (a > b)
    silhouettes[is_closer] = 1 - a[is_closer] / b[is_closer]
    silhouettes[is_farther] = b[is_farther] / a[is_farther] - 1
    return float(silhouettes.mean())


def best_separated(distances: Matrix, candidates: Iterable[Indices]) -> Indices:
    """Return the candidate clustering with the largest mean silhouette, the first one in a tie.

    If no mean is positive, each page is its own cluster.
    """
    best, best_silhouette = np.arange(len(distances)), 0.0
    for clusters in candidates:
        silhouette = mean_silhouette(distances, clusters)
        if silhouette > best_silhouette:
            best, best_silhouette = clusters, silhouette
    return best


def first_smallest(values: Matrix) -> int:
    """Return the index of the smallest value, or of the first one in a tie."""
    return int(values.round(DECIMALS).argmin())
