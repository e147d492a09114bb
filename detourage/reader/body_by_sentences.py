"""Search for the body of a single page: the element with the most sentences after cleaning.

Modelled on Wutsi's extractor, for a page whose lines the network does not recognise as text:

- *Cleaning* removes elements that display no text, ``nav``, ``header``, ``footer``, ``aside`` and
  ``form`` elements, and those whose class or ID contains a word for an uninteresting section. An
  element with more than half of the page's text is never removed, because themes put classes such
  as ``single comments-open`` on the body.
- *Selection* takes text nodes of 20 characters or more, outside headings and links, because menus
  would be selected otherwise.
- *Partition* assigns each text node to its enclosing block, and each block to its nearest ancestor
  that is not a paragraph, a list or the like. The blocks of an ancestor are a packet.
- *Argmax* chooses the packet with the most sentences or, on a tie, the one with the most
  characters, and then the first.
- *Fusion* keeps the packet's children with selected text, its headings, quotations and inline
  elements, its paragraphs, lists and tables without links, and its children without text, such
  as images and embeds, which Wutsi's extractor loses.
"""

import numpy as np

from detourage import core
from detourage.reader.class_words import UNINTERESTING, UNINTERESTING_TAGS
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.text.token_counts import Count

METHOD = "sentences"

MAX_REMOVED_SHARE = 0.5  # share of the page's tokens in an element that cleaning removes


def find_body(page: Outline) -> FoundBody | None:
    """Find the body by counting sentences; if no text qualifies, relax conditions one by one."""
    numbers, cleaned = page.flat.numbers, uninteresting(page)
    element, muted, is_cleaned = core.packet(
        page.document,
        page.flat.shown,
        page.count_in_texts(Count.CHARACTERS) + page.count_in_texts(Count.UNSPACED),
        page.count_in_texts(Count.SENTENCES),
        numbers[[*cleaned]],
    )
    if element < 0:
        return None
    container, *others = np.searchsorted(numbers, [element, *muted]).tolist()
    dropped = frozenset(cleaned if is_cleaned else ())
    return FoundBody(METHOD, container, dropped, frozenset(others))


def uninteresting(page: Outline) -> set[int]:
    """Return the outermost elements that *cleaning* removes."""
    is_removed = page.flat.having(UNINTERESTING_TAGS) | page.named(UNINTERESTING)
    is_removed &= page.sizes <= MAX_REMOVED_SHARE * page.size(0)
    cleaned: set[int] = set()
    end = 0
    for index in np.flatnonzero(is_removed).tolist():
        if index >= end:
            cleaned.add(index)
            end = page.ends[index]
    return cleaned
