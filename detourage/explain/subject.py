"""Selection of the page to examine, and of another page to compare it with."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from detourage.comments import CommentPattern
from detourage.explain.input_pages import ExplainingError, GivenPage, Source, given_pages
from detourage.html import Page, PageError, parse_page, site_of
from detourage.reader.content import comment_pattern_of, pattern_of_group, patterns_for_page
from detourage.text.plural import counted


@dataclass(frozen=True)
class Subject:
    """The page to examine and, if there is one, another page of its group (the pivot)."""

    page: Page
    pivot: Page | None
    group_size: int
    patterns: Sequence[CommentPattern] | None
    source: Source
    pivot_source: Source | None = None


def load_subject(
    place: str, site_pages: Path | None = None, url: str | None = None, *, threads: int = 1
) -> Subject:
    """Read a page and find another page of its template as the service does.

    `url` selects one of several pages, or replaces a single page's URL. The page is compared with
    those `site_pages` that belong to its site. If all of them belong to one other site, it is
    compared with all of them, because pages saved by hand do not retain their URL.
    """
    source = _chosen(place, given_pages(place), url)
    others = _site_pages(site_pages, source) if site_pages is not None else []
    if not others:
        return alone(source)
    page = source.parse()
    # Imported here because a single page does not need page comparison, which is slow to import.
    from detourage.template.groups import group_site

    read = [(source, page), *_readable(others)]
    pages = [each for _, each in read]
    groups = group_site(
        source.site, [each.url for each in pages], [each.tree for each in pages], threads=threads
    )
    group, pivot = groups.group_of(0), groups.compared_with(0)
    members = [pages[member] for member in group.members] if group is not None else []
    of_group = pattern_of_group(comment_pattern_of(member) for member in members)
    return Subject(
        page,
        pages[pivot] if pivot is not None else None,
        len(members) or 1,
        patterns_for_page(comment_pattern_of(page), of_group),
        source,
        read[pivot][0] if pivot is not None else None,
    )


def alone(source: Source) -> Subject:
    """Return a page as a subject without a pivot; raise `ExplainingError` if it is unusable."""
    page = source.parse()
    patterns = patterns_for_page(comment_pattern_of(page), None)
    return Subject(page, None, 1, patterns, source)


def _chosen(place: str, given: Iterator[GivenPage], url: str | None) -> Source:
    """Return the only page, or the last one with the given URL; skip invalid messages."""
    found: Source | None = None
    named: Source | None = None
    problem: ExplainingError | None = None
    number = 0
    for each in given:
        try:
            source = each.read()
        except ExplainingError as error:
            problem = problem or error
            continue
        number += 1
        found = source
        if source.url == url:
            named = source
    if named is not None:
        return named
    if found is None:
        raise problem or ExplainingError(place, "contains no page")
    if number == 1:
        return found if url is None else replace(found, url=url, site=site_of(url))
    if url is not None:
        raise ExplainingError(place, f"contains no page with the URL {url}")
    raise ExplainingError(place, f"holds {counted(number, 'page')}: select one with --url")


def _site_pages(path: Path, source: Source) -> list[Source]:
    # A single page needs neither the settings nor the libraries for comparison.
    from detourage.limits import WHOLE_MATRIX_TREES

    by_site: defaultdict[str, dict[str, Source]] = defaultdict(dict)
    for given in given_pages(str(path)):
        with suppress(ExplainingError):
            other = given.read()
            if other.url != source.url:
                by_site[other.site][other.url] = other
    site = source.site
    pages = by_site[site] if site in by_site or len(by_site) != 1 else by_site.popitem()[1]
    return [pages[url] for url in sorted(pages)[:WHOLE_MATRIX_TREES]]


def _readable(others: Iterable[Source]) -> Iterator[tuple[Source, Page]]:
    for other in others:
        with suppress(PageError):
            yield other, parse_page(other.content, other.url, content_type=other.content_type)
