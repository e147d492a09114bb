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
    mean_distances,
)
from worker.templates.scaling import classical_scaling, majorise_stress
from worker.templates.silhouette import silhouette_coefficients

OUTLIER: Final = -1
"""Label of a page that belongs to no group."""

SAME_TEMPLATE: Final = 0.3
"""Clusters no farther apart on average are one template, however tight they are.

Articles of one template that differ in length and in a list or two lie so far
apart: on 54 of 101 real sites (five pages or more of each) no two pages are farther.
"""

DIFFERENT_TEMPLATES: Final = 0.55
"""Clusters farther apart on average are different templates, however loose they are.

The mean distance between two templates was at least 0.58 for designs of
different years (24 pairs, four real sites), 0.56 for the templates of generated
sites (144 cases at low to moderate noise, half of them a stray page), 0.64 for
pages of different sites (24 cases). The parts of a single template were nearer
on 45 of 48 generated sites and on all seven real ones that a person had classed.
"""

CLEAR_STRUCTURE: Final = 0.5
"""Between the two limits, clusters are templates if their silhouette is this large.

Below it Kaufman and Rousseeuw ("Finding groups in data", 1990) call a structure
weak and possibly artificial. The best silhouette over the pages of one template
was at most 0.44 (seven sites), over two templates more than 0.52 on 23 pairs of 24.
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
    kept. The pivot of a group is the page nearest to its centroid; a page alone
    in its cluster is an outlier.

    Parameters
    ----------
    n_components
        Dimensions of the projection.
    max_clusters
        Upper limit of the number of clusters tried, which is never above half
        the number of pages: the average cluster is at least a pair.
    same_template, different_templates, clear_structure
        When the pages are one group. The silhouette compares two clusters or
        more, so by itself it always divides a site of one template. The best
        clustering is given up when its two clusters farthest apart are within
        ``same_template`` of each other on average, or within
        ``different_templates`` and the mean silhouette below ``clear_structure``.
        With ``same_template=0, different_templates=0`` only equal pages are not divided.
    max_pivot_distance
        A page farther than this from its pivot is an outlier: the paper's
        k-means forces every stray page into some group, and pairs it with a page
        it cannot be compared with. 1 leaves every page in its group.
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
        Mean silhouette of the clustering; 0 where it is a single cluster.
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

    - A single page is an outlier; two pages are one group within
      ``max_pivot_distance`` of each other, else two outliers.
    - Where no clustering has a positive silhouette, there is a single cluster.
    - Equal pages are one point, and count as often as they occur.
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
        same_template: float = SAME_TEMPLATE,
        different_templates: float = DIFFERENT_TEMPLATES,
        clear_structure: float = CLEAR_STRUCTURE,
        max_pivot_distance: float = DIFFERENT_TEMPLATES,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.max_clusters = max_clusters
        self.same_template = same_template
        self.different_templates = different_templates
        self.clear_structure = clear_structure
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
            clusters, self.silhouette_ = self._best_clustering(known, positions)

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

    def _best_clustering(self, distances: Matrix, positions: Matrix) -> tuple[Indices, float]:
        n = len(distances)
        whole = np.zeros(n, dtype=np.int64)
        if not distances.any():
            return whole, 0.0
        best, best_silhouette = whole, 0.0
        points = len(np.unique(positions.round(_DECIMALS), axis=0))
        for k in range(2, min(self.max_clusters, points, max(n // 2, 2), n - 1) + 1):
            kmeans = KMeans(n_clusters=k, n_init=RESTARTS, random_state=self.random_state)
            clusters = kmeans.fit_predict(positions).astype(np.int64)
            silhouette = float(silhouette_coefficients(distances, clusters).mean())
            if silhouette > best_silhouette:
                best, best_silhouette = clusters, silhouette
        if self._is_one_template(mean_distances(distances, best).max(), best_silhouette):
            return whole, 0.0
        return best, best_silhouette

    def _is_one_template(self, separation: float, silhouette: float) -> bool:
        if separation <= self.same_template:
            return True
        return separation <= self.different_templates and silhouette < self.clear_structure


def _in_order_of_appearance(clusters: Indices) -> Indices:
    values, first = np.unique(clusters, return_index=True)
    return values[np.argsort(first)]


def _most_central(positions: Matrix) -> int:
    offsets = np.linalg.norm(positions - positions.mean(axis=0), axis=1)
    return int(offsets.round(_DECIMALS).argmin())
