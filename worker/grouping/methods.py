"""Grouping methods by name."""

from types import MappingProxyType
from typing import Final

from worker.grouping.clusterer import TemplateClusterer
from worker.grouping.density import Dbscan, Hdbscan
from worker.grouping.kmeans import MdsKMeans
from worker.grouping.linkage import AverageLinkage
from worker.grouping.spectral import Spectral

METHODS: Final = MappingProxyType[str, type[TemplateClusterer]](
    {
        "average_linkage": AverageLinkage,
        "dbscan": Dbscan,
        "hdbscan": Hdbscan,
        "mds_kmeans": MdsKMeans,
        "spectral": Spectral,
    }
)
"""All grouping methods; each works on any site with its default parameters."""

DEFAULT_METHOD: Final = "mds_kmeans"
"""Name of the method used by default."""
