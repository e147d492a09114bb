"""Assignment of new pages to the existing groups of a site."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.html import Tree
from detourage.template.clusterer import MAX_TOLERANT_PIVOT_DISTANCE, first_smallest
from detourage.template.distance import TOO_LARGE
from detourage.template.distance.forest import MEMORY, TASK_WORK, Forest
from detourage.template.groups import Group, group_pages
from detourage.template.matrix import Matrix, size_tolerant_distance

MAX_REPRESENTED_DISTANCE: Final = 0.3
"""Maximum distance of a member from its nearest representative while more of them may be added."""

MAX_REPRESENTATIVES: Final = 3  # representatives per group, with which new pages are compared

MIN_NEW_GROUP_PAGES: Final = 3
"""Minimum number of similar outliers that form a new group between two clusterings; two outliers
may be similar by accident, although two pages are enough for a group in a clustering."""

MAX_REPRESENTATIVE_NODES: Final = 500_000
"""Maximum total number of nodes of several representatives compared with a page."""


@dataclass(frozen=True)
class Assignment:
    """The group of a new page.

    `group` is None for an outlier. `confidence` ranges from 0 (an outlier, or a page equally near
    to another group or to the limit) to 1 (equal to a representative). `distance` to the nearest
    representative is NaN if the page could not be compared. `work` is in the units of `Forest`.
    """

    group: int | None
    confidence: float
    distance: float
    work: int = 0


NOT_COMPARED: Final = Assignment(None, 0.0, float("nan"))
"""Assignment of a page that cannot be compared with any representative."""


def representatives(distances: Matrix, group: Group) -> tuple[int, ...]:
    """Choose the pages of a group to compare with new ones: the pivot and the farthest members.

    Pages are added while any member is farther than `MAX_REPRESENTED_DISTANCE` from all of them; in
    a tie, the first member is added. `distances` are those between all pages of the site. Source:
    Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical Computer
    Science 38 (1985).
    """
    members = np.array(group.members, dtype=np.int64)
    chosen = [group.pivot]
    reach = distances[group.pivot, members]
    while len(chosen) < MAX_REPRESENTATIVES and reach.max() > MAX_REPRESENTED_DISTANCE:
        farthest = members[first_smallest(-reach)]
        chosen.append(int(farthest))
        reach = np.minimum(reach, distances[farthest, members])
    return tuple(chosen)


def assign(
    distances: npt.ArrayLike, groups: Sequence[int], *, limit: float = MAX_TOLERANT_PIVOT_DISTANCE
) -> Assignment:
    """Assign a new page to the group of its nearest representative within the `limit`, if any.

    `distances` are those to all representatives, in the measure with which the groups were formed,
    and NaN if unknown; `groups` has the group of each representative. In a tie, the smallest ID
    wins. The confidence is the page's silhouette, ``1 - a / b``, for the distances ``a`` to its
    group and ``b`` to the next group or the limit.
    """
    to_each = np.asarray(distances, dtype=np.float64)
    if to_each.shape != (len(groups),):
        raise ValueError(f"{len(groups)} groups for distances of shape {to_each.shape}")
    known = [i for i in range(len(groups)) if not np.isnan(to_each[i])]
    if not known:
        return NOT_COMPARED
    nearest = min(known, key=lambda i: (to_each[i], groups[i], i))
    distance = float(to_each[nearest])
    if distance > limit:
        return Assignment(None, 0.0, distance)
    others = [float(to_each[i]) for i in known if groups[i] != groups[nearest]]
    far = min([*others, limit])
    silhouette = 1 - distance / far if far > 0 else float(distance == 0)
    return Assignment(groups[nearest], silhouette, distance)


def worth_comparing(size: int, sizes: Sequence[int]) -> list[int]:
    """Return the indices of the representatives that a new page's size does not rule out."""
    bounds = [size_tolerant_distance(abs(size - each), size, each) for each in sizes]
    possible = [place for place, bound in enumerate(bounds) if bound <= MAX_TOLERANT_PIVOT_DISTANCE]
    possible.sort(key=lambda place: (bounds[place], place))
    room = MAX_REPRESENTATIVE_NODES
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
    work: int = TASK_WORK,
) -> Assignment:
    """Find the group of a new page by comparing it with as few representatives as needed.

    The result equals `assign` with the `size_tolerant_distances` to all representatives, or to
    those compared within `work` units (see `Forest`). An outlier's distance is the smallest one
    computed or, if none was, the smallest lower bound. Representatives are compared in ascending
    order of their lower bounds, and only if they may still affect the group or the confidence;
    these are usually two or three of about ten.
    """
    if len(representative_trees) != len(groups):
        raise ValueError(f"{len(groups)} groups for {len(representative_trees)} trees")
    forest = Forest([tree, *representative_trees], memory=MEMORY)
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
            MAX_TOLERANT_PIVOT_DISTANCE,
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
        return replace(assign(distances, groups), work=forest.work)
    if not len(bounds):
        return NOT_COMPARED
    return Assignment(None, 0.0, float(bounds.min()), forest.work)


def agreeing_outliers(
    distances: Matrix, *, sizes: npt.ArrayLike | None = None
) -> tuple[Group, ...]:
    """Group outliers, given in an order independent of their arrival, into new groups."""
    keys = [f"{place:09}" for place in range(len(distances))]
    found = group_pages(keys, distances, sizes=sizes)
    return tuple(group for group in found.groups if len(group.members) >= MIN_NEW_GROUP_PAGES)
