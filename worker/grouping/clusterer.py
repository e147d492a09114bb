"""Base class of the methods that group pages by template."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from worker.grouping.likeness import size_tolerant_distances
from worker.grouping.matrix import (
    Indices,
    Matrix,
    checked_distances,
    comparable_pages,
    merge_near_clusters,
)
from worker.grouping.scaling import classical_scaling, majorise_stress
from worker.grouping.silhouette import silhouette_coefficients

OUTLIER: Final = -1
"""Label of a page that belongs to no group."""

DECIMALS: Final = 9
"""Number of decimals compared; further digits are rounding errors."""

DIFFERENT_TEMPLATES_TOLERANT: Final = 0.39
"""Maximum mean distance between clusters of the same template.

It applies to distances that excuse half of the difference in size. Between 0.37 and 0.41, the mean
adjusted Rand index of average linkage changed by at most 0.04 on each of nine sets of generated and
real sites. At 0.39, average linkage found every template on 30 generated sites of noise 0.4, and
grouped all but 1 % of the pages on sites of 20 to 200 pages.
"""

DIFFERENT_TEMPLATES: Final = 0.43
"""The same limit for plain distances, used if the sizes of the pages are unknown.

The mean distance between two templates of a site was at least 0.46 (567 pairs in 105 generated
crawls; 0.58 between the successive designs of four real sites), so that different templates begin
to merge at 0.47. With 0.43, all pages of a template were joined in 99 % of the crawls with little
noise, in 82 % of the crawls with usual noise, and on 80 % of 101 real sites, a few of which have
more than one template.
"""

NOT_COMPARABLE_TOLERANT: Final = 0.47
"""Maximum distance of a group's pages from its pivot.

It applies to distances that excuse half of the difference in size. Of the stray pages added to 49
real sites, `MdsKMeans` left 24 % in a wrong group with 0.55, and 13 % with 0.50. With 0.50, it
still paired stray pages with each other on two of eight sites checked by hand, and with 0.47 on
none. With 0.45, pages of real sites drop out of their groups.
"""

NOT_COMPARABLE: Final = 0.55
"""The same limit for plain distances, used if the sizes of the pages are unknown.

