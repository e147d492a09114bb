"""The methods by name."""

from types import MappingProxyType
from typing import Final

from worker.templates.clusterer import TemplateClusterer
from worker.templates.density import Dbscan, Hdbscan
from worker.templates.kmeans import MdsKMeans
from worker.templates.linkage import AverageLinkage
from worker.templates.spectral import Spectral

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
