"""Wutsi's extractor, as described in "Algorithme d'extraction de contenu de site web".

The source is an undated tutorial for bloggers. It describes these steps:

- *Cleaning* removes the elements in `REMOVED_TAGS`, those with a class or id in `REMOVED_NAMES`,
  links for sharing on social networks, and list items that contain only links ("menus").
- *Selection* takes the blocks of at least 20 characters, except ancestors of selected blocks.
- *Partition* gives each selected node a score, its number of sentences.
- *Argmax* chooses the node with the highest score; in a tie, the one with the most characters, or
  else the first.
- *Fusion* adds all selected nodes with the same parent as the chosen one.

The service follows these steps when only the page itself is available, but with packets (all the
blocks of one parent) instead of single nodes, and keeps images (`reader/body_by_sentences.py`).
"""

import re

from detourage.html.visible_text import WITHIN_SENTENCES
from detourage.papers.conversion import extract_body, outline_of
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.reader import NoTextError, body_by_sentences
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.text import words
from detourage.text.token_counts import count_sentences
from detourage.text.words import word_set

REMOVED_TAGS = word_set("head style script nav iframe noscript header footer aside")
"""Elements that never contain article text."""

REMOVED_NAMES = word_set("footer comments related_posts top_nav addthis_tool embedly-card")
"""Classes and IDs of irrelevant sections."""

MIN_CHARACTERS = 20  # minimum length of a selected node, in characters

_SHARING = re.compile(
    r"//(?:[\w-]{1,63}\.){0,9}(?:twitter\.com/(?:intent|share)|facebook\.com/sharer?\b|plus\.google\.com/share"
    r"|linkedin\.com/(?:cws/share|sharearticle)|pinterest\.com/pin/create)",
    re.IGNORECASE,
)


def extract_packet(source: Source, _neighbours: Neighbours) -> Extracted:
    """Extract a packet: all blocks of one parent, as the service does for a page on its own."""
    page = outline_of(source)
    return _extracted(source, page, body_by_sentences.find_body(page))


def extract(source: Source, _neighbours: Neighbours, *, fusion: bool) -> Extracted:
    """Follow the steps of the tutorial; without `fusion`, the body is the single best node."""
    page = outline_of(source)
    return _extracted(source, page, find_body(page, fusion=fusion))


def find_body(page: Outline, *, fusion: bool) -> FoundBody | None:
    """Find the node with the most sentences, with its siblings if `fusion`; None without a node."""
    removed = _removed_elements(page)
    remaining = page.without(removed)
    nodes = _nodes(remaining)
    if not nodes:
        return None

    def score(node: int) -> tuple[int, int, int]:
        text = remaining.text_of(node)
        return count_sentences(text), len(text), -node

    best = max(nodes, key=score)
    parent = page.parents[best]
    if not fusion or parent < 0:
        return FoundBody("wutsi_block", best, frozenset(removed))
    siblings = {node for node in nodes if page.parents[node] == parent}
    others = set(page.children(parent)) - siblings
    ranges = (slice(remaining.text_starts[node], remaining.text_ends[node]) for node in siblings)
    lines = frozenset(line for each in ranges for line in remaining.text_lines[each].tolist())
    return FoundBody("wutsi_fusion", parent, frozenset(removed | others), lines=lines)


def _extracted(source: Source, page: Outline, finding: FoundBody | None) -> Extracted:
    if finding is None:
        raise NoTextError("the page shows no text")
    return extract_body(source, page, finding)


def _removed_elements(page: Outline) -> set[int]:
    """Return the outermost elements that the cleaning step removes."""
    removed: set[int] = set()
    index = 0
    while index < len(page.tags):
        is_removed = (
            page.tags[index] in REMOVED_TAGS
            or not REMOVED_NAMES.isdisjoint(page.names[index].lower().split())
            or (
                page.tags[index] == "a"
                and bool(_SHARING.search(page.elements[index].get("href") or ""))
            )
            or _is_menu_item(page, index)
        )
        if is_removed:
            removed.add(index)
        index = page.ends[index] if is_removed else index + 1
    return removed


def _is_menu_item(page: Outline, index: int) -> bool:
    parents = page.text_parents[page.text_starts[index] : page.text_ends[index]]
    return page.tags[index] == "li" and bool((page.link_numbers[parents] >= 0).all())


def _nodes(page: Outline) -> list[int]:
    """Select the blocks with enough characters, except those that contain another such block."""
    end_offsets = [0]
    for text in page.flat.texts:
        end_offsets.append(end_offsets[-1] + len(words.clean(text)))
    ancestors: set[int] = set()
    nodes: list[int] = []
    for index in range(len(page.tags) - 1, -1, -1):
        length = end_offsets[page.text_ends[index]] - end_offsets[page.text_starts[index]]
        if page.tags[index] in WITHIN_SENTENCES or length < MIN_CHARACTERS:
            continue
        if index not in ancestors:
            nodes.append(index)
        parent = page.parents[index]
        while parent >= 0 and parent not in ancestors:
            ancestors.add(parent)
            parent = page.parents[parent]
    return nodes[::-1]
