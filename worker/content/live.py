"""What a page declares of its live report; its entries look like comments, and are none."""

from collections.abc import Iterator, Sequence
from typing import Any

from lxml.html import HtmlElement

from worker.extraction.scripts import structured_data
from worker.language.words import tokens
from worker.pages import Page
from worker.pages.nodes import Node
from worker.pages.text import visible_text

OF_ENTRIES = 0.2
"""Share of the records that are declared entries, from which on none of them is a comment.

A page declares its latest entries, and shows more.
"""

MIN_ENTRIES = 2
"""Records that are declared entries, at least."""

OPENING = 8
"""Words by which an entry is known."""

LEAST_OPENING = 3
"""Words of the shortest headline, or text, by which it is."""

_DECLARED = "liveBlogUpdate"
_OPENINGS = ("headline", "articleBody", "name", "description")


def are_live_entries(page: Page, records: Sequence[HtmlElement]) -> bool:
    """Say whether records of a page are the entries of a live report, as the page declares.

    Parameters
    ----------
    page
        The page.
    records
        Elements that look like comments.
    """
    if not records:
        return False
    entries = marked_entries(page)
    marked = {*entries, *page.flat.parents[entries].tolist()}
    openings = set(_openings(page))
    if not marked and not openings:
        return False
    places = page.flat.places_of(records)
    count = sum(
        place in marked or _opens(record, openings)
        for place, record in zip(places, records, strict=True)
    )
    return count >= max(MIN_ENTRIES, OF_ENTRIES * len(records))


def marked_entries(page: Page) -> list[int]:
    """Return the places of the elements that microdata calls entries of a live report."""
    owners, properties = page.flat.attributes.named("itemprop")
    return [
        owner
        for owner, value in zip(owners.tolist(), properties, strict=True)
        if value.lower() == _DECLARED.lower()
    ]


def _opens(record: HtmlElement, openings: set[str]) -> bool:
    text = f" {' '.join(tokens(visible_text(record)))} " if openings else ""
    return any(opening in text for opening in openings)


def _openings(page: Page) -> Iterator[str]:
    """Yield the first words of the headlines and texts of declared entries."""
    scripts = Node(page.flat, 0).iter("script")
    for found in structured_data(scripts, holding=_DECLARED):
        for entry in _entries(found.value):
            for name in _OPENINGS:
                value = entry.get(name)
                said = tokens(value[: 100 * OPENING])[:OPENING] if isinstance(value, str) else []
                if len(said) >= LEAST_OPENING:
                    yield f" {' '.join(said)} "


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what a value declares as entries, wherever it stands."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, dict):
            entries = each.get(_DECLARED, [])
            for entry in entries if isinstance(entries, list) else [entries]:
                if isinstance(entry, dict):
                    yield entry
            waiting.extend(inside for key, inside in each.items() if key != _DECLARED)
