"""New pages and the groups that a site has already."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from worker.grouping.clusterer import NOT_COMPARABLE_TOLERANT, first_smallest
from worker.grouping.distance import TOO_LARGE
from worker.grouping.distance.forest import TASK_WORK, forest_of
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
    work
        Units of work that the comparisons took.
    """

    group: int | None
    confidence: float
    representative: int | None
    distance: float
    work: int = 0


REPRESENTATIVE_NODES: Final = 500_000
"""Nodes of all representatives that a page is compared with, but for one that has more alone."""

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


def worth_comparing(
    size: int, sizes: Sequence[int], *, limit: float = NOT_COMPARABLE_TOLERANT
) -> list[int]:
    """Choose the representatives to compare a new page with by the numbers of their nodes.

    Parameters
    ----------
    size
        Nodes of the page's tree.
    sizes
        Nodes of the representatives' trees.
    limit
        As for `assign`.

    Returns
    -------
    list of int
        Places of those whose size alone does not put them beyond the limit, in their order; of
        too many the most similar in size, up to `REPRESENTATIVE_NODES`.
    """
    bounds = [size_tolerant_distance(abs(size - each), size, each) for each in sizes]
    possible = [place for place, bound in enumerate(bounds) if bound <= limit]
    possible.sort(key=lambda place: (bounds[place], place))
    room = REPRESENTATIVE_NODES
    chosen: list[int] = []
    for place in possible:
        room -= sizes[place]
        if chosen and room < 0:
            break
        chosen.append(place)
    return sorted(chosen)


def assign_tree(
    tree: Tree,
    representative_trees: Sequence[Tree],
    groups: Sequence[int],
    *,
    limit: float = NOT_COMPARABLE_TOLERANT,
    work: int = TASK_WORK,
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
    work
        Units of work, as for `forest_of`, after which no other representative is compared.

    Returns
    -------
    Assignment
        That of `assign` with `size_tolerant_distances` to all representatives, or to those
        that were compared before the work was used up. For an outlier the nearest
        representative and its distance are those with the smallest lower bound, or exact
        where it was computed.

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
    others = np.arange(1, len(groups) + 1, dtype=np.int32)

    def normalised(number: int, place: int) -> float:
        return size_tolerant_distance(number, len(tree), len(representative_trees[place]))

    lower = forest.lower_bounds(np.zeros_like(others), others)
    bounds = np.array([normalised(int(bound), i) for i, bound in enumerate(lower)])
    distances = np.full(len(groups), np.nan)
    nearest_of: dict[int, float] = {}
    for i in sorted(range(len(groups)), key=lambda i: (bounds[i], groups[i], i)):
        two_nearest = sorted(nearest_of.values())[:2]
        needed = min(
            limit,
            nearest_of.get(groups[i], np.inf),
            two_nearest[1] if len(two_nearest) == 2 else np.inf,
        )
        if bounds[i] > needed:
            continue
        if nearest_of and forest.work >= work:
            break
        found = int(forest.try_distances([0], [i + 1])[0])
        if found == TOO_LARGE:
            continue
        distances[i] = normalised(found, i)
        nearest_of[groups[i]] = min(float(distances[i]), nearest_of.get(groups[i], np.inf))
    if nearest_of:
        return replace(assign(distances, groups, limit=limit), work=forest.work)
    if not len(bounds):
        return NOWHERE
    nearest = int(np.argmin(bounds))
    return Assignment(None, 0.0, nearest, float(bounds[nearest]), forest.work)


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
