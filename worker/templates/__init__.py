"""Template groups: which pages of a site were made from the same template."""

from worker.templates.assignment import (
    Assignment,
    agreeing_outliers,
    assign,
    assign_tree,
    representatives,
)
from worker.templates.clusterer import OUTLIER, TemplateClusterer
from worker.templates.density import Dbscan, Hdbscan
from worker.templates.generations import ChangeOfGroups, design_change, match_groups
from worker.templates.grouping import Group, Grouping, group_pages
from worker.templates.kmeans import MdsKMeans
from worker.templates.linkage import AverageLinkage
from worker.templates.methods import DEFAULT_METHOD, METHODS
from worker.templates.sites import SiteGroups, group_site
from worker.templates.spectral import Spectral

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "OUTLIER",
    "Assignment",
    "AverageLinkage",
    "ChangeOfGroups",
    "Dbscan",
    "Group",
    "Grouping",
    "Hdbscan",
    "MdsKMeans",
    "SiteGroups",
    "Spectral",
    "TemplateClusterer",
    "agreeing_outliers",
    "assign",
    "assign_tree",
    "design_change",
    "group_pages",
    "group_site",
    "match_groups",
    "representatives",
]
