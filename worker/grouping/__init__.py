"""Template groups: sets of pages of a site that share a template."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worker.grouping.assignment import (
        Assignment,
        agreeing_outliers,
        assign,
        assign_tree,
        representatives,
    )
    from worker.grouping.clusterer import OUTLIER, TemplateClusterer
    from worker.grouping.density import Dbscan, Hdbscan
    from worker.grouping.generations import ChangeOfGroups, design_change, match_groups
    from worker.grouping.groups import Group, Grouping, group_pages
    from worker.grouping.kmeans import MdsKMeans
    from worker.grouping.linkage import AverageLinkage
    from worker.grouping.methods import DEFAULT_METHOD, METHODS
    from worker.grouping.sites import SiteGroups, group_site
    from worker.grouping.spectral import Spectral

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

_MODULES = {
    "assignment": (
        "Assignment",
        "agreeing_outliers",
        "assign",
        "assign_tree",
        "representatives",
    ),
    "clusterer": (
        "OUTLIER",
        "TemplateClusterer",
    ),
    "density": (
        "Dbscan",
        "Hdbscan",
    ),
    "generations": (
        "ChangeOfGroups",
        "design_change",
        "match_groups",
    ),
    "groups": (
        "Group",
        "Grouping",
        "group_pages",
    ),
    "kmeans": ("MdsKMeans",),
    "linkage": ("AverageLinkage",),
    "methods": (
        "DEFAULT_METHOD",
        "METHODS",
    ),
    "sites": (
        "SiteGroups",
        "group_site",
    ),
    "spectral": ("Spectral",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Imported on first use: `worker.grouping.distance` alone needs no clustering.
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
