"""Projection to a plane followed by k-means, the method of Deturck (2015)."""

from typing import Final

import numpy as np

from detourage.template.clusterer import (
    DECIMALS,
    TemplateClusterer,
    best_separated,
    first_smallest,
)
from detourage.template.lloyd import Starts
from detourage.template.matrix import Indices, Matrix

MAX_CLUSTERS: Final = 40
"""Maximum number of clusters tried; also limited to half the number of pages."""

STARTS: Final = 20
"""Number of k-means starts per number of clusters; the tightest resulting clustering is used."""


class MdsKMeans(TemplateClusterer):
    """Group pages by k-means on a plane that shows their distances (Deturck 2015, section 4.3).

    The distances are projected by classical scaling and stress majorisation. Of all numbers of
    clusters, the one with the largest mean silhouette (of the distances) is used; if none is
    positive, each page is its own cluster before merging. The pivot is the page nearest to the
    group's centroid.

    Unlike the method of the paper, this one is deterministic. It also has limits; a
    `merge_distance` of -1 and a `max_pivot_distance` of 1 correspond to the paper.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        n = len(distances)
        points = len(np.unique(positions.round(DECIMALS), axis=0))
        most = min(MAX_CLUSTERS, points, max(n // 2, 2), n - 1)
        if most < 2:
            return np.arange(n)
        starts = Starts(positions, number=STARTS, most=most, seed=0)
        return best_separated(distances, map(starts.cluster, range(2, most + 1)))

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        return first_smallest(np.linalg.norm(positions - positions.mean(axis=0), axis=1))
