"""Recognition of declared live reports, whose entries look like comments."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml.html import HtmlElement

from worker.article.entry import MIN_OPENING, opening_of
from worker.article.scripts import structured_data
from worker.html import Page
from worker.html.nodes import Node
from worker.html.text import visible_text
from worker.text.words import tokens

OF_ENTRIES = 0.2
"""Minimum share of declared entries among the records for none of them to count as a comment.

The share is low because a page may declare only the latest of the entries that it displays.
"""

MIN_ENTRIES = 2
"""Minimum number of declared entries among the records."""

LIVE_NAMES = re.compile(
    r"live-?_?(?:blog|ticker|feed|update|report|event|entr|post|coverage|stream-?item|text|story)"
    r"|news-?_?ticker|ticker-?_?(?:entr|item|post|event|eintrag)|minute-?by-?minute|minuto-?a-?minuto"
    r"|en-?direct|direktrapport|relacja",
    re.IGNORECASE,
)
"""Class names and IDs that sites use for parts of live reports."""

_LIVE_WORDS = re.compile(
    r"\b(?:live[ -]?blog|live[ -]?ticker|news[ -]?ticker|live[ -]?updates?|live coverage"
    r"|minute by minute|as it happened|minuto a minuto|minuto per minuto|en direct|en vivo"
    r"|em direto|ao vivo|in diretta|la diretta|na żywo|relacja live|naživo|živě|élő közvetítés"
    r"|liveverslag|minuut tot minuut|direktrapport|direkte|suora seuranta|hetki hetkeltä"
    r"|canlı anlatım|прямая трансляция|онлайн-трансляция|текстовая трансляция|наживо"
    r"|онлайн-трансляція|ζωντανά|λεπτό προς λεπτό)\b|-ticker\b|^live\b|\blive:|\blive$"
    r"|مباشر|לייב|ライブ|生中継|直播|实时更新|실시간|라이브",
    re.IGNORECASE,
)
_NAME_PARTS = ("live", "ticker", "minut", "direct", "direkt", "relacja")
"""Substrings, at least one of which occurs in any match of `LIVE_NAMES`; they are searched first
for speed."""

_DECLARED = "liveBlogUpdate"
_TYPE = "liveblogposting"
_OPENINGS = ("headline", "articleBody", "name", "description")


def are_live_entries(page: Page, records: Sequence[HtmlElement]) -> bool:
    """Return whether elements that look like comments are in fact declared live entries."""
    if not records:
        return False
    entries = marked_entries(page)
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


def marked_entries(page: Page) -> list[int]:
    """Return the indices of elements marked as live entries in microdata."""
    owners, properties = page.flat.attributes.named("itemprop")
    return [
        owner
        for owner, value in zip(owners.tolist(), properties, strict=True)
        if value.lower() == _DECLARED.lower()
    ]


def says_live(page: Page, title: str | None) -> bool:
    """Return whether a page's headline, URL or markup identifies it as a live report."""
    return (
        is_declared_live(page)
        or _LIVE_WORDS.search(title or "") is not None
        or LIVE_NAMES.search(page.url) is not None
    )


def is_declared_live(page: Page) -> bool:
    """Return whether a page declares in microdata that it is a live report."""
    _, types = page.flat.attributes.named("itemtype")
    return any(_TYPE in kind.lower() for kind in types)


def names_live(page: Page) -> bool:
    """Return whether the classes and IDs on a page are typical of live reports."""
    for names in page.flat.distinct_names:
        name = " ".join(names).lower()
        if any(begin in name for begin in _NAME_PARTS) and LIVE_NAMES.search(name):
            return True
    return False


def _opens(record: HtmlElement, openings: set[tuple[str, ...]], lengths: set[int]) -> bool:
    words = tokens(visible_text(record)) if openings else []
    return any(
        tuple(words[first : first + length]) in openings
        for length in lengths
        for first in range(len(words) - length + 1)
    )


def declared_reports(page: Page) -> Iterator[dict[str, Any]]:
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
    for report in declared_reports(page):
        updates = report[_DECLARED]
        for entry in updates if isinstance(updates, list) else [updates]:
            for name in _OPENINGS if isinstance(entry, dict) else ():
                value = entry.get(name)
                opening = opening_of(value) if isinstance(value, str) else []
                if len(opening) >= MIN_OPENING:
                    yield tuple(opening)
