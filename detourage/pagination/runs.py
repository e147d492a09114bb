"""Numbered runs of links, such as ``1 2 3 … 12``, in which one number is the page itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from detourage.pagination.addresses import Address, Relation
from detourage.pagination.links import Links

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
    if not is_named and (_is_calendar(links, elements) or not _has_neighbours(members)):
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


def _has_neighbours(members: Sequence[_Member]) -> bool:
    """Return whether any two numbers are consecutive, unlike page sizes such as "10 25 50"."""
    return any(later[1] - earlier[1] == 1 for earlier, later in pairwise(members))


def _is_calendar(links: Links, elements: dict[int, int]) -> bool:
    flat = links.flat
    cells = sum(flat.tags[int(flat.parents[link])] == "td" for link in elements.values())
    return cells >= MIN_OF_CALENDAR
