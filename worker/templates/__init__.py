"""Template groups: which pages of a site were made from the same template."""

from worker.templates.grouping import Group, Grouping, group_pages
from worker.templates.kmeans import OUTLIER, MdsKMeans

__all__ = ["OUTLIER", "Group", "Grouping", "MdsKMeans", "group_pages"]
