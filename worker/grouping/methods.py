"""The methods by name."""

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
"""Every method that groups pages; each works with its defaults on any site."""

DEFAULT_METHOD: Final = "mds_kmeans"
"""The method that groups pages unless another is asked for."""