Of 168 stray pages added to 48 sites composed of real templates, 26 % stayed in a wrong group
without this limit, 8 % with 0.60, and 5 % with 0.55; no page of the templates left its group. On
the four real sites, 0.55 turns 3 % of the pages into outliers.
"""


@dataclass(kw_only=True, eq=False)
class TemplateClusterer(ABC):
    """Group the pages of a site by a matrix of their distances.

    A subclass decides which pages form clusters. The rest is common to all methods. Clusters within
    a mean distance of `merge_distance` of each other are merged, and a page in no cluster counts as
    a cluster of its own. Each group gets a pivot, the page with which its other pages are compared.
    A page farther than `max_pivot_distance` from its pivot is an outlier, because comparing the two
    serves no purpose; so is a page alone in its cluster.

    By default, the two limits are `DIFFERENT_TEMPLATES_TOLERANT` and `NOT_COMPARABLE_TOLERANT` if
    the sizes of the pages are given, otherwise `DIFFERENT_TEMPLATES` and `NOT_COMPARABLE`. With a
    negative `merge_distance`, nothing is merged; density-based methods then divide a template whose
    pages form several dense regions (such as articles with and without comments), and methods that
    compare numbers of clusters divide sites with a single template. A `max_pivot_distance` of 1
    keeps every page.

    An unknown distance is NaN. The pages with the most unknown distances become outliers until
    every remaining distance is known. A single page is an outlier, and so are two pages that do not
    form a group. Duplicate pages count separately.

    The result depends only on the matrix: all starts and seeds are fixed, and linear algebra always
    runs on a single thread. Ties are resolved by the order of the rows, which `group_pages` makes
    independent of the order of the pages.
    """

    merge_distance: float | None = None
    max_pivot_distance: float | None = None

    def fit(
        self,
        X: npt.ArrayLike,  # noqa: N803
        *,
        sizes: npt.ArrayLike | None = None,
    ) -> Self:
        """Group the pages of a distance matrix.

        `X` has normalised distances in [0, 1], shape (n, n), symmetric, with a zero diagonal; NaN
        where a distance is unknown. If `sizes` (the number of nodes of each page's tree, shape
        (n,)) are given, the distances are replaced by `size_tolerant_distances`.

        The results are `labels_`, the group of each page, numbered by their first pages, or -1 for
        an outlier; `pivots_`, the pivot of each group; `embedding_`, the position of each page on a
        plane that shows the distances, shape (n, 2), NaN for a page that cannot be compared; and
        `silhouette_`, the mean silhouette of the grouped pages, or 0 if there are fewer than two
        groups.

        Raises ValueError if the matrix is not square, is not symmetric or has values outside
        [0, 1], or if there is not exactly one positive size per row.
        """
        distances = checked_distances(X)
        if sizes is not None:
            distances = size_tolerant_distances(distances, sizes)
        n = len(distances)
        comparable = comparable_pages(distances)
        known = distances[np.ix_(comparable, comparable)]
        near, reach = self.merge_distance, self.max_pivot_distance
        if near is None:
            near = DIFFERENT_TEMPLATES if sizes is None else DIFFERENT_TEMPLATES_TOLERANT
        if reach is None:
            reach = NOT_COMPARABLE if sizes is None else NOT_COMPARABLE_TOLERANT
        with threadpool_limits(limits=1):
            positions = self._positions(known)
            clusters = _each_outlier_a_cluster(self._clusters(known, positions))
            clusters = merge_near_clusters(known, clusters, near)

        labels = np.full(len(known), OUTLIER, dtype=np.int64)
        pivots: list[int] = []
        for cluster in _in_order_of_appearance(clusters):
            members = np.flatnonzero(clusters == cluster)
            pivot = members[self._pivot(known[np.ix_(members, members)], positions[members])]
            members = members[known[pivot, members] <= reach]
            if len(members) > 1:
                labels[members] = len(pivots)
                pivots.append(int(comparable[pivot]))

        self.labels_ = np.full(n, OUTLIER, dtype=np.int64)
        self.labels_[comparable] = labels
        self.pivots_ = np.array(pivots, dtype=np.int64)
        self.embedding_ = np.full((n, positions.shape[1]), np.nan)
        self.embedding_[comparable] = positions
        grouped = labels != OUTLIER
        self.silhouette_ = mean_silhouette(known[np.ix_(grouped, grouped)], labels[grouped])
        return self

    @abstractmethod
    def _clusters(self, distances: Matrix, positions: Matrix) -> Indices:
        """Return the cluster of each page, numbered from 0, or `OUTLIER` for a page in none."""

    def _positions(self, distances: Matrix) -> Matrix:
        return majorise_stress(distances, classical_scaling(distances))

    def _pivot(self, distances: Matrix, positions: Matrix) -> int:  # noqa: ARG002
        """Return the index of the pivot among the pages of a group, by default their medoid."""
        return first_smallest(distances.sum(axis=1))


def mean_silhouette(distances: Matrix, clusters: Indices) -> float:
    """Return the mean silhouette coefficient; 0 if there are fewer than two clusters."""
    return float(silhouette_coefficients(distances, clusters).mean()) if len(clusters) else 0.0


def first_smallest(values: Matrix) -> int:
    """Return the index of the smallest value, or of the first one in a tie."""
    return int(values.round(DECIMALS).argmin())


def _each_outlier_a_cluster(clusters: Indices) -> Indices:
    outliers = clusters == OUTLIER
    numbered = clusters.copy()
    numbered[outliers] = len(clusters) + np.arange(outliers.sum())
    return numbered


def _in_order_of_appearance(clusters: Indices) -> Indices:
    values, first = np.unique(clusters, return_index=True)
    return values[np.argsort(first)]
