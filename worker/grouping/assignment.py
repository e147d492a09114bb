"""New pages and the groups that a site has already."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from worker.grouping.clusterer import NOT_COMPARABLE_TOLERANT, first_smallest
from worker.grouping.distance import TreeTooLargeError
from worker.grouping.distance.forest import forest_of
from worker.grouping.distance.matrix import MEMORY
from worker.grouping.groups import Group, group_pages
from worker.grouping.likeness import size_tolerant_distance
from worker.grouping.matrix import Matrix
from worker.html import Tree

BROAD: Final = 0.3
"""A group is broad where a member is farther than this from every representative."""

MOST_REPRESENTATIVES: Final = 3
"""Of a group: a new page is compared with at most so many pages of each."""

FEWEST_OF_A_NEW_GROUP: Final = 3
"""Outliers that must agree before they are a group between two clusterings.

Two is what the clustering asks for; it will come soon, and a group of three is less
often two special pages that look alike by chance.
"""


@dataclass(frozen=True)
class Assignment:
    """Where a new page belongs.

    Parameters
    ----------
    group
        Identity of its group; None for an outlier.
    confidence
        From 0, as near to another group or to the limit, to 1, equal to a
        representative; 0 for an outlier.
    representative
        Place of the nearest representative, even of an outlier; None where the page
        could be compared with none.
    distance
        Distance to it; NaN where there is none.
    """

    group: int | None
    confidence: float
    representative: int | None
    distance: float


NOWHERE: Final = Assignment(None, 0.0, None, float("nan"))


def representatives(
    distances: Matrix, group: Group, *, broad: float = BROAD, most: int = MOST_REPRESENTATIVES
) -> tuple[int, ...]:
    """Choose the pages that stand for a group.

    Parameters
    ----------
    distances
        Distances among the pages of the site, shape (n, n).
    group
        One of its groups.
    broad
        Members within this distance of a representative need no other.
    most
        Largest number of representatives.

    Returns
    -------
    tuple of int
        The pivot, then, while a member is too far from all representatives, the
        farthest such (of equally far ones the first in the group).

    References
    ----------
    Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical
    Computer Science 38 (1985).
    """
    members = np.array(group.members, dtype=np.int64)
    chosen = [group.pivot]
    reach = distances[group.pivot, members]
    while len(chosen) < most and reach.max() > broad:
        farthest = members[first_smallest(-reach)]
        chosen.append(int(farthest))
        reach = np.minimum(reach, distances[farthest, members])
    return tuple(chosen)


def assign(
    distances: npt.ArrayLike, groups: Sequence[int], *, limit: float = NOT_COMPARABLE_TOLERANT
) -> Assignment:
    """Find the group of a new page from its distances to representatives.

    Parameters
    ----------
    distances
        Distances to the representatives of all groups, of the kind that the groups
        were made by, shape (r,); NaN where the pages could not be compared.
    groups
        Group of each representative, in the same order.
    limit
        A page farther than this from all is an outlier.

    Returns
    -------
    Assignment
        The group of the nearest representative, of equally near ones the group with
        the smallest identity. With ``a`` the distance to it and ``b`` the distance to
        the nearest representative of another group, but at most the limit, the
        confidence is ``1 - a / b``: the silhouette of the page.

    Raises
    ------
    ValueError
        If there is not one group for each distance.
    """
    to_each = np.asarray(distances, dtype=np.float64)
    if to_each.shape != (len(groups),):
        raise ValueError(f"{len(groups)} groups for distances of shape {to_each.shape}")
    known = [i for i in range(len(groups)) if not np.isnan(to_each[i])]
    if not known:
        return NOWHERE
    nearest = min(known, key=lambda i: (to_each[i], groups[i], i))
    distance = float(to_each[nearest])
    if distance > limit:
        return Assignment(None, 0.0, nearest, distance)
    others = [float(to_each[i]) for i in known if groups[i] != groups[nearest]]
    return Assignment(
        groups[nearest], _silhouette(distance, min([*others, limit])), nearest, distance
    )


def assign_tree(
    tree: Tree,
    representative_trees: Sequence[Tree],
    groups: Sequence[int],
    *,
    limit: float = NOT_COMPARABLE_TOLERANT,
) -> Assignment:
    """Find the group of a new page by comparing it with as few representatives as needed.

    Parameters
    ----------
    tree
        Tree of the page.
    representative_trees
        Trees of the representatives of all groups.
    groups
        Group of each, in the same order.
    limit
        As for `assign`.

    Returns
    -------
    Assignment
        That of `assign` with `size_tolerant_distances` to all representatives. For an
        outlier the nearest representative and its distance are those with the
        smallest lower bound, or exact where it was computed.

    Raises
    ------
    ValueError
        If there is not one group for each tree.

    Notes
    -----
    Representatives are taken by growing lower bound of their distance. Only those whose
    bound is below the limit and does not rule them out as the nearest of their group,
    and of the two nearest groups, are compared: two or three of some ten.
    """
    if len(representative_trees) != len(groups):
        raise ValueError(f"{len(groups)} groups for {len(representative_trees)} trees")
    forest = forest_of([tree, *representative_trees], memory=MEMORY)

    def normalised(count: Callable[..., npt.NDArray[np.int32]], place: int) -> float:
        try:
            number = count([0], [place + 1])[0]
        except TreeTooLargeError:
            return float("nan")
        return size_tolerant_distance(int(number), len(tree), len(representative_trees[place]))

    bounds = np.array([normalised(forest.lower_bounds, i) for i in range(len(groups))])
    distances = np.full(len(groups), np.nan)
    nearest_of: dict[int, float] = {}
    for i in sorted(range(len(groups)), key=lambda i: (bounds[i], groups[i], i)):
        two_nearest = sorted(nearest_of.values())[:2]
        needed = min(
            limit,
            nearest_of.get(groups[i], np.inf),
            two_nearest[1] if len(two_nearest) == 2 else np.inf,
        )
        if bounds[i] <= needed:
            distances[i] = normalised(forest.distances, i)
            if not np.isnan(distances[i]):
                earlier = nearest_of.get(groups[i], np.inf)
                nearest_of[groups[i]] = float(min(distances[i], earlier))
    if nearest_of:
        return assign(distances, groups, limit=limit)
    if np.isnan(bounds).all():
        return NOWHERE
    return Assignment(None, 0.0, int(np.nanargmin(bounds)), float(np.nanmin(bounds)))


def agreeing_outliers(
    distances: Matrix,
    outliers: Sequence[int],
    *,
    sizes: npt.ArrayLike | None = None,
    fewest: int = FEWEST_OF_A_NEW_GROUP,
) -> tuple[Group, ...]:
    """Find new groups among pages that fit none.

    Parameters
    ----------
    distances
        Normalised distances among the outliers, shape (m, m).
    outliers
        Identities of these pages, in an order that does not depend on their arrival.
    sizes
        As for `group_pages`.
    fewest
        Smallest new group.

    Returns
    -------
    tuple of Group
        By the default method, with the identities as members; the largest first.
    """
    keys = [f"{place:09}" for place in range(len(outliers))]
    found = group_pages(keys, distances, sizes=sizes)
    return tuple(
        Group(tuple(outliers[i] for i in group.members), outliers[group.pivot])
        for group in found.groups
        if len(group.members) >= fewest
    )


def _silhouette(near: float, far: float) -> float:
    return 1 - near / far if far > 0 else float(near == 0)
