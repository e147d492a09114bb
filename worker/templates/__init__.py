"""Template groups: which pages of a site were made from the same template."""

from worker.templates.clusterer import OUTLIER, TemplateClusterer
from worker.templates.density import Dbscan, Hdbscan
from worker.templates.grouping import Group, Grouping, group_pages
from worker.templates.kmeans import MdsKMeans
from worker.templates.linkage import AverageLinkage
from worker.templates.methods import METHODS
from worker.templates.spectral import Spectral

__all__ = [
    "METHODS",
    "OUTLIER",
    "AverageLinkage",
    "Dbscan",
    "Group",
    "Grouping",
    "Hdbscan",
    "MdsKMeans",
    "Spectral",
    "TemplateClusterer",
    "group_pages",
]
