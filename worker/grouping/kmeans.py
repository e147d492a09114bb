"""Projection to a plane followed by k-means, the method of Deturck (2015)."""

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

MAX_CLUSTERS: Final = 40
"""Maximum number of clusters tried; 1,000 pages take a few seconds.

It is also limited to half the number of pages, so that a cluster has at least two pages on average.
"""

STARTS: Final = 20
"""Number of k-means starts per number of clusters; the tightest resulting clustering is used.

Ten starts once missed the tightest clustering of five pages, including two stray pages.
"""


class MdsKMeans(TemplateClusterer):
    """Group pages by k-means on a plane that shows their distances (Deturck 2015, section 4.3).

    The distance matrix is projected to two dimensions by classical scaling followed by stress
    majorisation. k-means runs for every number of clusters, and the clustering with the largest
    mean silhouette is used; the silhouette is computed on the distances. The pivot of a group is
    the page nearest to its centroid. The paper's method has no limits: a `merge_distance` of -1 and
    a `max_pivot_distance` of 1.

    In the paper, the projection and k-means differ randomly between runs. Here, the projection
    starts from classical scaling, and k-means from a fixed seed. If no clustering has a positive
    silhouette (as with two pages), each page is a cluster of its own before merging.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        n = len(distances)
        best, best_silhouette = np.arange(n), 0.0
        points = len(np.unique(positions.round(DECIMALS), axis=0))
        most = min(MAX_CLUSTERS, points, max(n // 2, 2), n - 1)
        if most < 2:
            return best
        starts = Starts(positions, number=STARTS, most=most, seed=0)
        for k in range(2, most + 1):
            clusters = starts.cluster(k)
            silhouette = mean_silhouette(distances, clusters)
            if silhouette > best_silhouette:
                best, best_silhouette = clusters, silhouette
        return best

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        return first_smallest(np.linalg.norm(positions - positions.mean(axis=0), axis=1))
