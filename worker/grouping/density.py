"""Density-based grouping methods."""

from typing import Final

import numpy as np

from worker.grouping.clusterer import TemplateClusterer
from worker.grouping.matrix import Indices, Matrix

NEIGHBOURHOOD: Final = 0.3
"""Maximum distance between neighbours (measured on generated sites with high noise)."""

FEWEST_PAGES: Final = 2
"""Minimum number of pages in a group, because extraction compares two pages."""


class Dbscan(TemplateClusterer):
    """Group pages that are connected by a chain of neighbours.

    Source: Ester, Kriegel, Sander and Xu, "A density-based algorithm for discovering clusters", KDD
    (1996); tried in Deturck (2015), section 4.3.
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) < FEWEST_PAGES:
            return np.zeros(len(distances), dtype=np.int64)
        from sklearn.cluster import DBSCAN

        dbscan = DBSCAN(eps=NEIGHBOURHOOD, min_samples=FEWEST_PAGES, metric="precomputed")
        return np.asarray(dbscan.fit_predict(distances), dtype=np.int64)


class Hdbscan(TemplateClusterer):
    """Group pages by the clusters that persist over the widest range of densities.

    Source: Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density
    estimates", PAKDD (2013).
    """

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) <= FEWEST_PAGES:
            return np.arange(len(distances))
        from sklearn.cluster import HDBSCAN

        hdbscan = HDBSCAN(min_cluster_size=FEWEST_PAGES, metric="precomputed", copy=True)
        return np.asarray(hdbscan.fit_predict(distances), dtype=np.int64)
