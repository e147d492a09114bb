"""Grouping of pages by template, for methods that compare pages."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.evaluation.methods.pairing import nearest_pairs
from detourage.html import PageError, Tree, parse_page, site_of
from detourage.papers.interface import ALONE, Neighbours, Source
from detourage.template.groups import SiteGroups, group_site


def find_neighbours(
    sources: Sequence[Source], sites: Sequence[str] | None = None, *, threads: int = 1
) -> list[Neighbours]:
    """Group the pages of each site by template; return the pages with which each is compared.

    Pages are grouped as by the service after a crawl. `sites` are derived from the URLs by default.
    A page has no neighbours if it is unreadable, or if its URL already occurred on the site.
    """
    by_site: defaultdict[str, list[int]] = defaultdict(list)
    for index, source in enumerate(sources):
        by_site[sites[index] if sites is not None else site_of(source.url)].append(index)
    neighbours = [ALONE] * len(sources)
    for indices in by_site.values():
        for index, page_neighbours in _neighbours_of_site(sources, indices, threads):
            neighbours[index] = page_neighbours
    return neighbours


def _neighbours_of_site(
    sources: Sequence[Source], indices: Sequence[int], threads: int
) -> list[tuple[int, Neighbours]]:
    """Group the readable pages of a site; return the index and neighbours of each page."""
    trees: dict[int, Tree] = {}
    seen_urls: set[str] = set()
    for index in indices:
        source = sources[index]
        if source.url in seen_urls:
            continue
        try:
            trees[index] = parse_page(
                source.html, source.url, content_type=source.content_type
            ).tree
        except PageError:
            continue
        seen_urls.add(source.url)
    pages = list(trees)
    if len(pages) < 2:
        return []
    groups = group_site(
        "", [sources[page].url for page in pages], list(trees.values()), threads=threads
    )
    page_neighbours = [
        _neighbours(sources, pages, groups, position) for position in range(len(pages))
    ]
    for position, partner in nearest_pairs(groups.distances, groups.urls).items():
        page_neighbours[position] = replace(
            page_neighbours[position], partner=sources[pages[partner]]
        )
    return list(zip(pages, page_neighbours, strict=True))


def _neighbours(
    sources: Sequence[Source], pages: Sequence[int], groups: SiteGroups, position: int
) -> Neighbours:
    """Return the pivot and the other members of a page's group, or `ALONE` for an outlier."""
    group, pivot = groups.group_of(position), groups.compared_with(position)
    if group is None or pivot is None:
        return ALONE
    others = [other for other in group.members if other != position]
    return Neighbours(sources[pages[pivot]], tuple(sources[pages[other]] for other in others))
