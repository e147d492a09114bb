"""Template groups of a site when only some of its trees have been compared with each other."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from worker.grouping.clusterer import NOT_COMPARABLE
from worker.grouping.groups import Group, Grouping, group_pages


def group_by_references(
    keys: Sequence[str],
    trees: Sequence[int],
    references: Sequence[int],
    distances: npt.NDArray[np.float64],
    nearest: Mapping[int, tuple[int, float]],
) -> Grouping:
    """Group references like a small site's pages, and other pages with their nearest reference.

    `distances` are the normalised ones between the references, and `nearest` has the nearest
    reference of every other comparable tree. A page joins its reference's group and gets the same
    embedding, unless the distance is `NOT_COMPARABLE` or more. A reference shared by several pages
    counts as two, so that the only reference of a rare template is not an outlier.
    """
    place = {reference: i for i, reference in enumerate(references)}
    pages_of = defaultdict[int, list[int]](list)
    equal_pages = defaultdict[int, list[int]](list)
    for page in sorted(range(len(keys)), key=keys.__getitem__):
        reference, distance = nearest.get(trees[page], (trees[page], 0.0))
        if reference in place and distance < NOT_COMPARABLE:
            pages_of[place[reference]].append(page)
            if trees[page] == reference:
                equal_pages[place[reference]].append(page)

    standing = sorted(equal_pages, key=lambda i: keys[equal_pages[i][0]])
    rows = [i for i in standing for _ in range(min(len(pages_of[i]), 2))]
    grouping = group_pages([f"{row:09}" for row in range(len(rows))], distances[np.ix_(rows, rows)])

    embedding = np.full((len(keys), 2), np.nan)
    for row, i in enumerate(rows):
        embedding[pages_of[i]] = grouping.embedding[row]
    groups = []
    for group in grouping.groups:
        members = {page for row in group.members for page in pages_of[rows[row]]}
        pivot = equal_pages[rows[group.pivot]][0]
        groups.append(Group(tuple(sorted(members, key=keys.__getitem__)), pivot))
    return Grouping.of(keys, groups, embedding, grouping.silhouette)


def doubtful_members(
    grouping: Grouping,
    trees: Sequence[int],
    references: Sequence[int],
    distances: npt.NDArray[np.float64],
    nearest: Mapping[int, tuple[int, float]],
) -> set[tuple[int, int]]:
    """Return the pairs of a tree and its group's pivot that may be too far from each other.

    The normalised distance is a metric, so a page is no farther from the pivot than the sum of the
    distances via its nearest reference. Pairs are doubtful if this bound exceeds the limit.
    `grouping` is the result of `group_by_references` with the same arguments.
    """
    place = {reference: i for i, reference in enumerate(references)}
    doubtful = set()
    for group in grouping.groups:
        pivot = trees[group.pivot]
        for tree in {trees[page] for page in group.members}.intersection(nearest):
            reference, distance = nearest[tree]
            if distance + distances[place[reference], place[pivot]] > NOT_COMPARABLE:
                doubtful.add((tree, pivot))
    return doubtful


def without_far_members(
    grouping: Grouping,
    keys: Sequence[str],
    trees: Sequence[int],
    distances: Mapping[tuple[int, int], float],
) -> Grouping:
    """Turn pages that are too far from the pivot of their group into outliers.

    `distances` has the distance of each doubtful member by its tree and the pivot's tree; NaN if
    the two cannot be compared. The other arguments are those of `group_by_references` and its
    result.
    """
    groups = []
    for group in grouping.groups:
        pivot = trees[group.pivot]
        # The comparison is false for NaN, so such pages become outliers.
        members = tuple(
            page
            for page in group.members
            if distances.get((trees[page], pivot), 0.0) <= NOT_COMPARABLE
        )
        if len(members) > 1:
            groups.append(Group(members, group.pivot))
    return Grouping.of(keys, groups, grouping.embedding, grouping.silhouette)
