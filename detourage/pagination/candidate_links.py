"""Links on a page that may lead to other parts of an article, and runs such as "1 2 3"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from detourage.core import PartLinks
from detourage.html import Page
from detourage.html.class_name_splitting import to_kebab_case
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of
from detourage.pagination import link_labels
from detourage.pagination.link_labels import Direction
from detourage.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from detourage.pagination.page_numbers import Address

MAX_CANDIDATES = 2_000  # maximum number of links per page that may lead to other parts
MAX_NAMES = 500  # maximum combined length of an element's class and ID, in characters
MAX_ANCESTORS = 4  # maximum number of elements, from a link outwards, that may be a pager
_PAGER = lazy_pattern(  # names such as "pagination", "page-numbers"
    r"(?<![a-z])(?:pag(?:e[-_]?)?(?:inat\w*|inad\w*|inering|inierung|ination|ing|er|ers|enavi|nav)"
    r"|page[-_]?(?:nav\w*|numbers?|links?|list|bar|selector)|nav[-_]?links|pages|seiten\w*"
    r"|multipage|navigation[-_](?:above|below)|nav-(?:above|below))(?![a-z])"
)
_CURRENT = lazy_pattern(  # names such as "current", "page-item-active"
    r"(?<![a-z])(?:current|active|selected|highlight|disabled|aktiv|here)(?![a-z])"
    r"|(?:current|active|selected)-?(?:page|link|item)|(?:page|link|item)[-_]*(?:current|active)"
)


class PartLink(NamedTuple):
    """A link that may lead to another part, and the direction that its label or names suggest."""

    element: int
    address: Address
    has_label: bool
    direction: Direction


class Links:
    """The pagination links of a page."""

    def __init__(self, page: Page) -> None:
        self.flat: FlatDocument = page.flat
        self._url = page.url
        self.found = PartLinks.of(self.flat, link_labels.label_words())

    @cached_property
    def own(self) -> Address:
        """The page's URL."""
        # Imported here, and below, because most pages have no such links.
        from detourage.pagination.page_numbers import Address

        return Address(self._url)

    @cached_property
    def _base(self) -> str:
        return base_of(Node(self.flat, 0), self._url)

    def address(self, element: int) -> Address | None:
        """Return the URL of a link, or None if it does not lead to a page of this host."""
        href = self.flat.values("href")[element].strip()
        if not href or href.startswith(("#", "javascript:")):
            return None
        url = absolute(href, self._base)
        if url is None:
            return None
        from detourage.pagination.page_numbers import Address

        address = Address(url.partition("#")[0])
        return None if address.host != self.own.host or address.is_comment_page else address

    @cached_property
    def candidates(self) -> list[PartLink]:
        """The links whose labels or names suggest other parts, in document order."""
        links = (self._part_link(*each) for each in self.found.labelled)
        return [*islice((link for link in links if link is not None), MAX_CANDIDATES)]

    def _direction_at(self, element: int) -> Direction | None:
        """Return the direction named by an element's class or ID, or None."""
        names = " ".join(self.flat.distinct_names[self.flat.name_numbers[element]])
        may_match = "ext" in names or "rev" in names
        return link_labels.read_name(names[:MAX_NAMES]) if may_match else None

    def _part_link(self, element: int, text: str | None) -> PartLink | None:
        label = link_labels.read_label(text) if text else None
        is_labelled = label is not None and label.number is None
        if text is not None and not is_labelled and not self._direction_at(element):
            return None
        direction = label.direction if label is not None else None
        if label is None or not label.is_sure:
            direction = self._named_direction(element) or direction
        address = self.address(element) if direction is not None else None
        if direction is None or address is None or address.plain == self.own.plain:
            return None
        return PartLink(element, address, label is not None, direction)

    def _named_direction(self, element: int) -> Direction | None:
        """Return the direction named by the class or ID of a link or, if small, of its parent."""
        flat = self.flat
        if direction := self._direction_at(element):
            return direction
        parent = int(flat.parents[element])
        if parent < 0 or flat.ends[parent] - parent > 6:
            return None
        return self._direction_at(parent)

    def is_in_pager(self, element: int) -> bool:
        """Return whether the class or ID of an element or its ancestors denotes a pager."""
        for _ in range(MAX_ANCESTORS):
            if _PAGER.search(self.names(element)):
                return True
            element = int(self.flat.parents[element])
            if element < 0:
                break
        return False

    def names(self, element: int) -> str:
        """Return the class and ID of an element in kebab case, as the patterns expect."""
        classes, identity = self.flat.distinct_names[self.flat.name_numbers[element]]
        return to_kebab_case(f"{classes} {identity}"[:MAX_NAMES])


