"""Assignment of new pages to the existing groups of a site."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from detourage.html import Tree
from detourage.template.clusterer import first_smallest
from detourage.template.distance import TOO_LARGE
from detourage.template.distance.forest import MEMORY, TASK_WORK, Forest
from detourage.template.groups import Group
from detourage.template.matrix import (
    MAX_SIZE_TOLERANT_PIVOT_DISTANCE,
    Matrix,
    size_tolerant_distance,
)

MAX_MEMBER_DISTANCE: Final = 0.3
"""Representatives are added until every member is within this distance of one of them."""

MAX_ASSIGNMENT_DISTANCE: Final = MAX_SIZE_TOLERANT_PIVOT_DISTANCE
"""Maximum size-tolerant distance of a new page from the nearest representative of its group."""

MAX_REPRESENTATIVES: Final = 3  # maximum number of representatives per group

MAX_REPRESENTATIVE_NODES: Final = 500_000
"""Maximum total number of tree nodes of the representatives compared with one page."""


class Assignment(NamedTuple):
    """The group of a new page.

    `group` is None for an outlier. `confidence` ranges from 0 (an outlier, or a page at the limit
    or equally near to another group) to 1 (equal to a representative). `distance` is the
    distance to the nearest representative, or NaN if the page could not be compared. `work` is the
    computing effort, in the units of `Forest`, and `edits` has the tree edit distances computed, by
    the index of the representative, or None if the trees are too large.
    """

    group: int | None
    confidence: float
    distance: float
    work: int = 0
    edits: Mapping[int, int | None] = MappingProxyType({})


NOT_COMPARED: Final = Assignment(None, 0.0, float("nan"))
"""Assignment of a page that cannot be compared with any representative."""


def representatives(distances: Matrix, group: Group) -> tuple[int, ...]:
    """Choose the pages of a group to compare with new ones: the pivot and the farthest members.

    Members are added until all are within `MAX_MEMBER_DISTANCE` of a chosen one, or
    `MAX_REPRESENTATIVES` are chosen; in a tie, the first is added. `distances` are those of all
    pages of the site. Source: Gonzalez, "Clustering to minimize the maximum intercluster distance",
    Theoretical Computer Science 38 (1985).
    """
    members = np.array(group.members, dtype=np.int64)
    chosen = [group.pivot]
    to_nearest = distances[group.pivot, members]
    while len(chosen) < MAX_REPRESENTATIVES and to_nearest.max() > MAX_MEMBER_DISTANCE:
        farthest = members[first_smallest(-to_nearest)]
        chosen.append(int(farthest))
        to_nearest = np.minimum(to_nearest, distances[farthest, members])
    return tuple(chosen)


def assign(
    distances: npt.ArrayLike,
    groups: Sequence[int],
    *,
    limit: float = MAX_ASSIGNMENT_DISTANCE,
) -> Assignment:
    """Assign a new page to the group of its nearest representative within the `limit`, if any.

    `distances` has the distance to each representative, in the measure with which the groups were
    formed, or NaN if unknown; `groups` has the ID of each representative's group. In a tie, the
    smallest ID wins. The confidence is the page's silhouette, ``1 - a / b``, where ``a`` is the
    distance to its group, and ``b`` the distance to the next group or, if smaller, the limit.
    """
    to_each = np.asarray(distances, dtype=np.float64)
    if to_each.shape != (len(groups),):
        raise ValueError(f"{len(groups)} groups for distances of shape {to_each.shape}")
    comparable = [i for i in range(len(groups)) if not np.isnan(to_each[i])]
    if not comparable:
        return NOT_COMPARED
    nearest = min(comparable, key=lambda i: (to_each[i], groups[i], i))
    distance = float(to_each[nearest])
    if distance > limit:
        return Assignment(None, 0.0, distance)
    to_others = [float(to_each[i]) for i in comparable if groups[i] != groups[nearest]]
    next_distance = min([*to_others, limit])
    silhouette = 1 - distance / next_distance if next_distance > 0 else float(distance == 0)
    return Assignment(groups[nearest], silhouette, distance)


def worth_comparing(size: int, sizes: Sequence[int]) -> list[int]:
    """Return the indices of the representatives nearest to a page in size, of bounded size."""
    # Two trees differ by at least the difference of their sizes.
    bounds = [size_tolerant_distance(abs(size - each), size, each) for each in sizes]
    possible = [i for i, bound in enumerate(bounds) if bound <= MAX_ASSIGNMENT_DISTANCE]
    nodes = 0
    chosen: list[int] = []
    for i in sorted(possible, key=lambda i: (bounds[i], i)):
        nodes += sizes[i]
        if chosen and nodes > MAX_REPRESENTATIVE_NODES:
            break
        chosen.append(i)
    return sorted(chosen)


def assign_tree(
    tree: Tree,
    representative_trees: Sequence[Tree],
    groups: Sequence[int],
    *,
    work: int = TASK_WORK,
) -> Assignment:
    """Find the group of a new page by comparing it with as few representatives as needed.

    The result is that of `assign` with the `size_tolerant_distances` to all representatives, or to
    those compared within `work` units (see `Forest`). The distance of an outlier is the smallest
    one computed or, if there is none, the smallest lower bound. Representatives are compared in
    ascending order of their lower bounds, as long as they can still change the group or the
    confidence: usually two or three of about ten.
    """
    if len(representative_trees) != len(groups):
        raise ValueError(f"{len(groups)} groups for {len(representative_trees)} trees")
    forest = Forest([tree, *representative_trees], memory=MEMORY)
    others = np.arange(1, len(groups) + 1, dtype=np.int32)

    def normalised(edits: int, i: int) -> float:
        return size_tolerant_distance(edits, len(tree), len(representative_trees[i]))

    lower = forest.lower_bounds(np.zeros_like(others), others)
    bounds = np.array([normalised(int(bound), i) for i, bound in enumerate(lower)])
    distances = np.full(len(groups), np.nan)
    nearest_by_group: dict[int, float] = {}
    computed: dict[int, int | None] = {}
    for i in sorted(range(len(groups)), key=lambda i: (bounds[i], groups[i], i)):
        two_nearest = sorted(nearest_by_group.values())[:2]
        in_group = nearest_by_group.get(groups[i], np.inf)
        second_nearest = two_nearest[1] if len(two_nearest) == 2 else np.inf
        if bounds[i] > min(MAX_ASSIGNMENT_DISTANCE, in_group, second_nearest):
            continue
        if nearest_by_group and forest.work >= work:
            break
        edits = int(forest.try_distances([0], [i + 1])[0])
        computed[i] = None if edits == TOO_LARGE else edits
        if edits == TOO_LARGE:
            continue
        distance = distances[i] = normalised(edits, i)
        nearest_by_group[groups[i]] = min(distance, in_group)
    if nearest_by_group:
        return assign(distances, groups)._replace(work=forest.work, edits=computed)
    if not len(bounds):
        return NOT_COMPARED
    return Assignment(None, 0.0, float(bounds.min()), forest.work, computed)
