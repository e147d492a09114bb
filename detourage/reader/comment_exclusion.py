"""Exclusion of comments from the article's text."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from lxml.html import HtmlElement

from detourage.comments import FoundComments
from detourage.comments.extents import comment_area
from detourage.html import Page
from detourage.html.nodes import Node
from detourage.html.text import visible_text
from detourage.reader.finding import FoundBody
from detourage.reader.outline import Outline
from detourage.reader.scripts import structured_data
from detourage.text.words import tokens

MIN_ENTRY_SHARE = 0.2
"""Minimum share of records that are declared live entries if none of them is a comment; it is low,
because a page may declare only the latest of the entries that it displays."""

MIN_ENTRIES = 2  # records that are declared live entries if none of the records is a comment
OPENING_WORDS = 5  # Number of leading words that identify an entry

_DECLARED = "liveBlogUpdate"
_OPENINGS = ("headline", "articleBody", "name", "description")


def are_live_entries(page: Page, records: Sequence[HtmlElement]) -> bool:
    """Return whether elements that look like comments are in fact declared live entries."""
    if not records:
        return False
    owners, properties = page.flat.attributes.named("itemprop")
    entries = owners[[value.lower() == _DECLARED.lower() for value in properties]]
    marked = {*entries.tolist(), *page.flat.parents[entries].tolist()}
    openings = {*_openings(page)}
    if not marked and not openings:
        return False
    places = zip(page.flat.places_of(records), records, strict=True)
    count = 0
    for place, record in places:
        words = tokens(visible_text(record)) if openings and place not in marked else []
        starts = range(len(words) - OPENING_WORDS + 1)
        count += place in marked or any(
            tuple(words[start : start + OPENING_WORDS]) in openings for start in starts
        )
    return count >= max(MIN_ENTRIES, MIN_ENTRY_SHARE * len(records))


def _openings(page: Page) -> Iterator[tuple[str, ...]]:
    """Yield the first words of the headlines and texts of entries declared in JSON-LD."""
    scripts = Node(page.flat, 0).iter("script")
    waiting: list[Any] = [value for _, value in structured_data(scripts, holding=_DECLARED)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, dict):
            updates = each.get(_DECLARED) or ()
            for entry in updates if isinstance(updates, list) else [updates]:
                values = map(entry.get, _OPENINGS) if isinstance(entry, dict) else ()
                for value in values:
                    text = value[: 100 * OPENING_WORDS] if isinstance(value, str) else ""
                    yield tuple(tokens(text)[:OPENING_WORDS])
            waiting.extend(value for key, value in each.items() if key != _DECLARED)


SURE = 0.5  # Minimum comment probability at which elements are removed from the article
MAX_EXCLUDED = 0.5  # share of the body's words removed regardless of `MIN_REMAINING`

MIN_REMAINING = 100
"""Minimum number of words left after removing more than `MAX_EXCLUDED` of the body; if fewer are
left, one of the elements is the article itself, such as the first post of a thread."""


def comments_to_exclude(page: Page, found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements of comments found with a confidence of at least `SURE`."""
    return comment_area(page.flat, found.records) if found.confidence >= SURE else ()


def exclude(page: Outline, body: FoundBody, elements: Collection[int]) -> FoundBody:
    """Drop elements from a body, unless they make up most of it and few words would remain.

    The remaining lines are not selected again without the comments, because doing so makes as many
    pages worse as it improves.
    """
    start, end = page.text_starts[body.container], page.text_ends[body.container]
    sizes = [
        node.size if body.lines is None or node.line in body.lines else 0
        for node in page.texts[start:end]
    ]
    excluded = {
        place
        for index in elements
        for place in range(max(start, page.text_starts[index]), min(end, page.text_ends[index]))
    }
    words = sum(sizes[place - start] for place in excluded)
    if words > MAX_EXCLUDED * sum(sizes) and sum(sizes) - words < MIN_REMAINING:
        return body
    return replace(body, dropped=body.dropped.union(elements))
