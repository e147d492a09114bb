"""Grouping of pages from files by template, without the service."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from detourage.expected_errors import ExpectedError
from detourage.html import PageError, Tree, parse_page, site_key
from detourage.messages import PageMessage
from detourage.template.grouping_methods import METHODS
from detourage.template.groups import SiteGroups, group_site
from detourage.text.plural import pluralise

Progress = Callable[[str, int, int], None]
"""Callback that receives the name of a step, the number of finished items, and their total."""


class Clustering(NamedTuple):
    """The groups of pages of each site, largest site first, and the number of unusable messages."""

    method: str
    sites: list[SiteGroups]
    unusable: int

    def to_lines(self) -> Iterator[str]:
        """Yield report lines with the groups, their sizes and representatives, and the outliers."""
        for site in self.sites:
            grouping = site.grouping
            yield (
                f"{site.site}: {pluralise(len(site.urls), 'page')},"
                f" {pluralise(len(grouping.groups), 'group')},"
                f" {pluralise(len(grouping.outliers), 'outlier')}"
                # A silhouette requires at least two groups.
                + (f", silhouette {grouping.silhouette:.2f}" if len(grouping.groups) > 1 else "")
            )
            for number, group in enumerate(grouping.groups, start=1):
                yield f"  {number:>7} {len(group.members):>5}  {site.urls[group.pivot]}"
            for outlier in grouping.outliers:
                yield f"  outlier        {site.urls[outlier]}"
        if self.unusable:
            yield pluralise(self.unusable, "unusable message")

    def to_json(self) -> dict[str, Any]:
        """Return everything except the distances as JSON values."""
        sites = [_site_to_json(site) for site in self.sites]
        return {"method": self.method, "unusable": self.unusable, "sites": sites}


def cluster_pages(
    messages: Iterable[bytes], method: str, *, threads: int, progress: Progress
) -> Clustering:
    """Group the pages of each site in raw page messages with a method in `METHODS`.

    If several messages have the same URL, the last one is used.
    """
    if method not in METHODS:
        raise ExpectedError(f"unknown method {method!r}; choose one of {', '.join(METHODS)}")
    trees_by_site: dict[str, dict[str, Tree]] = {}
    unusable = 0
    for body in messages:
        try:
            message = PageMessage.from_json(body)
            page = parse_page(message.content, message.url, content_type=message.content_type)
        except (ValidationError, PageError):
            unusable += 1
            continue
        site = site_key(message.site, message.url)
        trees_by_site.setdefault(site, {})[message.url] = page.tree
    if not trees_by_site:
        raise ExpectedError("the input contains no usable page")
    sites = []
    for done, (site, tree_by_url) in enumerate(trees_by_site.items()):
        progress("sites", done, len(trees_by_site))
        urls, trees = zip(*sorted(tree_by_url.items(), key=lambda item: item[0]), strict=True)
        sites.append(group_site(site, urls, trees, estimator=METHODS[method](), threads=threads))
    progress("sites", len(trees_by_site), len(trees_by_site))
    sites.sort(key=lambda site: (-len(site.urls), site.site))
    return Clustering(method, sites, unusable)


def _site_to_json(site: SiteGroups) -> dict[str, Any]:
    return {
        "site": site.site,
        "pages": len(site.urls),
        "silhouette": round(site.grouping.silhouette, 6),
        "groups": [
            {
                "group": number,
                "size": len(group.members),
                "representative": site.urls[group.pivot],
                "members": [site.urls[member] for member in group.members],
            }
            for number, group in enumerate(site.grouping.groups, start=1)
        ],
        "outliers": [site.urls[outlier] for outlier in site.grouping.outliers],
    }
