"""Template groups of a site, and the functions with which other packages group pages."""

import hashlib
from collections.abc import Iterable, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.html import Tree
from detourage.template.clusterer import MdsKMeans, TemplateClusterer
from detourage.template.distance import TOO_LARGE, grouping_distances, normalised_distance
from detourage.template.distance.forest import MEMORY, Forest
from detourage.template.matrix import Matrix, checked_distances, checked_sizes


class Group(NamedTuple):
    """The indices of at least two pages that share a template, in the order of the pages' keys.

    The `pivot` is the most central page of the group.
    """

    members: tuple[int, ...]
    pivot: int


class Grouping(NamedTuple):
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
        """Build the grouping from groups in any order; pages in no group are the outliers."""
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
    (numbers of nodes), pages that differ only in length are more likely to be separated. The
    default `estimator` is `MdsKMeans`; see `detourage.template.grouping_methods` for others.

    Raise ValueError if two keys are equal, or keys, sizes or distances are invalid.
    """
    matrix = checked_distances(distances)
    if len(keys) != len(matrix):
        raise ValueError(f"{len(keys)} keys for {len(matrix)} rows of distances")
    if len(set(keys)) != len(keys):
        raise ValueError("two pages have the same key")
    order = sorted(range(len(keys)), key=keys.__getitem__)
    nodes = None if sizes is None else checked_sizes(sizes, len(keys))[order]
    # Copied so that the given estimator is not modified.
    method = copy(estimator) if estimator is not None else MdsKMeans()
    method.fit(matrix[np.ix_(order, order)], sizes=nodes)

    groups = [
        Group(tuple(order[row] for row in np.flatnonzero(method.labels_ == label)), order[pivot])
        for label, pivot in enumerate(method.pivots_)
    ]
    embedding = np.empty_like(method.embedding_)
    embedding[order] = method.embedding_
    return Grouping.of(keys, groups, embedding, method.silhouette_)


def reference_order(
    pages: Iterable[int], urls_and_times: Sequence[tuple[str, datetime | None]]
) -> list[int]:
    """Order the pages of a group by their suitability for comparison with the others.

    `urls_and_times` has the URL and the fetch time of each page. Pages of the latest year come
    first, in order of time, so that a group that grows keeps its first page. Pages of earlier years
    follow, also in order of time, then undated pages, ordered by the digests of their URLs.
    """
    members = list(pages)
    dates = (urls_and_times[page][1] for page in members)
    last_year = max((each.astimezone(UTC).year for each in dates if each is not None), default=0)

    def precedence(page: int) -> tuple[bool, bool, float, str]:
        url, fetched_at = urls_and_times[page]
        digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
        if fetched_at is None:
            return True, True, 0.0, digest
        is_older = fetched_at.astimezone(UTC).year < last_year
        return False, is_older, fetched_at.timestamp(), digest

    return sorted(members, key=precedence)


class SiteGroups(NamedTuple):
    """A site's pages, and their groups as indices into `urls`; unknown distances are NaN."""

    site: str
    urls: tuple[str, ...]
    distances: Matrix
    grouping: Grouping
    fetched_at: tuple[datetime | None, ...] = ()

    def group_of(self, page: int) -> Group | None:
        """Return the group of a page, or None for an outlier."""
        return next((group for group in self.grouping.groups if page in group.members), None)

    def compared_with(self, page: int) -> int | None:
        """Return the page to compare a page with, or None for an outlier.

        It is the first page of the group in `reference_order`; for that page itself, the second.
        """
        group = self.group_of(page)
        if group is None:
            return None
        dates = self.fetched_at or (None,) * len(self.urls)
        first, second, *_ = reference_order(group.members, list(zip(self.urls, dates, strict=True)))
        return second if page == first else first


def group_site(
    site: str,
    urls: Sequence[str],
    trees: Sequence[Tree],
    *,
    fetched_at: Sequence[datetime | None] = (),
    estimator: TemplateClusterer | None = None,
    threads: int = 1,
) -> SiteGroups:
    """Compare all pages of a site, and group them by template; see `group_pages`."""
    distinct = [*dict.fromkeys(trees)]
    number_of = dict(zip(distinct, range(len(distinct)), strict=True))
    numbers = [number_of[tree] for tree in trees]
    i, j = np.triu_indices(len(distinct), 1)
    edits = grouping_distances(Forest(distinct, memory=MEMORY), i, j, threads=threads)
    sizes = np.array([len(tree) for tree in distinct])
    known = np.where(edits == TOO_LARGE, np.nan, normalised_distance(edits, sizes[i], sizes[j]))
    matrix = np.zeros((len(distinct), len(distinct)))
    matrix[i, j] = matrix[j, i] = known
    distances, sizes = matrix[np.ix_(numbers, numbers)], sizes[numbers]
    grouping = group_pages(urls, distances, sizes=sizes, estimator=estimator)
    return SiteGroups(site, tuple(urls), distances, grouping, tuple(fetched_at))
