"""Evidence from where a line stands: the lines beside it, around it, and at its path."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from worker.extraction.evidence.view import UNKNOWN, Column, EvidenceSource, Floats, Integers, View

MAX_AWAY = 999.0
"""Distance of what is not there at all."""

SURE_WORDS = 20
"""Words from which on a line of prose is hardly anything but text."""

NEIGHBOURS = (-2, -1, 1, 2)
"""Lines beside a line that are looked at."""


def _of_position(view: View) -> Iterator[Column]:
    number = len(view.lines)
    places = np.arange(number)
    yield places
    yield places / number
    yield (np.cumsum(view.counts) - view.counts) / view.total
    yield (np.cumsum(view.prose_counts) - view.prose_counts) / view.prose
    yield np.full(number, number)
    yield np.full(number, view.total)


def _of_neighbours(view: View) -> Iterator[Column]:
    link_density = view.linked / view.counts
    for offset in NEIGHBOURS:
        yield _shifted(view.counts, offset)
        yield _shifted(link_density, offset)
        yield _shifted(view.sentences, offset)
        beside = _shifted(view.containers, offset)
        yield np.where(beside == UNKNOWN, UNKNOWN, beside == view.containers)


def _shifted(values: Floats | Integers, offset: int) -> Floats:
    """Return for each line the value of the line so many after it."""
    shifted = np.full(len(values), UNKNOWN)
    if offset > 0:
        shifted[:-offset] = values[offset:]
    else:
        shifted[-offset:] = values[:offset]
    return shifted


def _of_packets(view: View) -> Iterator[Column]:
    packets = view.packets.at(view.containers)
    holders = np.unique(view.containers)
    densest = holders[np.argmax(view.packets.prose[holders])]
    most = max(1.0, view.packets.prose[densest])
    yield packets.sentences
    yield packets.prose
    yield packets.words
    yield packets.lines
    yield packets.link_density
    yield packets.prose_density
    yield packets.prose / view.prose
    yield packets.prose / most
    yield view.containers == densest
    around = view.containers
    for _ in range(2):
        around = view.parents[around]
        below = view.below.at(around)
        yield below.prose / view.prose
        yield below.link_density
        yield below.prose_density
        yield below.lines


def _of_siblings(view: View) -> Iterator[Column]:
    """Count the lines of the page with the same path, and with the same text."""
    numbers = view.path_numbers
    is_prose = view.prose_counts > 0
    lines = np.bincount(numbers)
    counts = np.bincount(numbers, view.counts)
    yield lines[numbers]
    yield counts[numbers] / view.total
    yield (np.bincount(numbers, view.prose_counts)[numbers]) / counts[numbers]
    yield (np.bincount(numbers, view.linked)[numbers]) / counts[numbers]
    yield counts[numbers] / lines[numbers]
    yield np.bincount(numbers, is_prose * 1.0)[numbers] / max(1.0, float(is_prose.sum()))
    same = Counter(line.tokens for line in view.lines)
    yield [same[line.tokens] for line in view.lines]


def _of_distances(view: View) -> Iterator[Column]:
    """Measure how far the nearest long prose is, before and after, in lines and in words."""
    number = len(view.lines)
    places = np.arange(number)
    is_sure = (view.prose_counts >= SURE_WORDS) & (view.linked < 0.3 * view.counts)
    sure = np.flatnonzero(is_sure)
    before_at = np.searchsorted(sure, places) - 1
    after_at = np.searchsorted(sure, places, side="right")
    padded = np.concatenate([[-1], sure, [-1]])
    previous, following = padded[before_at + 1], padded[np.minimum(after_at, len(sure)) + 1]
    ends = np.cumsum(view.counts)
    starts = ends - view.counts
    around = view.parents[view.containers]
    for at, lines, words_between in (
        (previous, places - previous, starts - ends[previous]),
        (following, following - places, starts[following] - ends),
    ):
        known = at >= 0
        yield np.where(known, lines, MAX_AWAY)
        yield np.where(known, words_between, MAX_AWAY)
        yield np.where(known, view.containers[at] == view.containers, UNKNOWN)
        yield np.where(known, view.path_numbers[at] == view.path_numbers, UNKNOWN)
        yield np.where(known, around[at] == around, UNKNOWN)
    yield np.cumsum(is_sure) - is_sure
    yield len(sure) - np.cumsum(is_sure)
    first = np.full(len(view.page.elements), number)
    last = np.zeros(len(view.page.elements), dtype=np.int64)
    np.minimum.at(first, view.containers, places)
    np.maximum.at(last, view.containers, places)
    yield places - first[view.containers]
    yield last[view.containers] - places


POSITION = EvidenceSource(
    "its place in the page",
    ("line", "line_share", "words_before", "prose_before", "lines_of_page", "words_of_page"),
    _of_position,
)

BESIDE = EvidenceSource(
    "the lines beside it",
    tuple(
        f"{name}{offset:+d}"
        for offset in NEIGHBOURS
        for name in ("words", "link_density", "sentences", "same_container")
    ),
    _of_neighbours,
)

PACKETS = EvidenceSource(
    "the text of the elements around it",
    (
        *("packet_sentences", "packet_prose", "packet_words", "packet_lines"),
        *("packet_link_density", "packet_prose_density", "packet_share", "packet_to_densest"),
        "in_densest_packet",
        *(
            f"{name}_{around}"
            for around in ("around", "around_that")
            for name in ("prose_share", "link_density", "prose_density", "lines")
        ),
    ),
    _of_packets,
)

SIBLINGS = EvidenceSource(
    "the lines of the same path",
    (
        *("siblings", "sibling_words", "sibling_prose", "sibling_links", "sibling_length"),
        *("sibling_share", "same_text"),
    ),
    _of_siblings,
)

PROSE = EvidenceSource(
    "the nearest long prose",
    (
        *(
            f"{name}_{side}"
            for side in ("before", "after")
            for name in (
                "lines_to_prose",
                "words_to_prose",
                "prose_in_container",
                "prose_at_path",
                "prose_around",
            )
        ),
        *("prose_lines_before", "prose_lines_after", "line_of_packet", "line_to_packet_end"),
    ),
    _of_distances,
)