MAX_RUN = 1_000  # maximum number of pages in a run
MIN_CALENDAR_CELLS = 5  # table cells of a run, without words such as "page", that is a calendar


class Run(NamedTuple):
    """The pages in a run of links, such as "1 2 3", by number.

    `number` is the number of the page itself, or None if unknown. `is_related` is true if the URLs
    confirm that the pages are parts of the same article.
    """

    number: int | None
    pages: dict[int, Address]
    is_related: bool


_Item = tuple[int, int | None]  # a number in a run, and its link, if any


def find_runs(links: Links) -> list[Run]:
    """Return the runs that lead to other parts of the page's article."""
    return [run for items in links.found.runs if (run := _read_run(links, items)) is not None]


def _read_run(links: Links, items: Sequence[_Item]) -> Run | None:
    """Return a run, or None if its pages are probably not parts of the page's article."""
    pages, elements = _linked_pages(links, items)
    marked = [
        number for number, link in elements.items() if _is_current(links, pages, number, link)
    ]
    others = {number: page for number, page in pages.items() if number not in marked}
    if not others or len({page.plain for page in others.values()}) < len(others):
        return None
    relations = [*filter(None, map(links.own.relation, others.values()))]
    is_named = any(relation.is_named for relation in relations)
    is_related = 2 * len(relations) > len(others)
    # Unlike pages, page sizes such as "10 25 50" are not consecutive.
    has_neighbours = any(later[0] - earlier[0] == 1 for earlier, later in pairwise(items))
    flat = links.flat
    cells = sum(flat.tags[int(flat.parents[link])] == "td" for link in elements.values())
    if not is_named and (cells >= MIN_CALENDAR_CELLS or not has_neighbours):
        return None
    current = marked or [number for number, _ in items if number not in elements]
    number = current[0] if len(current) == 1 else None
    if number is None and is_related and relations[0].own is None and 1 not in others:
        number = 1
    is_in_pager = links.is_in_pager(next(iter(elements.values())))
    if not is_related and (number is None or not is_in_pager):
        return None
    return Run(number, pages, is_related)


def _linked_pages(
    links: Links, items: Sequence[_Item]
) -> tuple[dict[int, Address], dict[int, int]]:
    """Return the URLs and the elements of the links in a run, by number."""
    pages: dict[int, Address] = {}
    elements: dict[int, int] = {}
    for number, link in items:
        address = links.address(link) if link is not None else None
        if link is not None and address is not None:
            pages[number] = address
            elements[number] = link
            if len(pages) == MAX_RUN:
                break
    return pages, elements


def _is_current(links: Links, pages: dict[int, Address], number: int, link: int) -> bool:
    """Return whether a link in a run leads to, or is marked as, the page itself."""
    if pages[number].plain == links.own.plain:
        return True
    flat = links.flat
    parent = int(flat.parents[link])
    is_small = parent >= 0 and flat.ends[parent] - parent <= 3
    if any(_CURRENT.search(links.names(each)) for each in ([link, parent] if is_small else [link])):
        return True
    return flat.attributes.by_element("aria-current").get(link) not in {None, "false"}
