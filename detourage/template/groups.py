"""Template groups of a site, the interface between this package and the service."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from detourage.template.clusterer import TemplateClusterer
from detourage.template.likeness import checked_sizes
from detourage.template.matrix import Matrix, checked_distances
from detourage.template.methods import DEFAULT_METHOD, METHODS


@dataclass(frozen=True)
class Group:
    """Pages that share a template, by index: at least two `members`, ordered by key.

    The other members are compared with the `pivot`.
    """

    members: tuple[int, ...]
    pivot: int


@dataclass(frozen=True, eq=False)
class Grouping:
    """The template groups of a site, with pages given by index.

    `groups` are in descending order of size and, in a tie, in the order of their smallest keys;
    `outliers` are in the order of their keys. `embedding` has the page positions on a plane, NaN
    for a page that cannot be compared. The mean `silhouette` ranges from -1 to 1; 0 for fewer than
    two groups.
    """

    groups: tuple[Group, ...]
    outliers: tuple[int, ...]
    embedding: Matrix
    silhouette: float

    @classmethod
    def of(
        cls, keys: Sequence[str], groups: Iterable[Group], embedding: Matrix, silhouette: float
    ) -> Self:
        """Order groups; the pages in none of them are the outliers."""
        ordered = sorted(groups, key=lambda group: (-len(group.members), keys[group.members[0]]))
        grouped = {page for group in ordered for page in group.members}
        outliers = sorted(set(range(len(keys))) - grouped, key=keys.__getitem__)
        return cls(tuple(ordered), tuple(outliers), embedding, silhouette)


def group_pages(
    keys: Sequence[str],
    distances: npt.ArrayLike,
    *,
    sizes: npt.ArrayLike | None = None,
    estimator: TemplateClusterer | None = None,
) -> Grouping:
    """Group the pages of a site by template, independently of their order.

    `keys`, such as the URLs, are unique and the same in every run. `distances` are normalised, with
    rows in the order of the keys, and NaN if two pages could not be compared. Without `sizes`
    (numbers of nodes), pages that differ only in length are more likely to be separated.

    Raise ValueError if two keys are equal, or keys, sizes or distances are invalid.
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
    embedding = np.empty_like(method.embedding_)
    embedding[order] = method.embedding_
    return Grouping.of(keys, groups, embedding, method.silhouette_)
