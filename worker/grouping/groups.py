"""Template groups of a site, the interface between this package and the service."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worker.grouping.clusterer import OUTLIER, TemplateClusterer
from worker.grouping.likeness import checked_sizes
from worker.grouping.matrix import Matrix, checked_distances
from worker.grouping.methods import DEFAULT_METHOD, METHODS


@dataclass(frozen=True)
class Group:
    """Pages that share a template, by index.

    There are at least two `members`, ordered by key; the others are compared with the `pivot`.
    """

    members: tuple[int, ...]
    pivot: int


@dataclass(frozen=True, eq=False)
class Grouping:
    """The template groups of a site, with pages given by index.

    `groups` are in descending order of size; in a tie, the group with the smallest key comes first.
    `outliers` are the pages in no group, ordered by key. `embedding` has the position of each page
    on a plane, shape (n, 2), in the order of the given pages; NaN for a page that cannot be
    compared. `silhouette` is the mean silhouette of the groups, from -1 to 1; 0 if there are fewer
    than two.
    """

    groups: tuple[Group, ...]
    outliers: tuple[int, ...]
    embedding: Matrix
    silhouette: float


def group_pages(
    keys: Sequence[str],
    distances: npt.ArrayLike,
    *,
    sizes: npt.ArrayLike | None = None,
    estimator: TemplateClusterer | None = None,
) -> Grouping:
    """Group the pages of a site by template.

    `keys` are unique and the same in every run, such as the URLs. The pages are sorted by key
    first, so the groups do not depend on the order of the pages. `distances` are normalised
    distances in [0, 1], shape (n, n), with rows in the order of the keys; NaN if two pages could
    not be compared. `sizes` are the numbers of nodes of the pages' trees; without sizes, pages that
    differ only in length are more likely to be separated. The `estimator` is `DEFAULT_METHOD` by
    default.

    Raises ValueError if two keys are equal, if the numbers of keys, sizes and rows differ, or if
    the values of the matrix are not normalised distances.
    """
    matrix = checked_distances(distances)
    if len(keys) != len(matrix):
        raise ValueError(f"{len(keys)} keys for {len(matrix)} rows of distances")
    if len(set(keys)) != len(keys):
        raise ValueError("two pages have the same key")
    order = sorted(range(len(keys)), key=keys.__getitem__)
    method: TemplateClusterer = METHODS[DEFAULT_METHOD]() if estimator is None else copy(estimator)
    nodes = None if sizes is None else checked_sizes(sizes, len(keys))[order]
    method.fit(matrix[np.ix_(order, order)], sizes=nodes)

    groups = [
        Group(
            members=tuple(order[row] for row in np.flatnonzero(method.labels_ == label)),
            pivot=order[pivot],
        )
        for label, pivot in enumerate(method.pivots_)
    ]
    groups.sort(key=lambda group: (-len(group.members), keys[group.members[0]]))
    embedding = np.empty_like(method.embedding_)
    embedding[order] = method.embedding_
    return Grouping(
        groups=tuple(groups),
        outliers=tuple(order[row] for row in np.flatnonzero(method.labels_ == OUTLIER)),
        embedding=embedding,
        silhouette=method.silhouette_,
    )
