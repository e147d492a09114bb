"""Spectral clustering of pages by similarity."""

from typing import Final

import numpy as np

from worker.grouping.clusterer import (
    TemplateClusterer,
    mean_silhouette,
)
from worker.grouping.kmeans import MAX_CLUSTERS
from worker.grouping.matrix import Indices, Matrix

BANDWIDTH: Final = 0.2
"""Standard deviation of the Gaussian that converts distance to similarity (measured on generated
and real sites)."""


class Spectral(TemplateClusterer):
    """Group pages by spectral clustering; the silhouette determines the number of clusters.

    Source: Von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007);
    tried in Deturck (2015), section 4.3.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        from sklearn.cluster import SpectralClustering

        n = len(distances)
        best, best_silhouette = np.arange(n), 0.0
        similarity = np.exp(-((distances / BANDWIDTH) ** 2) / 2)
        for k in range(2, min(MAX_CLUSTERS, max(n // 2, 2), n - 1) + 1):
            spectral = SpectralClustering(
                n_clusters=k,
                affinity="precomputed",
                assign_labels="cluster_qr",
                random_state=0,
            )
            clusters = spectral.fit_predict(similarity).astype(np.int64)
            silhouette = mean_silhouette(distances, clusters)
            if silhouette > best_silhouette:
                best, best_silhouette = clusters, silhouette
        return best
