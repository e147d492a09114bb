"""Recognition of the links from a page to the other parts of an article.

Candidates are links with numbers, arrows or words, and links whose class or ID names a direction.
They are accepted only if their URL differs from the page's URL by a number, or if they belong to a
run such as "1 2 3" or to an element whose class or ID denotes a pager.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from detourage.html import Page
from detourage.pagination.candidate_links import Links, Run, find_runs
from detourage.pagination.link_labels import Direction

if TYPE_CHECKING:
    from detourage.pagination.page_numbers import Address

# Ranks of links that are confirmed by their URL, or only by their position in a pager.
_CONFIRMED_BY_URL, _CONFIRMED_BY_PAGER = 2, 1


@dataclass(frozen=True)
class Pagination:
    """The other parts that a page links to, as absolute URLs without fragments.

    `number` is that of the page itself, if known. `pages`, in ascending order of their numbers, may
    include the page itself. The other links are None if the page has none. `whole` is a page with
    all parts. On some blogs, `previous` leads to older posts.
    """

    number: int | None = None
    pages: Mapping[int, str] = field(default_factory=dict)
    next: str | None = None
    previous: str | None = None
    first: str | None = None
    last: str | None = None
    whole: str | None = None

    def __bool__(self) -> bool:
        """Whether the page links to any other part."""
        return bool(self.pages or self.next or self.previous or self.whole)


def read_pagination(page: Page) -> Pagination:
    """Find the links from a page to the other parts of its article, given its URL as fetched."""
    links = Links(page)
    runs = find_runs(links)
    if not (runs or links.candidates) or not links.own.interpretations:
        return Pagination()
    number, pages = _merge_runs(runs)
    in_runs = {address.plain for address in pages.values()}
    best: dict[Direction, tuple[int, Address]] = {}
    single_pages = []
    for link in links.candidates:
        if link.direction is Direction.WHOLE:
            single_pages.append(link)
            continue
        rank = 0
        if link.address.plain in in_runs or links.own.relation(link.address) is not None:
            rank = _CONFIRMED_BY_URL
        elif link.has_label and in_runs and links.is_in_pager(link.element):
            rank = _CONFIRMED_BY_PAGER
        if rank > best.get(link.direction, (0, None))[0]:
            best[link.direction] = rank, link.address
    chosen = {direction: address for direction, (_, address) in best.items()}
    _add_neighbours(chosen, number, pages)
    if chosen or pages:
        for link in single_pages:
            if link.address.is_single_page_of(links.own):
                chosen.setdefault(Direction.WHOLE, link.address)
    if number is None:
        number = _own_number(links, chosen)
    urls = {key: pages[key].url for key in sorted(pages)}
    others = {direction.value: address.url for direction, address in chosen.items()}
    return Pagination(number=number, pages=urls, **others)


def _merge_runs(runs: Sequence[Run]) -> tuple[int | None, dict[int, Address]]:
    """Merge runs of the same pages; many pages have one at the top and another at the bottom."""
    number: int | None = None
    pages: dict[int, Address] = {}
    for run in [run for run in runs if run.is_related] or runs[:1]:
        number = number if number is not None else run.number
        for key, address in run.pages.items():
            pages.setdefault(key, address)
    return number, pages


def _add_neighbours(
    chosen: dict[Direction, Address], number: int | None, pages: Mapping[int, Address]
) -> None:
    """Add missing links to the next and the previous page from the numbered pages."""
    if number is None:
        return
    taken = {address.plain for address in chosen.values()}
    for direction, neighbour in ((Direction.NEXT, number + 1), (Direction.PREVIOUS, number - 1)):
        address = pages.get(neighbour)
        if address is not None and direction not in chosen and address.plain not in taken:
            chosen[direction] = address


def _own_number(links: Links, chosen: Mapping[Direction, Address]) -> int | None:
    """Return the number in the URL if it continues that of an adjacent page; 1 if it has none."""
    for direction, number in ((Direction.NEXT, 1), (Direction.PREVIOUS, None)):
        address = chosen.get(direction)
        relation = links.own.relation(address) if address is not None else None
        if relation is not None:
            return number if relation.own is None else relation.own
    return None
