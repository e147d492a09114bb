"""The template groups of many pages, for methods that compare pages."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from worker.distance import distance_matrix, normalised_distance
from worker.evaluation.methods.interface import ALONE, Neighbours, Source
from worker.pages import PageError, Tree, parse_page, site_of
from worker.templates import Group, group_pages


def find_neighbours(
    sources: Sequence[Source], sites: Sequence[str] | None = None, *, threads: int = 1
) -> list[Neighbours]:
    """Group the pages of each site by template, as the service does with a finished crawl.

    Parameters
    ----------
    sources
        The pages; those of a site should have different addresses, and of two with the same
        address the earlier counts.
    sites
        Site of each page; derived from its address unless given.
    threads
        Number of threads that compare.

    Returns
    -------
    list of Neighbours
        For each page, in order. A page that cannot be read has none.
    """
    by_site: defaultdict[str, list[int]] = defaultdict(list)
    for index, source in enumerate(sources):
        by_site[sites[index] if sites is not None else site_of(source.url)].append(index)
    neighbours = [ALONE] * len(sources)
    for indices in by_site.values():
        for index, found in _neighbours_of_site(sources, indices, threads):
            neighbours[index] = found
    return neighbours


def _neighbours_of_site(
    sources: Sequence[Source], indices: Sequence[int], threads: int
) -> list[tuple[int, Neighbours]]:
    trees: dict[int, Tree] = {}
    seen: set[str] = set()
    for index in indices:
        source = sources[index]
        if source.url in seen:
            continue
        try:
            trees[index] = parse_page(
                source.html, source.url, content_type=source.content_type
            ).tree
        except PageError:
            continue
        seen.add(source.url)
    pages = list(trees)
    if len(pages) < 2:
        return []
    sizes = np.array([len(tree) for tree in trees.values()])
    raw = distance_matrix(list(trees.values()), threads=threads)
    distances = normalised_distance(raw, sizes[:, None], sizes[None, :])
    grouping = group_pages([sources[page].url for page in pages], distances, sizes=sizes)
    return [
        (pages[member], _neighbours(sources, pages, group, member, distances))
        for group in grouping.groups
        for member in group.members
    ]


def _neighbours(
    sources: Sequence[Source],
    pages: Sequence[int],
    group: Group,
    member: int,
    distances: npt.NDArray[np.float64],
) -> Neighbours:
    others = [other for other in group.members if other != member]
    pivot = group.pivot
    if pivot == member:
        pivot = min(others, key=lambda other: (distances[member, other], sources[pages[other]].url))
    return Neighbours(sources[pages[pivot]], tuple(sources[pages[other]] for other in others))
