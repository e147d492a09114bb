"""Grouping of a site's pages by template, based on their trees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detourage.html import Tree
from detourage.template.clusterer import TemplateClusterer
from detourage.template.distance import TreeTooLargeError, distance_matrix, normalised_distance
from detourage.template.groups import Group, Grouping, group_pages
from detourage.template.matrix import Matrix


@dataclass(frozen=True, eq=False)
class SiteGroups:
    """A site with its pages and their groups, given as indices into `urls`.

    `distances` are normalised; NaN for a page that is too large to be compared.
    """

    site: str
    urls: tuple[str, ...]
    distances: Matrix
    grouping: Grouping

    def group_of(self, page: int) -> Group | None:
        """Return the group of a page, or None for an outlier."""
        return next((group for group in self.grouping.groups if page in group.members), None)

    def compared_with(self, page: int) -> int | None:
        """Return the page with which to compare a page for extraction, or None for an outlier.

        This is the group's pivot or, for the pivot itself, its nearest neighbour in the group (the
        first by URL in a tie).
        """
        group = self.group_of(page)
        if group is None or group.pivot != page:
            return None if group is None else group.pivot
        others = (member for member in group.members if member != page)
        return min(others, key=lambda other: (self.distances[page, other], self.urls[other]))


def group_site(
    site: str,
    urls: Sequence[str],
    trees: Sequence[Tree],
    *,
    estimator: TemplateClusterer | None = None,
    threads: int = 1,
) -> SiteGroups:
    """Compare all pages of a site and group them by template (see `group_pages`)."""
    distances = normalised_distances(trees, threads=threads)
    return SiteGroups(
        site,
        tuple(urls),
        distances,
        group_pages(urls, distances, sizes=[len(tree) for tree in trees], estimator=estimator),
    )


def normalised_distances(trees: Sequence[Tree], *, threads: int = 1) -> Matrix:
    """Return the normalised distances between all trees; NaN for a tree too large to compare."""
    distances = np.full((len(trees), len(trees)), np.nan)
    np.fill_diagonal(distances, 0)
    places = list(range(len(trees)))
    while places:
        try:
            raw = distance_matrix([trees[place] for place in places], threads=threads)
        except TreeTooLargeError as error:
            places = np.delete(places, error.trees).tolist()
            continue
        sizes = np.array([len(trees[place]) for place in places])
        distances[np.ix_(places, places)] = normalised_distance(raw, sizes[:, None], sizes[None, :])
        break
    return distances
