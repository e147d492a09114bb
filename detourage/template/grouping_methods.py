"""Grouping methods by name: the default, and the alternatives that benchmarks compare it with."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from detourage.template.clusterer import (
    DEFAULT_METHOD,
    MAX_CLUSTERS,
    MdsKMeans,
    TemplateClusterer,
    best_separated,
)
from detourage.template.matrix import Indices, Matrix

MAX_DISTANCE: Final = 0.3
"""Maximum distance of neighbours for `Dbscan` (measured on generated sites with high noise)."""

MIN_GROUP_PAGES: Final = 2  # minimum pages of a group, because extraction compares two pages

BANDWIDTH: Final = 0.2
"""Standard deviation of the Gaussian that turns distances into similarities (measured)."""


class AverageLinkage(TemplateClusterer):
    """Group pages by average linkage, which merges the nearest clusters repeatedly.

    The base class merges them, with the same maximum distance for all sites. Source: Sokal and
    Michener, "A statistical method for evaluating systematic relationships" (1958); rejected by
    Deturck (2015), section 4.3, for its number of parameters.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        return np.arange(len(distances))


class Dbscan(TemplateClusterer):
    """Group pages that are connected by a chain of neighbours.

    Source: Ester, Kriegel, Sander and Xu, "A density-based algorithm for discovering clusters", KDD
    (1996); tried in Deturck (2015), section 4.3.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) < MIN_GROUP_PAGES:
            return np.zeros(len(distances), dtype=np.int64)
        from sklearn.cluster import DBSCAN

        dbscan = DBSCAN(eps=MAX_DISTANCE, min_samples=MIN_GROUP_PAGES, metric="precomputed")
        return np.asarray(dbscan.fit_predict(distances), dtype=np.int64)


class Hdbscan(TemplateClusterer):
    """Group pages by the clusters that persist over the widest range of densities.

    Source: Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density
    estimates", PAKDD (2013).
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) <= MIN_GROUP_PAGES:
            return np.arange(len(distances))
        from sklearn.cluster import HDBSCAN

        hdbscan = HDBSCAN(min_cluster_size=MIN_GROUP_PAGES, metric="precomputed", copy=True)
        return np.asarray(hdbscan.fit_predict(distances), dtype=np.int64)


class Spectral(TemplateClusterer):
    """Group pages by spectral clustering; the silhouette determines the number of clusters.

    Source: Von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007);
    tried in Deturck (2015), section 4.3.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        from sklearn.cluster import SpectralClustering

        n = len(distances)
        similarity = np.exp(-((distances / BANDWIDTH) ** 2) / 2)

        def cluster(k: int) -> Indices:
            spectral = SpectralClustering(
                n_clusters=k, affinity="precomputed", assign_labels="cluster_qr", random_state=0
            )
            return np.asarray(spectral.fit_predict(similarity), dtype=np.int64)

        max_clusters = min(MAX_CLUSTERS, max(n // 2, 2), n - 1)
        return best_separated(distances, map(cluster, range(2, max_clusters + 1)))


METHODS: Final[Mapping[str, type[TemplateClusterer]]] = {
    "average_linkage": AverageLinkage,
    "dbscan": Dbscan,
    "hdbscan": Hdbscan,
    DEFAULT_METHOD: MdsKMeans,
    "spectral": Spectral,
}
"""All grouping methods; each works on any site with its default parameters."""
