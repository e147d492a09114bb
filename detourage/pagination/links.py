"""Links on a page that may lead to other parts of an article, and their runs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from detourage.html import Page
from detourage.html.addresses import MAX_LINKS, absolute, base_of
from detourage.html.flat import FlatDocument
from detourage.html.names import part_at_capitals
from detourage.html.nodes import Node
from detourage.pagination.addresses import Address, Relation
from detourage.pagination.wording import (
    MAX_LABEL,
    Direction,
    Label,
    read_label,
    read_name,
    read_number,
)

MAX_CANDIDATES = 2_000
"""Maximum number of candidate links."""

MAX_NAMES = 500
"""Maximum combined length of an element's class and id, in characters."""

MAX_ANCESTORS = 4
"""Number of a link's ancestors whose names may mark a pager."""

_PAGER = re.compile(
    r"(?<![a-z])(?:pag(?:e[-_]?)?(?:inat\w*|inad\w*|inering|inierung|ination|ing|er|ers|enavi|nav)"
    r"|page[-_]?(?:nav\w*|numbers?|links?|list|bar|selector)|nav[-_]?links|pages|seiten\w*"
    r"|multipage|navigation[-_](?:above|below)|nav-(?:above|below))(?![a-z])"
)
_NO_PAGER = re.compile(
    r"comments?[-_]*(?:pag|nav)|calend|datepick|carousel|slick|swiper|slider|breadcrumb|rating|share|social"
    r"|post[-_]?nav|nav[-_]?single|next[-_]?prev[-_]?(?:post|article)|article[-_]?nav"
)
_CURRENT = re.compile(
    r"(?<![a-z])(?:current|active|selected|highlight|disabled|aktiv|here)(?![a-z])"
    r"|(?:current|active|selected)-?(?:page|link|item)|(?:page|link|item)[-_]*(?:current|active)"
)
_TITLES = ("title", "aria-label")
_FOLLOWED = {"next": Direction.NEXT, "prev": Direction.PREVIOUS, "previous": Direction.PREVIOUS}


@dataclass(frozen=True)
class PartLink:
    """A link that may lead to another part.

    ``element`` is an index in the document, ``href`` the URL as written, and ``relation`` the
    URL's relation to the page's own URL. ``direction`` is derived from the label, ``rel`` and the
    names. A declared link is a ``link`` element, which is invisible to readers.
    """

    element: int
    href: str
    address: Address
    relation: Relation | None
    label: Label | None
    direction: Direction | None
    is_declared: bool = False


