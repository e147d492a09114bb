"""Density-based grouping methods."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.grouping.clusterer import TemplateClusterer
from worker.grouping.matrix import Indices, Matrix

NEIGHBOURHOOD: Final = 0.3
"""Maximum distance between neighbours.

On generated sites with high noise, 8 % of the pages were wrongly paired with 0.40, 1.1 % with 0.35,
and 0.6 % with 0.30 and below. Values below 0.30 hardly differ from each other.
"""

FEWEST_PAGES: Final = 2
"""Minimum number of pages in a group, because extraction compares two pages."""


@dataclass(kw_only=True, eq=False)
class Dbscan(TemplateClusterer):
    """Group pages that are connected by a chain of neighbours.

    Parameters
    ----------
    eps
        Pages within this distance are neighbours.
    merge_distance, max_pivot_distance
        See `TemplateClusterer`.

    References
    ----------
    Ester, Kriegel, Sander and Xu, "A density-based algorithm for discovering
    clusters", KDD (1996); tried in Deturck (2015), section 4.3.
    """

    eps: float = NEIGHBOURHOOD

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) < FEWEST_PAGES:
            return np.zeros(len(distances), dtype=np.int64)
        from sklearn.cluster import DBSCAN

        dbscan = DBSCAN(eps=self.eps, min_samples=FEWEST_PAGES, metric="precomputed")
        return np.asarray(dbscan.fit_predict(distances), dtype=np.int64)


@dataclass(kw_only=True, eq=False)
class Hdbscan(TemplateClusterer):
    """Group pages by the clusters that persist over the widest range of densities.

    Parameters
    ----------
    min_cluster_size
        Minimum number of pages in a cluster.
    merge_distance, max_pivot_distance
        See `TemplateClusterer`.

    References
    ----------
    Campello, Moulavi and Sander, "Density-based clustering based on hierarchical
    density estimates", PAKDD (2013).
    """

    min_cluster_size: int = FEWEST_PAGES

    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:  # noqa: ARG002
        if len(distances) <= self.min_cluster_size:
            return np.arange(len(distances))
        from sklearn.cluster import HDBSCAN

        hdbscan = HDBSCAN(min_cluster_size=self.min_cluster_size, metric="precomputed", copy=True)
        return np.asarray(hdbscan.fit_predict(distances), dtype=np.int64)
