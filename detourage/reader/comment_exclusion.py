"""Exclusion of comments from the article's text."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from lxml.html import HtmlElement

from detourage.comments import FoundComments, read_comments
from detourage.comments.certainty import MAX_READ
from detourage.comments.discussion import is_discussion
from detourage.comments.extents import comment_area
from detourage.html import Page
from detourage.html.nodes import Node
from detourage.html.text import visible_text
from detourage.reader.finding import Finding
from detourage.reader.outline import Outline
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
    owners, properties = page.flat.attributes.named("itemprop")
    entries = [
        owner
        for owner, value in zip(owners.tolist(), properties, strict=True)
        if value.lower() == _DECLARED.lower()
    ]
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
    for _, found in structured_data(scripts, holding=_DECLARED):
        waiting = [found]
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


SURE = 0.7
"""Minimum comment probability at which elements are removed from the article."""


LIKELY = 0.4
"""Minimum comment probability at which elements are removed if they read like a discussion."""

MAX_EXCLUDED = 0.5
"""Maximum share of the body's words removed regardless of `MIN_REMAINING`."""

MIN_REMAINING = 100
"""Minimum number of words left after removing more than `MAX_EXCLUDED` of the body.

If fewer would be left, one of the elements is the article itself, such as the first post of a
thread.
"""


def comments_to_exclude(page: Page, found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements that are almost certainly reader comments, not part of the article."""
    is_sure = found.confidence >= SURE or (
        found.confidence >= LIKELY and _is_discussion(found, page)
    )
    return comment_area(page.flat, found.records) if is_sure else ()


def _is_discussion(found: FoundComments, page: Page) -> bool:
    comments = found.read
    if comments is None:
        comments = read_comments(page.flat, found.records[:MAX_READ], page.url)
    return is_discussion(comments)


def exclude(page: Outline, finding: Finding, elements: Collection[int]) -> Finding:
    """Drop elements from a body, unless they make up most of it and few words would remain.

    The remaining lines are not selected again without the comments, because doing so makes as many
    pages worse as it improves.
    """
    start, end = page.text_starts[finding.container], page.text_ends[finding.container]
    is_body = [
        finding.lines is None or node.line in finding.lines for node in page.texts[start:end]
    ]
    sizes = [
        node.size if inside else 0
        for node, inside in zip(page.texts[start:end], is_body, strict=True)
    ]
    excluded = {
        place
        for index in elements
        for place in range(max(start, page.text_starts[index]), min(end, page.text_ends[index]))
    }
    words = sum(sizes[place - start] for place in excluded)
    if words > MAX_EXCLUDED * sum(sizes) and sum(sizes) - words < MIN_REMAINING:
        return finding
    return replace(finding, dropped=finding.dropped.union(elements))
