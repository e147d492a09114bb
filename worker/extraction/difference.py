"""The body as the text that differs between two pages of a template (paper 000, 4.4.2)."""

from worker.extraction import words
from worker.extraction.finding import Finding
from worker.extraction.names import name_words
from worker.extraction.outline import NO_TEXT, Outline

METHOD = "paper000"

MIN_PROPORTION = 0.02
"""Smallest share of the page's tokens of a zone (the paper's own figure)."""

MAX_HELD_BELOW = 0.5
"""An element with a larger share of its tokens in zones beneath it is too enclosing."""

TEXT_DIVISIONS = frozenset(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote q pre code table thead tbody tfoot "
    "tr caption figcaption a b i u s em strong small big font span abbr acronym cite sub sup "
    "ins del mark tt kbd samp var time label legend nobr center img".split()
)
"""Elements that divide a text and do not hold one: never a zone, lest the descent go too low."""

FILTERED_NAMES = frozenset({"comment", "comments", "gallery"})
"""Words of a class or id that point at text that changes and is not the article."""


def find_body(page: Outline, pivot: Outline) -> Finding | None:
    """Find the body by the text that differs from another page of the same template.

    Parameters
    ----------
    page
        The page.
    pivot
        Another page of its template group.

    Returns
    -------
    Finding or None
        None where no zone survives: pages with the same text, or without any class and id.
    """
    zones = _minimal(page, _zones(page, pivot))
    if not zones:
        return None
    title, *later = zones
    body = next(
        (zone for zone in later if zone >= page.ends[title] and page.size(zone) > page.size(title)),
        title,
    )
    return Finding(METHOD, body)


def _zones(page: Outline, pivot: Outline) -> list[int]:
    """List the elements whose text is large, named, no filtered part, and new on this page."""
    least = max(1.0, MIN_PROPORTION * len(page.tokens))
    counterparts = page.counterparts(pivot)
    zones: list[int] = []
    index = 0
    while index < len(page.elements):
        element = page.elements[index]
        if page.size(index) < least or element.tag in NO_TEXT or _is_filtered(page, index):
            index = page.ends[index]
            continue
        if (
            element.tag not in TEXT_DIVISIONS
            and (element.get("class") or element.get("id"))
            and _differs(page, index, pivot, counterparts[index])
        ):
            zones.append(index)
        index += 1
    return zones


def _is_filtered(page: Outline, index: int) -> bool:
    return not FILTERED_NAMES.isdisjoint(name_words(page.elements[index]))


def _differs(page: Outline, index: int, pivot: Outline, counterpart: int) -> bool:
    if counterpart < 0:
        return True
    if dict(page.elements[index].attrib) != dict(pivot.elements[counterpart].attrib):
        return True
    return words.cosine(page.tokens_of(index), pivot.tokens_of(counterpart)) < 1.0


def _minimal(page: Outline, zones: list[int]) -> list[int]:
    """Leave out the zones whose text is mostly in zones beneath them."""
    held = dict.fromkeys(zones, 0)
    enclosing: list[int] = []
    for zone in zones:
        while enclosing and page.ends[enclosing[-1]] <= zone:
            enclosing.pop()
        if enclosing:
            held[enclosing[-1]] += page.size(zone)
        enclosing.append(zone)
    return [zone for zone in zones if held[zone] <= MAX_HELD_BELOW * page.size(zone)]
