"""Evidence from the targets of a line's links and from the images near it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

import numpy as np

from worker.article.evidence.role_vocabulary import AUTHORS, LINKED, TOPICS
from worker.article.evidence.view import MAX_MATCHED, UNKNOWN, EvidenceSource, View
from worker.inference import NamedColumn
from worker.text import words

MAX_LINKS = 4
"""Maximum number of links examined per line."""

MIN_SLUG = 25
"""Minimum length, in characters, of the last path segment of an article's URL."""

MIN_DIGITS = 5
"""Minimum number of digits in the last path segment of an article's URL."""

MAX_UP_TO_IMAGE = 3
"""Number of elements around a line, including its own, searched for images."""

MAX_WORDS = 120
"""Maximum length, in words, of an element whose images belong to the line."""

MAX_IMAGES = 3
"""Maximum number of images examined per element."""

MIN_DESCRIPTION = 3
"""Minimum number of words in an informative description."""

_PARTS = [re.compile("|".join(map(re.escape, parts))) for parts in LINKED.values()]

TARGETS = ("to_author", "to_topic", *LINKED, "to_article", "to_anchor")
"""Kinds of link targets, which need not exclude each other."""


def _of_links(view: View) -> Iterator[NamedColumn]:
    """Classify the targets of each line's links, and count those on other hosts."""
    page, count = view.page, len(view.lines)
    lines = np.repeat(np.arange(count), view.end_texts - view.first_texts)
    texts = np.concatenate([*map(np.arange, view.first_texts, view.end_texts)])
    links = page.link_numbers[page.text_parents[texts]]
    is_linked = links >= 0
    # Links are in document order within a line. Without an index, NumPy imports masked arrays.
    pairs = lines[is_linked] * len(page.elements) + links[is_linked]
    distinct, _ = np.unique(pairs, return_index=True)
    lines, links = np.divmod(distinct, len(page.elements))
    yield "links", np.bincount(lines, minlength=count)
    examined = np.arange(len(lines)) - np.searchsorted(lines, lines) < MAX_LINKS
    lines, links = lines[examined], links[examined]
    addresses, host = page.flat.values("href"), _host(view.url)
    targets = {link: _target(addresses.get(link, ""), host) for link in links.tolist()}
    found = [targets[link] for link in links.tolist()]
    yield "links_outside", np.bincount(lines, [leaves for _, leaves in found], minlength=count)
    bits = np.zeros(count, dtype=np.int64)
    np.bitwise_or.at(bits, lines, np.array([kinds for kinds, _ in found], dtype=np.int64))
    for place, name in enumerate(TARGETS):
        yield name, bits >> place & 1


def _target(address: str, host: str) -> tuple[int, bool]:
    """Return the kinds of a URL, as bits, and whether it leads to another host."""
    shown = address[:MAX_MATCHED].strip()
    to = _host(shown)
    return _targets_of(shown), bool(to) and to != host


@lru_cache(maxsize=4096)
def _targets_of(address: str) -> int:
    small = address.lower()
    segments = small.split("/")
    slug = address.partition("?")[0].rstrip("/").rpartition("/")[2]
    is_kind = (
        not AUTHORS.isdisjoint(segments[1:-1]) or "rel=author" in small,
        not TOPICS.isdisjoint(segments[1:]),
        *(parts.search(small) is not None for parts in _PARTS),
        len(slug) >= MIN_SLUG or sum(map(str.isdigit, slug)) >= MIN_DIGITS,
        address.startswith("#"),
    )
    return sum(is_so << place for place, is_so in enumerate(is_kind))


def _host(address: str) -> str:
    if "//" not in address:
        return ""
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _of_images(view: View) -> Iterator[NamedColumn]:
    """Measure how near the nearest image is, and how much of its description the line repeats."""
    flat, count = view.page.flat, len(view.lines)
    images = np.flatnonzero(flat.having(("img", "video", "iframe")))
    elements, steps = view.blocks, np.full(count, UNKNOWN)
    holders, counts = view.blocks.copy(), np.zeros(count, dtype=np.int64)
    first = np.zeros(count, dtype=np.int64)
    for step in range(MAX_UP_TO_IMAGE):
        starts = np.searchsorted(images, elements)
        within = np.searchsorted(images, flat.ends[elements]) - starts
        is_new = (steps == UNKNOWN) & (within > 0) & (view.page.sizes[elements] <= MAX_WORDS)
        steps[is_new], counts[is_new] = step, within[is_new]
        holders[is_new], first[is_new] = elements[is_new], starts[is_new]
        elements = view.parents[elements]
    descriptions = flat.values("alt")
    described: dict[int, frozenset[str]] = {}
    likeness = np.full(count, UNKNOWN)
    for row in np.flatnonzero(counts).tolist():
        line = frozenset(view.lines[row].tokens)
        start = int(first[row])
        for image in images[start : start + min(MAX_IMAGES, int(counts[row]))].tolist():
            if image not in described:
                description = descriptions.get(image, "")[:MAX_MATCHED]
                described[image] = frozenset(words.tokens(description))
            alt = described[image]
            if len(alt) >= MIN_DESCRIPTION:
                likeness[row] = max(likeness[row], len(line & alt) / len(line | alt))
    yield "to_image", steps
    yield "images_there", counts
    yield "words_there", np.where(counts > 0, view.page.sizes[holders], UNKNOWN)
    yield "like_image", likeness


LINKS = EvidenceSource("the targets of its links", _of_links)
IMAGES = EvidenceSource("the images near it", _of_images)