class Links:
    """The pagination links of a page."""

    def __init__(self, page: Page) -> None:
        self.flat: FlatDocument = page.flat
        self.own = Address(page.url)
        self.url = page.url

    @cached_property
    def _base(self) -> str:
        return base_of(Node(self.flat, 0), self.url)

    @cached_property
    def anchors(self) -> dict[int, str]:
        """The URLs of ``a`` elements as written in the page, by element, in document order."""
        is_anchor = self.flat.having(("a",))
        owners, values = self.flat.attributes.named("href")
        chosen = np.flatnonzero(is_anchor[owners])[:MAX_LINKS].tolist()
        return {int(owners[place]): values[place] for place in chosen}

    @cached_property
    def numbers(self) -> list[tuple[int, int, int | None]]:
        """The texts that are numbers: index among the texts, number, and enclosing link, if any."""
        flat = self.flat
        found = [
            (place, number)
            for place, text in enumerate(flat.texts)
            if len(text) <= MAX_LABEL and (number := read_number(text)) is not None
        ]
        if not found:
            return []
        link_of = self._link_of_texts
        return [(place, number, link_of.get(place)) for place, number in found]

    @cached_property
    def _link_of_texts(self) -> dict[int, int]:
        """The enclosing link of each text that is alone in its link."""
        flat = self.flat
        elements = np.fromiter(self.anchors, np.int64, len(self.anchors))
        starts, ends = flat.text_starts[elements], flat.text_ends[elements]
        alone = ends - starts == 1
        return dict(zip(starts[alone].tolist(), elements[alone].tolist(), strict=True))

    def address(self, element: int) -> Address | None:
        """Return the URL of a link, or None if it does not lead to a page of this host."""
        href = self.anchors.get(element)
        return self._address(href) if href is not None else None

    def _address(self, href: str) -> Address | None:
        written = href.strip()
        if not written or written.startswith(("#", "javascript:")):
            return None
        url = absolute(written, self._base)
        if url is None:
            return None
        address = Address(url.partition("#")[0])
        if address.host != self.own.host or address.is_of_comments:
            return None
        return address

    @cached_property
    def candidates(self) -> list[PartLink]:
        """The links whose labels or names suggest other parts, in document order."""
        found = []
        for element, label in self._labelled():
            link = self._part_link(element, label)
            if link is not None:
                found.append(link)
            if len(found) == MAX_CANDIDATES:
                break
        return found

    def _labelled(self) -> Iterator[tuple[int, Label | None]]:
        flat, texts = self.flat, self.flat.texts
        elements = np.fromiter(self.anchors, np.int64, len(self.anchors))
        starts = flat.text_starts[elements].tolist()
        ends = flat.text_ends[elements].tolist()
        related = self._related
        read: dict[str, Label | None] = {}
        for element, start, end in zip(self.anchors, starts, ends, strict=True):
            label = None
            if end - start <= 3:
                text = texts[start] if end == start + 1 else " ".join(texts[start:end])
                if len(text) <= 2 * MAX_LABEL:
                    if text not in read:
                        read[text] = read_label(" ".join(text.split()))
                    label = read[text]
            names_direction = label is not None and label.number is None
            if names_direction or element in related or (end == start and label is None):
                yield element, label

    @cached_property
    def _related(self) -> set[int]:
        """The elements that have a relevant ``rel``, or a class or id that names a direction."""
        flat = self.flat
        owners, values = flat.attributes.named("rel")
        found = {
            owner
            for owner, value in zip(owners.tolist(), values, strict=True)
            if _followed(value) is not None
        }
        if self._ways:
            found.update(np.flatnonzero(np.isin(flat.name_numbers, [*self._ways])).tolist())
        return found

    @cached_property
    def _ways(self) -> Mapping[int, Direction]:
        """The direction named by each pair of class and id, if any."""
        return {
            number: way
            for number, (word, name) in enumerate(self.flat.distinct_names)
            if "ext" in word or "rev" in word or "ext" in name or "rev" in name
            if (way := read_name(f"{word} {name}"[:MAX_NAMES])) is not None
        }

    def _part_link(self, element: int, label: Label | None) -> PartLink | None:
        attributes = self.flat.attributes.of(element)
        way = label.direction if label is not None else None
        if label is None or not label.is_sure:
            titled = self._titled(element, attributes)
            named = self._named_direction(element)
            followed = _followed(attributes.get("rel", ""))
            titled_direction = titled.direction if titled is not None else None
            if label is None:
                label = titled
            way = titled_direction or followed or named or way
        if way is None:
            return None
        address = self.address(element)
        if address is None or address.plain == self.own.plain:
            return None
        if self.is_in_pager(element) is False:
            return None
        relation = self.own.relation(address)
        return PartLink(element, self.anchors[element], address, relation, label, way)

    def _titled(self, element: int, attributes: Mapping[str, str]) -> Label | None:
        """Return the meaning of the title of a link or of an image in it."""
        written = [attributes.get(name, "") for name in _TITLES]
        if not any(written):
            written += [
                image.get(name, "") or ""
                for image in Node(self.flat, element).iter("img")
                for name in ("alt", "title")
            ][:4]
        for title in written:
            text = " ".join(title[: 4 * MAX_LABEL].split())
            # "Next Page - Results 21 to 40 of 201"
            label = read_label(text) or read_label(text.partition(" - ")[0])
            if label is not None and label.direction is not None:
                return label
        return None

    def _named_direction(self, element: int) -> Direction | None:
        """Return the direction named by a class or id of a link or, if it is small, its parent."""
        flat = self.flat
        if way := self._ways.get(int(flat.name_numbers[element])):
            return way
        around = int(flat.parents[element])
        if around < 0 or flat.ends[around] - around > 6:
            return None
        return self._ways.get(int(flat.name_numbers[around]))

    def is_in_pager(self, element: int) -> bool | None:
        """Return whether an element is in a pager, according to the names of its ancestors.

        None means that no ancestor has the name of a pager, and False means that the pager belongs
        to something else, such as a calendar or comments.
        """
        flat, around = self.flat, element
        for _ in range(MAX_ANCESTORS):
            kind = self._is_pager(int(flat.name_numbers[around]))
            if kind is not None:
                return kind
            around = int(flat.parents[around])
            if around < 0:
                break
        return None

    def _is_pager(self, name: int) -> bool | None:
        if name not in self._pagers:
            names = self._names(name)
            is_none = _NO_PAGER.search(names) is not None
            self._pagers[name] = False if is_none else bool(_PAGER.search(names)) or None
        return self._pagers[name]

    def marks_current(self, name: int) -> bool:
        """Return whether a class and id, given by their index, mark the current page."""
        return _CURRENT.search(self._names(name)) is not None

    def _names(self, name: int) -> str:
        """Return a class and id, given by their index, in the form expected by the patterns."""
        word, own = self.flat.distinct_names[name]
        return part_at_capitals(f"{word} {own}"[:MAX_NAMES])

    @cached_property
    def _pagers(self) -> dict[int, bool | None]:
        return {}

    @cached_property
    def declared(self) -> list[PartLink]:
        """The ``link`` elements for the next or previous page that have a visible counterpart.

        Those without one are leftovers of an earlier layout, or lead beyond the last page.
        """
        found = []
        shown = {href.strip().partition("#")[0] for href in self.anchors.values()}
        for node in Node(self.flat, 0).iter("link"):
            way = _followed(node.get("rel") or "")
            address = self._address(node.get("href") or "") if way is not None else None
            if way is None or address is None or address.plain == self.own.plain:
                continue
            href = node.get("href") or ""
            if href.strip() not in shown and address.url not in shown:
                continue
            relation = self.own.relation(address)
            found.append(PartLink(node.index, href, address, relation, None, way, True))
            if len(found) == MAX_CANDIDATES:
                break
        return found


