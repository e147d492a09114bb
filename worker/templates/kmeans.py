"""Template groups of a site by scaling to a plane and k-means, the method of paper 000."""

from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from worker.templates.matrix import (
    Indices,
    Matrix,
    checked_distances,
    comparable_pages,
    merge_near_clusters,
)
from worker.templates.scaling import classical_scaling, majorise_stress
from worker.templates.silhouette import silhouette_coefficients

OUTLIER: Final = -1
"""Label of a page that belongs to no group."""

DIFFERENT_TEMPLATES: Final = 0.47
"""Clusters farther apart on average are different templates, nearer ones the same.

Two templates of one site were at least 0.49 apart on average in 45 generated
crawls, 0.58 in the designs that four real sites had over the years. The parts of
one template joined by 0.45 in every generated crawl of usual noise, and by 0.47
on 84 % of 101 real sites, a few of which have more than one template.
"""

NOT_COMPARABLE: Final = 0.55
"""A page farther than this from a pivot has too little in common with it.

Of 168 stray pages added to 48 sites made of real templates, 28 % stayed in a
foreign group without this limit, 10 % with 0.60, 7 % with 0.55; no page of the
templates left its group. On the four real sites 0.55 makes 3 % of the pages outliers.
"""

MAX_CLUSTERS: Final = 40
"""No larger number of clusters is tried; 1,000 pages take a few seconds."""

RESTARTS: Final = 10
"""Starts of k-means for each number of clusters; the tightest clustering is kept.

Thirty starts gave the same adjusted Rand indices on 45 generated sites.
"""

_DECIMALS: Final = 9
"""Positions that agree to so many decimals are one point: the rest is rounding."""


class MdsKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Group pages by k-means on a plane that shows their distances.

    The distance matrix is projected to two dimensions (classical scaling, then
    stress majorisation), k-means runs for every number of clusters, and the
    clustering with the largest mean silhouette, computed on the distances, is
    kept. Near clusters are merged. The pivot of a group is the page nearest to
    its centroid; a page alone in its cluster is an outlier.

    Parameters
    ----------
    n_components
        Dimensions of the projection.
    max_clusters
        Upper limit of the number of clusters tried, which is also at most half
        the number of pages: the average cluster is at least a pair.
    merge_distance
        Clusters within this mean distance of each other are merged. The
        silhouette compares two clusters or more, so by itself it divides every
        site of a single template; it also divides a template whose pages form
        tight bundles, such as articles with and without comments. 0 merges
        only equal pages, and is the paper's method.
    max_pivot_distance
        A page farther than this from its pivot is an outlier. K-means puts
        every stray page into some group, where it would be paired with a page it
        cannot be compared with. 1 is the paper's method.
    random_state
        Seed of the starts of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        Group of each page, numbered in the order of their first pages; -1 for an outlier.
    pivots_ : ndarray of shape (n_clusters_,), int
        Page nearest to the centroid of each group, the first of equals.
    embedding_ : ndarray of shape (n, n_components)
        Position of each page; NaN for a page that cannot be compared.
    silhouette_ : float
        Mean silhouette of the clusters; 0 where there is a single one.
    n_clusters_ : int
        Number of groups, outliers not counted.
    n_features_in_ : int
        Number of pages seen.

    Notes
    -----
    The paper's projection and k-means are random at each run. Here the
    projection starts from classical scaling, whose axes have a fixed sign, and
    k-means from a fixed seed; linear algebra runs on one thread, so the result
    does not depend on the machine's load. It depends on the order of the rows
    where there are ties: `worker.templates.group_pages` fixes that order.

    Where the paper says nothing:

    - A single page is an outlier.
    - Equal pages are one point, and count as often as they occur.
    - Where no clustering has a positive silhouette (so with two pages), each page
      is a cluster before the merging.
    - An unknown distance is NaN. The pages with the most unknown distances are
      left out, as outliers, until every remaining distance is known.

    References
    ----------
    Paper 000, section 4.3.
    """

    def __init__(
        self,
        *,
        n_components: int = 2,
        max_clusters: int = MAX_CLUSTERS,
        merge_distance: float = DIFFERENT_TEMPLATES,
        max_pivot_distance: float = NOT_COMPARABLE,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.max_clusters = max_clusters
        self.merge_distance = merge_distance
        self.max_pivot_distance = max_pivot_distance
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Group the pages of a distance matrix.

        Parameters
        ----------
        X
            Normalised distances in [0, 1], shape (n, n), symmetric, zero
            diagonal; NaN where a distance is unknown.
        y
            Ignored.

        Raises
        ------
        ValueError
            If the matrix is not square, not symmetric, or not of distances in [0, 1].
        """
        distances = checked_distances(X)
        n = len(distances)
        comparable = comparable_pages(distances)
        known = distances[np.ix_(comparable, comparable)]
        with threadpool_limits(limits=1):
            start = classical_scaling(known, self.n_components)
            positions = majorise_stress(known, start)
            clusters = self._most_distinct_clusters(known, positions)
            clusters = merge_near_clusters(known, clusters, self.merge_distance)
            self.silhouette_ = _mean_silhouette(known, clusters)

        self.n_features_in_ = n
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[comparable] = positions
        self.labels_ = np.full(n, OUTLIER, dtype=np.int64)
        pivots: list[int] = []
        for cluster in _in_order_of_appearance(clusters):
            members = np.flatnonzero(clusters == cluster)
            pivot = members[_most_central(positions[members])]
            members = members[known[pivot, members] <= self.max_pivot_distance]
            if len(members) > 1:
                self.labels_[comparable[members]] = len(pivots)
                pivots.append(int(comparable[pivot]))
        self.pivots_ = np.array(pivots, dtype=np.int64)
        self.n_clusters_ = len(pivots)
        return self

    def _most_distinct_clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        n = len(distances)
        best, best_silhouette = np.arange(n), 0.0
        points = len(np.unique(positions.round(_DECIMALS), axis=0))
        for k in range(2, min(self.max_clusters, points, max(n // 2, 2), n - 1) + 1):
            kmeans = KMeans(n_clusters=k, n_init=RESTARTS, random_state=self.random_state)
            clusters = kmeans.fit_predict(positions).astype(np.int64)
            silhouette = _mean_silhouette(distances, clusters)
            if silhouette > best_silhouette:
                best, best_silhouette = clusters, silhouette
        return best


def _mean_silhouette(distances: Matrix, clusters: Indices) -> float:
    return float(silhouette_coefficients(distances, clusters).mean()) if len(clusters) else 0.0


def _in_order_of_appearance(clusters: Indices) -> Indices:
    values, first = np.unique(clusters, return_index=True)
    return values[np.argsort(first)]


def _most_central(positions: Matrix) -> int:
    offsets = np.linalg.norm(positions - positions.mean(axis=0), axis=1)
    return int(offsets.round(_DECIMALS).argmin())
