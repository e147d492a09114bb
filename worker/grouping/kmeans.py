"""Projection to a plane and k-means, the method of Deturck (2015)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.grouping.clusterer import (
    DECIMALS,
    TemplateClusterer,
    first_smallest,
    mean_silhouette,
)
from worker.grouping.lloyd import Starts
from worker.grouping.matrix import Indices, Matrix
from worker.grouping.scaling import classical_scaling, majorise_stress

MAX_CLUSTERS: Final = 40
"""Maximum number of clusters to try; 1,000 pages take a few seconds."""

STARTS: Final = 20
"""Number of k-means starts for each number of clusters; the tightest clustering is kept.

Ten starts once missed the tightest clustering of five pages, two of them strays.
"""


@dataclass(kw_only=True, eq=False)
class MdsKMeans(TemplateClusterer):
    """Group pages by k-means on a plane that shows their distances.

    The distance matrix is projected to two dimensions (classical scaling, then
    stress majorisation), k-means runs for every number of clusters, and the
    clustering with the largest mean silhouette, computed on the distances, is
    kept. The pivot of a group is the page nearest to its centroid.

    Parameters
    ----------
    n_components
        Dimensions of the projection.
    max_clusters
        Maximum number of clusters to try. It is also bounded by half the number of
        pages, so that the average cluster is at least a pair.
    merge_distance, max_pivot_distance
        See `TemplateClusterer`. -1 and 1 give the paper's method, which has neither limit.
    random_state
        Seed of the starts of k-means.

    Notes
    -----
    In the paper, projection and k-means are random in each run; here the
    projection starts from classical scaling and k-means from a fixed seed.
    If no clustering has a positive silhouette (as with two pages), each page
    is a cluster before the merging.

    References
    ----------
    Deturck (2015), section 4.3.
    """

    n_components: int = 2
    max_clusters: int = MAX_CLUSTERS
    random_state: int = 0

    def _positions(self, distances: Matrix) -> Matrix:
        return majorise_stress(distances, classical_scaling(distances, self.n_components))

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        n = len(distances)
        best, best_silhouette = np.arange(n), 0.0
        points = len(np.unique(positions.round(DECIMALS), axis=0))
        most = min(self.max_clusters, points, max(n // 2, 2), n - 1)
        if most < 2:
            return best
        starts = Starts(positions, number=STARTS, most=most, seed=self.random_state)
        for k in range(2, most + 1):
            clusters = starts.cluster(k)
            silhouette = mean_silhouette(distances, clusters)
            if silhouette > best_silhouette:
                best, best_silhouette = clusters, silhouette
        return best

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        return first_smallest(np.linalg.norm(positions - positions.mean(axis=0), axis=1))
