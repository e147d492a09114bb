"""Template groups of a site by scaling to a plane and k-means, the method of paper 000."""

from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from worker.templates.scaling import Matrix, classical_scaling, majorise_stress
from worker.templates.silhouette import silhouette_coefficients

OUTLIER: Final = -1
"""Label of a page that belongs to no group."""

SAME_TEMPLATE: Final = 0.3
"""Pages of one template are, as a rule, no farther apart than this."""

RESTARTS: Final = 10
"""Starts of k-means for each number of clusters; the best inertia is kept."""

_DECIMALS: Final = 9
"""Positions equal to so many decimals are one point: the rest is rounding."""


class MdsKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Group pages by k-means on a plane that shows their distances.

    The distance matrix is projected to two dimensions (classical scaling, then
    stress majorisation), k-means runs for every number of clusters, and the
    clustering with the largest mean silhouette is kept. A page alone in its
    cluster is an outlier. The paper's method is random at each run; here the
    projection has a fixed start and k-means a fixed seed.

    Parameters
    ----------
    same_template
        Pages that are all within this distance of each other are one group:
        the silhouette compares clusterings of two clusters or more, and would
        always split a site of one template.
    max_clusters
        Upper limit of the number of clusters; by default half the number of
        comparable pages, so that the average cluster is at least a pair.
    random_state
        Seed of the starts of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        Group of each page, -1 for an outlier.
    pivots_ : ndarray of shape (n_clusters_,), int
        Page nearest to the centroid of each group, the first of equals.
    embedding_ : ndarray of shape (n, 2)
        Position of each page; NaN for a page that cannot be compared.
    silhouette_ : float
        Mean silhouette over the comparable pages; 0 where there is one group or none.
    n_clusters_ : int
        Number of groups, outliers not counted.
    n_features_in_ : int
        Number of pages seen.

    Notes
    -----
    Where the paper says nothing: fewer than two comparable pages make no
    group; an unknown distance is NaN, and the pages with the most unknown
    distances are left out, as outliers, until every distance is known.

    The result depends on the order of the rows where there are ties: use
    `worker.templates.group_pages` for one that does not.

    References
    ----------
    Paper 000, section 4.3.
    """

    def __init__(
        self,
        same_template: float = SAME_TEMPLATE,
        max_clusters: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.same_template = same_template
        self.max_clusters = max_clusters
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
            positions = majorise_stress(known, classical_scaling(known))
            clusters, silhouette = self._clusters(known, positions)

        self.n_features_in_ = n
        self.embedding_ = np.full((n, 2), np.nan)
        self.embedding_[comparable] = positions
        self.silhouette_ = silhouette
        self.labels_ = np.full(n, OUTLIER, dtype=np.int64)
        pivots: list[int] = []
        for cluster in np.unique(clusters):
            members = np.flatnonzero(clusters == cluster)
            if len(members) < 2:
                continue
            self.labels_[comparable[members]] = len(pivots)
            pivots.append(int(comparable[members[_most_central(positions[members])]]))
        self.pivots_ = np.array(pivots, dtype=np.int64)
        self.n_clusters_ = len(pivots)
        return self

    def _clusters(
        self, distances: Matrix, positions: Matrix
    ) -> tuple[npt.NDArray[np.int64], float]:
        n = len(distances)
        if n == 0 or distances.max() <= self.same_template:
            return np.zeros(n, dtype=np.int64), 0.0
        best, best_silhouette = np.arange(n), 0.0
        plane = squareform(pdist(positions))
        points = len(np.unique(positions.round(_DECIMALS), axis=0))
        limit = max(n // 2, 2) if self.max_clusters is None else self.max_clusters
        for k in range(2, min(limit, points, n - 1) + 1):
            kmeans = KMeans(n_clusters=k, n_init=RESTARTS, random_state=self.random_state)
            clusters = kmeans.fit_predict(positions)
            silhouette = float(silhouette_coefficients(plane, clusters).mean())
            if silhouette > best_silhouette:
                best, best_silhouette = clusters.astype(np.int64), silhouette
        return best, best_silhouette


def checked_distances(matrix: npt.ArrayLike) -> Matrix:
    """Return the matrix as float64, or say what is wrong with it.

    Raises
    ------
    ValueError
        If the matrix is not square, not symmetric, has a value outside [0, 1]
        (NaN, an unknown distance, is allowed) or a diagonal that is not zero.
    """
    distances = np.asarray(matrix, dtype=np.float64)
    if distances.size == 0:
        return np.zeros((0, 0))
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"a distance matrix is square, this is of shape {distances.shape}")
    diagonal = np.diagonal(distances)
    if np.any(diagonal[~np.isnan(diagonal)]):
        raise ValueError("the distance of a page to itself is 0")
    if np.any((distances < 0) | (distances > 1)):
        raise ValueError("normalised distances lie between 0 and 1")
    if not np.array_equal(distances, distances.T, equal_nan=True):
        raise ValueError("a distance matrix is symmetric")
    return distances


def comparable_pages(distances: Matrix) -> npt.NDArray[np.int64]:
    """Select the pages whose distances to each other are all known.

    The page with the most unknown distances is left out first (the last of
    equals), until no unknown distance remains.
    """
    unknown = np.isnan(distances)
    kept = np.arange(len(distances))
    while unknown.any():
        counts = unknown.sum(axis=1)
        worst = len(counts) - 1 - int(counts[::-1].argmax())
        kept = np.delete(kept, worst)
        unknown = np.delete(np.delete(unknown, worst, axis=0), worst, axis=1)
    return kept


def _most_central(positions: Matrix) -> int:
    offsets = cdist(positions, positions.mean(axis=0, keepdims=True)).ravel()
    return int(offsets.round(_DECIMALS).argmin())
