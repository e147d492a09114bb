"""Template groups: which pages of a site were made from the same template."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "grouping": (
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
    # Imported when it is used: scikit-learn takes 60 MB, and what draws sites needs none of it.
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
