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
"""Minimum share of declared entries of a live report among the records for all of them to be
entries. A page may declare only the latest of the entries that it displays."""

MIN_ENTRIES = 2  # declared entries among the records for all of them to be entries
OPENING_WORDS = 5  # Number of leading words that identify an entry

_UPDATES = "liveBlogUpdate"
_TEXT_KEYS = ("headline", "articleBody", "name", "description")


def are_live_entries(page: Page, records: Sequence[HtmlElement]) -> bool:
    """Return whether elements that look like comments are the entries of a live report."""
    if not records:
        return False
    owners, properties = page.flat.attributes.named("itemprop")
    entries = owners[[value.lower() == _UPDATES.lower() for value in properties]]
    in_microdata = {*entries.tolist(), *page.flat.parents[entries].tolist()}
    openings = {*_openings(page)}
    if not in_microdata and not openings:
        return False
    count = 0
    for element, record in zip(page.flat.places_of(records), records, strict=True):
        words = tokens(visible_text(record)) if openings and element not in in_microdata else []
        starts = range(len(words) - OPENING_WORDS + 1)
        count += element in in_microdata or any(
            tuple(words[start : start + OPENING_WORDS]) in openings for start in starts
        )
    return count >= max(MIN_ENTRIES, MIN_ENTRY_SHARE * len(records))


def _openings(page: Page) -> Iterator[tuple[str, ...]]:
    """Yield the first words of the headlines and texts of entries declared in JSON-LD."""
    scripts = Node(page.flat, 0).iter("script")
    waiting: list[Any] = [value for _, value in structured_data(scripts, holding=_UPDATES)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            updates = value.get(_UPDATES) or ()
            for entry in updates if isinstance(updates, list) else [updates]:
                texts = map(entry.get, _TEXT_KEYS) if isinstance(entry, dict) else ()
                for text in texts:
                    beginning = text[: 100 * OPENING_WORDS] if isinstance(text, str) else ""
                    yield tuple(tokens(beginning)[:OPENING_WORDS])
            waiting.extend(below for key, below in value.items() if key != _UPDATES)


SURE = 0.5  # Minimum confidence in comments for their removal from the article
MAX_EXCLUDED = 0.5  # share of the body's words that may be removed regardless of `MIN_REMAINING`

MIN_REMAINING = 100
"""Minimum number of words left after removing more than `MAX_EXCLUDED` of the body. If fewer would
be left, one of the elements is the article itself, such as the first post of a thread."""


def comments_to_exclude(page: Page, found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements of comments found with a confidence of at least `SURE`."""
    return comment_area(page.flat, found.records) if found.confidence >= SURE else ()


def exclude(page: Outline, body: FoundBody, elements: Collection[int]) -> FoundBody:
    """Drop elements from a body, unless they make up most of it and few words would remain.

    The body's lines are not chosen again without the comments, because doing so makes as many
    pages worse as it improves.
    """
    start, end = page.text_starts[body.container], page.text_ends[body.container]
    word_counts = [
        node.size if body.lines is None or node.line in body.lines else 0
        for node in page.texts[start:end]
    ]
    excluded = {
        place
        for index in elements
        for place in range(max(start, page.text_starts[index]), min(end, page.text_ends[index]))
    }
    words, excluded_words = sum(word_counts), sum(word_counts[place - start] for place in excluded)
    if excluded_words > MAX_EXCLUDED * words and words - excluded_words < MIN_REMAINING:
        return body
    return replace(body, dropped=body.dropped.union(elements))
