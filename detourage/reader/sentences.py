"""Search for the body of a single page: the element with the most sentences after cleaning.

Modelled on Wutsi's extractor, for a page whose lines the network does not recognise as text:

- *Cleaning* removes elements that display no text, ``nav``, ``header``, ``footer``, ``aside`` and
  ``form`` elements, and those whose class or ID contains a word for an uninteresting section. An
  element with more than half of the page's text is never removed, because themes put classes such
  as ``single comments-open`` on the body.
- *Selection* takes text nodes of 20 characters or more, outside headings and links, because menus
  would be selected otherwise.
- *Partition* assigns a text node to its enclosing block, and a block to the element that it
  divides. The sentences of such an element are counted together, as a packet.
- *Argmax* chooses the packet with the most sentences or, on a tie, the one with the most
  characters, and then the first.
- *Fusion* keeps the selected blocks of the packet, headings and quotations between them, and
  shorter paragraphs, lists and tables without a link. Of the packet's other children, it keeps
  only images and embeds, which Wutsi's extractor loses.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from detourage.html.text import DIVISIONS, HEADINGS, WITHIN_SENTENCES
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.reader.vocabulary import UNINTERESTING, UNINTERESTING_TAGS
from detourage.text.texts import Count

METHOD = "sentences"

MIN_CHARACTERS = 20  # length of a text node of content (Wutsi's); unspaced characters count double
MAX_REMOVED_SHARE = 0.5  # share of the page's tokens in an element that cleaning removes

_KEPT_TAGS = HEADINGS | WITHIN_SENTENCES | {"blockquote"}
_TAGS_KEPT_WITHOUT_LINKS = (DIVISIONS | {"table"}) - {"center"}


def find_body(page: Outline) -> FoundBody | None:
    """Find the body by counting sentences; if no text qualifies, lift the conditions one by one."""
    cleaned = uninteresting(page)
    for dropped, min_characters, in_links in (
        (cleaned, MIN_CHARACTERS, False),
        (cleaned, 1, False),
        (cleaned, 1, True),
        (set[int](), 1, True),
    ):
        packet = _best_packet(page, dropped, min_characters, in_links=in_links)
        if packet is not None:
            muted = _unselected(page, packet)
            return FoundBody(METHOD, packet.element, frozenset(dropped), frozenset(muted))
    return None


class _Packet(NamedTuple):
    """An element with the text blocks whose sentences are counted for it."""

    element: int
    blocks: Sequence[int]


def uninteresting(page: Outline) -> set[int]:
    """Return the outermost elements that *cleaning* removes."""
    is_removed = page.flat.having(UNINTERESTING_TAGS) | page.named(UNINTERESTING)
    is_removed &= page.sizes <= MAX_REMOVED_SHARE * len(page.tokens)
    cleaned: set[int] = set()
    end = 0
    for index in np.flatnonzero(is_removed).tolist():
        if index >= end:
            cleaned.add(index)
            end = page.ends[index]
    return cleaned


def _best_packet(
    page: Outline, dropped: set[int], min_characters: int, *, in_links: bool
) -> _Packet | None:
    """Select text nodes, and return the packet with the most sentences; None if none qualify."""
    blocks = page.block_numbers[page.text_parents]
    lengths = page.count_in_texts(Count.CHARACTERS) + page.count_in_texts(Count.UNSPACED)
    is_content = lengths >= min_characters
    if not in_links:
        is_content &= page.link_numbers[page.text_parents] < 0
        is_content &= ~page.flat.having(HEADINGS)[blocks]
    for index in dropped:
        is_content[page.text_starts[index] : page.text_ends[index]] = False
    if not is_content.any():
        return None
    blocks = blocks[is_content]
    packets = page.divided_numbers[blocks]
    sentences = np.bincount(packets, page.count_in_texts(Count.SENTENCES)[is_content])
    characters = np.bincount(packets, lengths[is_content])
    most = np.flatnonzero((sentences == sentences.max()) & (characters > 0))
    best = int(most[np.argmax(characters[most])])
    return _Packet(best, [*{*blocks[packets == best].tolist()}])


def _unselected(page: Outline, packet: _Packet) -> set[int]:
    """Return the children of a packet that contain text but are not kept (*fusion* above)."""
    selected: set[int] = set()
    for block in packet.blocks:
        index = block
        while index != packet.element and index not in selected:
            selected.add(index)
            index = page.parents[index]
    links = page.links
    unselected: set[int] = set()
    for child in page.children(packet.element):
        tag = page.tags[child]
        texts = page.texts[page.text_starts[child] : page.text_ends[child]]
        has_link = any(links[node.parent] >= 0 for node in texts)
        is_kept = tag in _KEPT_TAGS or (tag in _TAGS_KEPT_WITHOUT_LINKS and not has_link)
        if texts and child not in selected and not is_kept:
            unselected.add(child)
    return unselected