def _followed(rel: str) -> Direction | None:
    for word in rel.lower().split()[:10]:
        if word in _FOLLOWED:
            return _FOLLOWED[word]
    return None


MAX_BETWEEN = 2
"""Maximum number of texts, such as separators and dots, between two numbers of a run."""

MAX_SEPARATOR = 12
"""Maximum length of a text between two numbers of a run, in characters."""

MAX_RUN = 1_000
"""Maximum number of pages per run."""

MIN_OF_CALENDAR = 5
"""Minimum number of table cells for a run without marked page numbers to be a calendar."""

MIN_KNOWN = 2
"""Minimum number of numbered URLs from which another page's number is inferred."""


@dataclass(frozen=True)
class Run:
    """Pages of a numbered run, by number.

    `number` is that of the page itself, or None if the run does not show it. ``is_related`` is set
    if the URLs confirm that the pages are parts of the same article.
    """

    number: int | None
    pages: dict[int, Address]
    is_related: bool


_Member = tuple[int, int, int | None]


def find_runs(links: Links) -> list[Run]:
    """Find the numbered runs that lead to other parts of the page's article."""
    return [run for members in _runs(links) if (run := _read(links, members)) is not None]


def _runs(links: Links) -> Iterator[list[_Member]]:
    texts = links.flat.texts
    run: list[_Member] = []
    for member in links.numbers:
        place, number, _ = member
        if run:
            before, last, _ = run[-1]
            between = texts[before + 1 : place] if place - before <= MAX_BETWEEN + 1 else None
            continues = (
                between is not None
                and last < number
                and all(len(text.strip()) <= MAX_SEPARATOR for text in between)
            )
            if not continues:
                yield run
                run = []
        run.append(member)
    if run:
        yield run


def _read(links: Links, members: Sequence[_Member]) -> Run | None:
    pages, elements = _linked(links, members)
    marked = [
        number for number, link in elements.items() if _is_current(links, pages, number, link)
    ]
    others = {number: each for number, each in pages.items() if number not in marked}
    if not others or len({each.plain for each in others.values()}) < len(others):
        return None
    relations = {
        number: relation
        for number, each in others.items()
        if (relation := links.own.relation(each)) is not None
    }
    is_named = any(relation.is_named for relation in relations.values())
    is_related = 2 * sum(_fits(*each) for each in relations.items()) > len(others)
    # Unlike page sizes such as "10 25 50".
    has_neighbours = any(later[1] - earlier[1] == 1 for earlier, later in pairwise(members))
    if not is_named and (_is_calendar(links, elements) or not has_neighbours):
        return None
    unlinked = [number for _, number, _ in members if number not in elements]
    current = marked or unlinked
    number = current[0] if len(current) == 1 else None
    if number is None and is_related:
        number = _number_by_address(relations)
    in_pager = links.is_in_pager(next(iter(elements.values())))
    if not is_related and (number is None or not in_pager):
        return None
    return Run(number, pages, is_related)


def _linked(links: Links, members: Sequence[_Member]) -> tuple[dict[int, Address], dict[int, int]]:
    pages: dict[int, Address] = {}
    elements: dict[int, int] = {}
    for _, number, link in members:
        address = links.address(link) if link is not None else None
        if link is not None and address is not None:
            pages[number] = address
            elements[number] = link
            if len(pages) == MAX_RUN:
                break
    return pages, elements


def _is_current(links: Links, pages: dict[int, Address], number: int, link: int) -> bool:
    """Return whether a number in a run is the number of the page itself."""
    if pages[number].plain == links.own.plain:
        return True
    flat = links.flat
    around = int(flat.parents[link])
    names = [flat.name_numbers[link]]
    if around >= 0 and flat.ends[around] - around <= 3:
        names.append(flat.name_numbers[around])
    if any(links.marks_current(int(name)) for name in names):
        return True
    return flat.attributes.of(link).get("aria-current") not in {None, "false"}


def _fits(number: int, relation: Relation) -> bool:
    """Return whether a URL contains the number displayed by its link."""
    if relation.is_named:
        return True
    return relation.other == number or (relation.other is None and number == 1)


def _number_by_address(relations: Mapping[int, Relation]) -> int | None:
    """Infer the number of the page itself from the URLs of at least two other pages."""
    known = [
        (number, relation.other)
        for number, relation in relations.items()
        if relation.other is not None
    ]
    own = next(iter(relations.values())).own
    if own is None:
        return 1 if 1 not in relations else None
    if len(known) < MIN_KNOWN:
        return own if known and known[0][0] == known[0][1] else None
    (low, at_low), (high, at_high) = known[0], known[-1]
    if at_low == at_high:
        return None
    number, rest = divmod((own - at_low) * (high - low), at_high - at_low)
    return low + number if rest == 0 and low + number >= 1 else None


def _is_calendar(links: Links, elements: dict[int, int]) -> bool:
    flat = links.flat
    cells = sum(flat.tags[int(flat.parents[link])] == "td" for link in elements.values())
    return cells >= MIN_OF_CALENDAR
