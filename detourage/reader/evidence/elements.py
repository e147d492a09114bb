"""Evidence from the elements around a line: their tags and names."""

from collections.abc import Iterator

import numpy as np

from detourage.html.elements import HEADINGS
from detourage.inference import NamedColumn
from detourage.reader.evidence.view import UNKNOWN, Booleans, View
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
