"""Evidence from a line's position: its neighbours, its container and its path."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from detourage.html.elements import HEADINGS
from detourage.inference import NamedColumn
from detourage.reader.evidence.view import UNKNOWN, Floats, Integers, View

MAX_AWAY = 999.0
"""Distance, in lines or words, to use if there is no long prose."""

SURE_WORDS = 20
"""Minimum length, in words, of a line of prose that is almost certainly article text."""

MAX_SINCE = 99.0
"""Maximum distance from the last heading, in lines; also used if there is no heading."""

FAR_OFFSETS = (-3, 3)
"""Offsets of more distant lines, of which only the length is measured."""

OFFSETS = (-2, -1, 1, 2)
"""Offsets of the adjacent lines that are compared."""


def of_position(view: View) -> Iterator[NamedColumn]:
    """Describe the line's position among the lines of the page."""
    number = len(view.lines)
    places = np.arange(number)
    yield "line", places
    yield "line_share", places / number
    yield "words_before", (np.cumsum(view.counts) - view.counts) / view.total
    yield "prose_before", (np.cumsum(view.prose_counts) - view.prose_counts) / view.prose
    yield "lines_of_page", np.full(number, number)
    yield "words_of_page", np.full(number, view.total)


def of_lines_beside(view: View) -> Iterator[NamedColumn]:
    """Describe the lines before and after the line."""
    link_density = view.linked / view.counts
    for offset in OFFSETS:
        yield f"words{offset:+d}", _shifted(view.counts, offset)
        yield f"link_density{offset:+d}", _shifted(link_density, offset)
        yield f"sentences{offset:+d}", _shifted(view.sentences, offset)
        beside = _shifted(view.containers, offset)
        is_same = np.where(beside == UNKNOWN, UNKNOWN, beside == view.containers)
        yield f"same_container{offset:+d}", is_same


def _shifted(values: Floats | Integers, offset: int) -> Floats:
    """Return, for each line, the value of the line at the given offset."""
    shifted = np.full(len(values), UNKNOWN)
    if offset > 0:
        shifted[:-offset] = values[offset:]
    else:
        shifted[-offset:] = values[:offset]
    return shifted


def of_packets(view: View) -> Iterator[NamedColumn]:
    """Measure the text of the elements around the line."""
    packets = view.packets.at(view.containers)
    holders = np.flatnonzero(np.bincount(view.containers))
    densest = holders[np.argmax(view.packets.prose[holders])]
    most = max(1.0, view.packets.prose[densest])
    yield "packet_sentences", packets.sentences
    yield "packet_prose", packets.prose
    yield "packet_words", packets.words
    yield "packet_lines", packets.lines
    yield "packet_link_density", packets.link_density
    yield "packet_prose_density", packets.prose_density
    yield "packet_share", packets.prose / view.prose
    yield "packet_to_densest", packets.prose / most
    yield "in_densest_packet", view.containers == densest
    elements = view.containers
    for around in ("around", "around_that"):
        elements = view.parents[elements]
        below = view.below.at(elements)
        yield f"prose_share_{around}", below.prose / view.prose
        yield f"link_density_{around}", below.link_density
        yield f"prose_density_{around}", below.prose_density
        yield f"lines_{around}", below.lines


def of_siblings(view: View) -> Iterator[NamedColumn]:
    """Count the page's lines with the same path as each line, and those with the same text."""
    numbers = view.path_numbers
    is_prose = view.prose_counts > 0
    lines = np.bincount(numbers)
    counts = np.bincount(numbers, view.counts)
    prose, linked = np.bincount(numbers, view.prose_counts), np.bincount(numbers, view.linked)
    prose_lines = np.bincount(numbers, is_prose * 1.0)
    same = Counter(line.tokens for line in view.lines)
    yield "siblings", lines[numbers]
    yield "sibling_words", counts[numbers] / view.total
    yield "sibling_prose", prose[numbers] / counts[numbers]
    yield "sibling_links", linked[numbers] / counts[numbers]
    yield "sibling_length", counts[numbers] / lines[numbers]
    yield "sibling_share", prose_lines[numbers] / max(1.0, float(is_prose.sum()))
    yield "same_text", [same[line.tokens] for line in view.lines]


def of_distances(view: View) -> Iterator[NamedColumn]:
    """Measure the distance to the nearest long prose on either side, in lines and words."""
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
    for side, at, lines, words_between in (
        ("before", previous, places - previous, starts - ends[previous]),
        ("after", following, following - places, starts[following] - ends),
    ):
        known = at >= 0
        in_container = view.containers[at] == view.containers
        at_path = view.path_numbers[at] == view.path_numbers
        yield f"lines_to_prose_{side}", np.where(known, lines, MAX_AWAY)
        yield f"words_to_prose_{side}", np.where(known, words_between, MAX_AWAY)
        yield f"prose_in_container_{side}", np.where(known, in_container, UNKNOWN)
        yield f"prose_at_path_{side}", np.where(known, at_path, UNKNOWN)
        yield f"prose_around_{side}", np.where(known, around[at] == around, UNKNOWN)
    yield "prose_lines_before", np.cumsum(is_sure) - is_sure
    yield "prose_lines_after", len(sure) - np.cumsum(is_sure)
    first = np.full(len(view.page.elements), number)
    last = np.zeros(len(view.page.elements), dtype=np.int64)
    np.minimum.at(first, view.containers, places)
    np.maximum.at(last, view.containers, places)
    yield "line_of_packet", places - first[view.containers]
    yield "line_to_packet_end", last[view.containers] - places


def of_repetition(view: View) -> Iterator[NamedColumn]:
    """Compare the line with adjacent and more distant lines, and count its earlier occurrences."""
    for offset in FAR_OFFSETS:
        yield f"words{offset:+d}", _shifted(view.counts, offset)
    parents = view.page.flat.parents[view.blocks]
    for offset in (-1, 1):
        yield f"same_parent{offset:+d}", _shifted(parents, offset) == parents
        yield f"same_block{offset:+d}", _shifted(view.blocks, offset) == view.blocks
    places = np.arange(len(view.lines))
    for name, tags in (("heading", HEADINGS), ("h1", ("h1",))):
        marks = np.flatnonzero(view.page.flat.having(tags)[view.blocks])
        last = np.concatenate([marks, [-MAX_SINCE]])[np.searchsorted(marks, places) - 1]
        yield f"lines_since_{name}", np.minimum(places - last, MAX_SINCE)
    seen: Counter[tuple[str, ...]] = Counter()
    earlier = []
    for line in view.lines:
        earlier.append(seen[line.tokens])
        seen[line.tokens] += 1
    yield "seen_before", earlier
