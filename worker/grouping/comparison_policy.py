"""Which distances the grouping of a site needs, and what is missing of them.

Of a site of few trees every pair is compared. Beyond, work, rows and memory would grow
with the square of the trees, and references stand for the site. What is missing is told
in three rounds, each of a size proportional to the site:

1. the nearest of a sample is sought for every tree;
2. trees far from all of the sample, of templates too rare to be drawn, join it as
   references: those are compared with each other, and the nearest of the new ones is
   sought too;
3. once the references are grouped as the pages of a small site, and every page with its
   nearest, pages are compared with the pivot of their group where the triangle inequality
   leaves open whether they are too far from it.

Sample and references are functions of the set of trees, so neither the order of the
pages nor the number of workers changes the groups. When pages arrive, only theirs is
missing, and where a reference has changed what depended on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from worker.grouping.clusterer import NOT_COMPARABLE
from worker.grouping.distance import normalised_distance
from worker.grouping.groups import Grouping
from worker.grouping.known_site import KnownSite, NearestReference, SitePage
from worker.grouping.matrix import Matrix
from worker.grouping.references import without_far_members
from worker.html import TreeShape

SAMPLED_SHARE: Final = 0.75
"""Share of the references of a large site that are drawn, the others being far from these.

References are at most as many as the trees of the largest site that is compared as a
whole, so that no site costs more for being just above the limit.
"""


REFERENCE_NODES: Final = 2_000_000
"""Nodes of all references, but for one that has more alone: whoever compares a tree with them has
to unpack them all, a second for so many. Of 400 references each may have 5,000 on average."""


class KnownDistances(Protocol):
    """Look-ups among the distances of a site's trees that are known."""

    def among(self, tree_ids: Sequence[int]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the tree edit distances among trees, and which of them are known.

        The trees come ascending. Both are of shape (trees, trees); a distance is NaN where it
        is not known or two trees cannot be compared.
        """

    def nearest(
        self, references: Sequence[int], tree_ids: Sequence[int]
    ) -> Mapping[int, NearestReference | None]:
        """Return the nearest of some references to each tree of which that is known.

        None for a tree that is too large to compare.
        """

    def to_pivot(self, pivot: int, tree_ids: Sequence[int]) -> Mapping[int, int | None]:
        """Return the tree edit distance to a pivot of each tree of which that is known.

        None where they cannot be compared.
        """


@dataclass(frozen=True, eq=False)
class MissingPairs:
    """Trees to be compared with each other.

    Parameters
    ----------
    tree_ids
        The trees, ascending.
    is_known
        Which pairs were compared already, shape (trees, trees).
    """

    tree_ids: Sequence[int]
    is_known: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MissingNearest:
    """Trees whose nearest reference is to be sought.

    Parameters
    ----------
    tree_ids
        The trees, ascending.
    references
        The references, by digest.
    new_references
        How many of them no earlier round has searched.
    """

    tree_ids: Sequence[int]
    references: Sequence[int]
    new_references: int


@dataclass(frozen=True)
class MissingToPivot:
    """Trees to be compared with the pivot of their group."""

    pivot: int
    tree_ids: Sequence[int]


MissingComparisons: TypeAlias = MissingPairs | MissingNearest | MissingToPivot


@dataclass(frozen=True)
class Missing:
    """Comparisons that are to be done before the policy can go on."""

    comparisons: Sequence[MissingComparisons]


def known_or_missing(
    trees: Mapping[int, TreeShape], known: KnownDistances, *, whole_matrix_trees: int
) -> KnownSite | Missing:
    """Return all distances that the grouping of a site needs, or what is missing of them.

    Parameters
    ----------
    trees
        The distinct trees of the site, by identity.
    known
        What is known of their distances.
    whole_matrix_trees
        Trees of the largest site of which every pair is compared, and references of a
        larger one at most.
    """
    if len(trees) <= whole_matrix_trees:
        return _compared(trees, known, sorted(trees))
    # The digests are as good as chance, but the same on every machine.
    ranked = sorted(trees, key=lambda tree_id: trees[tree_id].digest)
    size = round(whole_matrix_trees * SAMPLED_SHARE)
    size = _fitting(ranked[:size], trees, REFERENCE_NODES * SAMPLED_SHARE)
    sample, others = ranked[:size], ranked[size:]
    nearest = known.nearest(sample, sorted(others))
    missing = _missing_nearest(sample, others, nearest, new_references=len(sample))
    if missing:
        return Missing(missing)
    rare = _far(others, nearest)[: whole_matrix_trees - round(whole_matrix_trees * SAMPLED_SHARE)]
    rare = rare[: _fitting(rare, trees, REFERENCE_NODES * (1 - SAMPLED_SHARE))]
    references = sorted(sample + rare, key=lambda tree_id: trees[tree_id].digest)
    others = sorted(set(trees).difference(references))
    nearest = known.nearest(references, others)
    missing = _missing_nearest(references, others, nearest, new_references=len(rare))
    site = _compared(trees, known, sorted(references), nearest)
    if missing:
        return Missing([*missing, *(site.comparisons if isinstance(site, Missing) else ())])
    return site


def group_or_missing(
    site: KnownSite,
    pages: Sequence[SitePage],
    trees: Mapping[int, TreeShape],
    known: KnownDistances,
) -> Grouping | Missing:
    """Group pages, or return what is missing to tell which are too far from their pivot.

    Parameters
    ----------
    site
        What `known_or_missing` gave.
    pages
        The pages of the site, each of one of its trees.
    trees, known
        As for `known_or_missing`.
    """
    grouping = site.group(pages)
    doubtful = site.doubtful(pages, grouping)
    if not doubtful:
        return grouping
    missing: list[MissingComparisons] = []
    distances: dict[tuple[int, int], float] = {}
    for pivot in sorted({pivot for _, pivot in doubtful}):
        members = sorted(tree_id for tree_id, other in doubtful if other == pivot)
        found = known.to_pivot(pivot, members)
        for tree_id, raw in found.items():
            distances[tree_id, pivot] = (
                np.nan
                if raw is None
                else normalised_distance(raw, trees[tree_id].size, trees[pivot].size)
            )
        unknown = [tree_id for tree_id in members if tree_id not in found]
        if unknown:
            missing.append(MissingToPivot(pivot, unknown))
    if missing:
        return Missing(missing)
    urls, tree_ids = [page.url for page in pages], [page.tree_id for page in pages]
    return without_far_members(grouping, urls, tree_ids, distances)


def _compared(
    trees: Mapping[int, TreeShape],
    known: KnownDistances,
    tree_ids: Sequence[int],
    nearest: Mapping[int, NearestReference | None] | None = None,
) -> KnownSite | Missing:
    raw, is_known = known.among(tree_ids)
    if not is_known.all():
        return Missing([MissingPairs(tree_ids, is_known)])
    sizes = np.array([trees[tree_id].size for tree_id in tree_ids], dtype=np.int64)
    distances = normalised_distance(raw, sizes[:, None], sizes[None, :])
    return KnownSite(tree_ids, sizes, np.asarray(distances), nearest)


def _missing_nearest(
    references: Sequence[int],
    tree_ids: Sequence[int],
    nearest: Mapping[int, NearestReference | None],
    *,
    new_references: int,
) -> list[MissingComparisons]:
    missing = sorted(tree_id for tree_id in tree_ids if tree_id not in nearest)
    return [MissingNearest(missing, references, new_references)] if missing else []


def _fitting(tree_ids: Sequence[int], trees: Mapping[int, TreeShape], nodes: float) -> int:
    """Return how many of the first trees have no more than so many nodes together; at least one."""
    sums = np.cumsum([trees[tree_id].size for tree_id in tree_ids])
    return max(1, int(np.searchsorted(sums, nodes, "right")))


def _far(tree_ids: Sequence[int], nearest: Mapping[int, NearestReference | None]) -> list[int]:
    """Return the trees too far from all of the sample to be of the template of any."""
    return [
        tree_id
        for tree_id in tree_ids
        if (found := nearest[tree_id]) is not None and found[1] >= NOT_COMPARABLE
    ]
