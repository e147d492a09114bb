"""Recognition of declared live reports, whose entries look like comments."""

from collections.abc import Iterator, Sequence
from typing import Any

from lxml.html import HtmlElement

from detourage.html import Page
from detourage.html.nodes import Node
from detourage.html.text import visible_text
from detourage.reader.scripts import structured_data
from detourage.text.words import tokens

OF_ENTRIES = 0.2
"""Minimum share of declared entries among the records for none of them to count as a comment.

The share is low because a page may declare only the latest of the entries that it displays.
"""

MIN_ENTRIES = 2
"""Minimum number of declared entries among the records."""

OPENING = 8
"""Number of leading words that identify an entry."""

MIN_OPENING = 3
"""Minimum number of words in a headline or text that identifies an entry."""

_DECLARED = "liveBlogUpdate"
_OPENINGS = ("headline", "articleBody", "name", "description")


def are_live_entries(page: Page, records: Sequence[HtmlElement]) -> bool:
    """Return whether elements that look like comments are in fact declared live entries."""
    if not records:
        return False
    entries = _marked_entries(page)
    marked = {*entries, *page.flat.parents[entries].tolist()}
    openings = set(_openings(page))
    lengths = {len(each) for each in openings}
    if not marked and not openings:
        return False
    places = page.flat.places_of(records)
    count = sum(
        place in marked or _opens(record, openings, lengths)
        for place, record in zip(places, records, strict=True)
    )
    return count >= max(MIN_ENTRIES, OF_ENTRIES * len(records))


def _marked_entries(page: Page) -> list[int]:
    """Return the indices of elements marked as live entries in microdata."""
    owners, properties = page.flat.attributes.named("itemprop")
    return [
        owner
        for owner, value in zip(owners.tolist(), properties, strict=True)
        if value.lower() == _DECLARED.lower()
    ]


def _opens(record: HtmlElement, openings: set[tuple[str, ...]], lengths: set[int]) -> bool:
    words = tokens(visible_text(record)) if openings else []
    return any(
        tuple(words[first : first + length]) in openings
        for length in lengths
        for first in range(len(words) - length + 1)
    )


def _declared_reports(page: Page) -> Iterator[dict[str, Any]]:
    """Yield the objects with live entries in a page's JSON-LD, at any depth."""
    scripts = Node(page.flat, 0).iter("script")
    for found in structured_data(scripts, holding=_DECLARED):
        waiting = [found.value]
        while waiting:
            each = waiting.pop()
            if isinstance(each, list):
                waiting.extend(reversed(each))
            elif isinstance(each, dict):
                if _DECLARED in each:
                    yield each
                inside = (value for key, value in each.items() if key != _DECLARED)
                waiting.extend(reversed([*inside]))


def _openings(page: Page) -> Iterator[tuple[str, ...]]:
    """Yield the first words of the headlines and texts of declared entries."""
    for report in _declared_reports(page):
        updates = report[_DECLARED]
        for entry in updates if isinstance(updates, list) else [updates]:
            for name in _OPENINGS if isinstance(entry, dict) else ():
                value = entry.get(name)
                opening = tokens(value[: 100 * OPENING])[:OPENING] if isinstance(value, str) else []
                if len(opening) >= MIN_OPENING:
                    yield tuple(opening)
