"""Evidence from the elements around a line, and from its position."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from detourage.html.text import HEADINGS
from detourage.inference import NamedColumn
from detourage.reader.evidence.view import UNKNOWN, Booleans, Floats, Integers, View
from detourage.reader.vocabulary import (
    BODY_NAMES,
    OTHER_NAMES,
    PARTS,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)

NEARNESS = 0.7
"""Factor by which the weight of an element's name decreases with each level above the line."""

TAGS = (
    *("p", "div", "li", "h1", "h2", "h3", "h4", "td", "th", "blockquote", "figcaption", "dd"),
    *("pre", "section", "article", "body", "label", "center", "form", "address"),
)
"""Tags that have a code, which is their index in this tuple."""

INNER_TAGS = ("a", "time", "span", "strong", "b", "em", "i", "small", "cite", "address", "code")
"""Inline tags around a line's first text, each coded by its index in this tuple."""

AROUND = {
    "figcaption": ("figcaption", "caption"),
    "quote": ("blockquote", "q"),
    "code": ("pre", "code"),
    "table": ("table",),
    "items": ("li", "dd", "dt"),
    "heading": HEADINGS,
    "time": ("time",),
    "aside": ("aside",),
    "header": ("header",),
    "footer": ("footer", "address"),
    "nav": ("nav",),
    "form": ("form", "label", "fieldset"),
    "details": ("details", "summary", "dl"),
    "article": ("article",),
    "main": ("main",),
}
"""Tags of elements that may contain a line, by purpose."""

_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}


_COUNTED = ("body_names", "other_names", "sections", "lists", "tables")
"""Marks whose occurrences are counted; for other marks, only presence is recorded."""


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


def of_elements(view: View) -> Iterator[NamedColumn]:
    """Describe the elements around the line: their tags and names, and whether they are hidden."""
    page = view.page
    tags = [_TAG_NUMBERS.get(tag, UNKNOWN) for tag in page.flat.distinct_tags]
    codes = np.array(tags)[page.flat.tag_numbers]
    named = page.count_named(BODY_NAMES, OTHER_NAMES, of=view.blocks).T
    yield "tag", codes[view.blocks]
    yield "parent_tag", codes[view.parents[view.blocks]]
    yield "body_names_here", named[0]
    yield "other_names_here", named[1]
    yield "depth", view.depths[view.blocks]
    for name, marked in _marks_of(view):
        around = page.flat.count_around(marked & view.page.holds)[view.blocks]
        yield name, around if name in _COUNTED else around > 0


def _marks_of(view: View) -> Iterator[tuple[str, Booleans]]:
    """Yield, for each column, a mask of the elements that have the mark."""
    flat = view.page.flat
    names = (BODY_NAMES, OTHER_NAMES, UNINTERESTING)
    body, other, uninteresting = (view.page.count_named(*names) > 0).T
    hidden = np.zeros(len(flat.elements), dtype=np.bool_)
    hidden[[index for index, style in flat.values("style").items() if _hides(style)]] = True
    yield "body_names", body
    yield "other_names", other & view.is_small
    yield "sections", flat.having(UNINTERESTING_TAGS) & view.is_small
    yield "uninteresting", uninteresting & view.is_small
    yield "in_article", flat.having(("article", "main"))
    yield "lists", flat.having(("ul", "ol", "dl"))
    yield "tables", flat.having(("table",))
    yield "hidden", hidden


def of_parts(view: View) -> Iterator[NamedColumn]:
    """Measure the proximity (0 to 1) of the closest element named after each page part."""
    page = view.page
    nearest = np.full((len(PARTS), len(page.elements)), -1)
    may_be_named = np.flatnonzero(view.page.holds & view.is_small)
    places, parts = np.nonzero(page.count_named(*PARTS.values(), of=may_be_named))
    elements = may_be_named[places]
    rows = [*nearest]
    for part, start, end, depth in zip(
        parts.tolist(),
        elements.tolist(),
        view.ends[elements].tolist(),
        view.depths[elements].tolist(),
        strict=True,
    ):
        # Elements are in document order, so inner elements override those around them.
        rows[part][start:end] = depth
    around = nearest[:, view.blocks]
    powers = NEARNESS ** np.arange(view.depths.max() + 2, dtype=np.float64)
    nearness = np.where(around < 0, 0.0, powers[view.depths[view.blocks] - around])
    for name, of_part in zip(PARTS, nearness, strict=True):
        yield f"named_{name}", of_part


def of_surroundings(view: View) -> Iterator[NamedColumn]:
    """Describe the elements around the line's first text."""
    page, flat, inner = view.page, view.page.flat, view.innermost
    for name, tags in AROUND.items():
        yield f"within_{name}", flat.within(flat.having(tags))[inner]
    numbers = {tag: number for number, tag in enumerate(INNER_TAGS)}
    codes = np.array([numbers.get(tag, UNKNOWN) for tag in flat.distinct_tags])
    yield "inner_tag", codes[flat.tag_numbers[inner]]
    yield "text_nodes", view.end_texts - view.first_texts
    parents = view.parents[view.blocks]
    yield "block_words", page.sizes[view.blocks]
    yield "parent_words", page.sizes[parents]
    starts = np.array(page.token_starts)
    yield "starts_parent", starts[view.blocks] == starts[parents]


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
