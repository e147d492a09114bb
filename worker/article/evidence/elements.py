"""Evidence from the elements around a line: their tags, names and images."""

from collections.abc import Iterator

import numpy as np

from worker.article.evidence.role_vocabulary import NAMED, bits_of_words
from worker.article.evidence.view import MAX_MATCHED, UNKNOWN, Booleans, EvidenceSource, View
from worker.article.vocabulary import (
    BODY_NAMES,
    OTHER_NAMES,
    PARTS,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)
from worker.html.elements import HEADINGS
from worker.html.names import split_words
from worker.inference import NamedColumn
from worker.text.caches import cached_if_short

NEARNESS = 0.7
"""Factor applied to the weight of an element's name per level between it and the line."""

TAGS = (
    *("p", "div", "li", "h1", "h2", "h3", "h4", "td", "th", "blockquote", "figcaption", "dd"),
    *("pre", "section", "article", "body", "label", "center", "form", "address"),
)
"""Tags encoded individually, by their index in this tuple."""

MAX_IMAGES_BESIDE = 3
MAX_IMAGES_AROUND = 9

INNER_TAGS = ("a", "time", "span", "strong", "b", "em", "i", "small", "cite", "address", "code")
"""Inline tags around a line's first text that are encoded individually, by index in this tuple."""

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

MAX_UP = 4
"""Maximum number of elements around a text whose names are examined."""

NEAR = 2
"""Number of innermost elements around a text that count as near."""

MAX_NAMED = 400
"""Maximum number of tokens in an element whose name is informative about its lines."""

ATTRIBUTES = ("itemprop", "rel", "role", "data-testid", "data-component", "data-type")
"""Attributes besides class and ID that name an element's content."""

_BITS_OF_NAME = bits_of_words(NAMED)
_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}


_COUNTED = ("body_names", "other_names", "sections", "lists", "tables")
"""Marks whose occurrences are counted; for all other marks, only their presence is recorded."""


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


def _of_elements(view: View) -> Iterator[NamedColumn]:
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
    """Yield for each column a mask of the elements that have the mark."""
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


def _of_parts(view: View) -> Iterator[NamedColumn]:
    """Measure the proximity (at most 1) of the closest element named after each page part."""
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
        # Descendants are processed later and override the elements around them.
        rows[part][start:end] = depth
    around = nearest[:, view.blocks]
    powers = NEARNESS ** np.arange(view.depths.max() + 2, dtype=np.float64)
    nearness = np.where(around < 0, 0.0, powers[view.depths[view.blocks] - around])
    for name, of_part in zip(PARTS, nearness, strict=True):
        yield f"named_{name}", of_part


def _of_markup(view: View) -> Iterator[NamedColumn]:
    page = view.page
    text_parents, firsts, lasts = page.text_parents, view.first_texts, view.end_texts
    for name, tags in (("strong", ("b", "strong")), ("slanted", ("i", "em", "cite"))):
        marked = page.flat.within(page.flat.having(tags))
        before = np.concatenate([[0.0], np.cumsum(page.text_sizes * marked[text_parents])])
        yield name, (before[lasts] - before[firsts]) / view.counts
    figures = page.flat.having(("figure", "figcaption"))
    yield "in_figure", page.flat.within(figures)[view.blocks]
    images = np.flatnonzero(page.flat.having(("img",)))
    starts = np.searchsorted(images, text_parents[firsts])
    ends = np.searchsorted(images, text_parents[lasts - 1], side="right")
    before_line = np.concatenate([[0], ends[:-1]])
    after_line = np.concatenate([starts[1:], [len(images)]])
    yield "images_before", np.minimum(starts - before_line, MAX_IMAGES_BESIDE)
    yield "images_after", np.minimum(after_line - ends, MAX_IMAGES_BESIDE)
    yield "images_within", ends - starts
    containers = view.containers
    for name, around in (
        ("images_around", containers),
        ("images_around_that", view.parents[containers]),
    ):
        within = np.searchsorted(images, view.ends[around]) - np.searchsorted(images, around)
        yield name, np.minimum(within, MAX_IMAGES_AROUND)


def _of_surroundings(view: View) -> Iterator[NamedColumn]:
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


def _of_role_names(view: View) -> Iterator[NamedColumn]:
    """Match the names of elements around the line to `NAMED`.

    The value is 2 if one of the two nearest elements matches, and 1 if only one farther out does.
    """
    page = view.page
    groups = np.array([_groups_named(" ".join(name)) for name in page.flat.distinct_names])
    named = groups[page.flat.name_numbers] if len(groups) else np.zeros(len(page.elements), int)
    for name in ATTRIBUTES:
        for index, value in page.flat.values(name).items():
            named[index] |= _groups_named(value[:MAX_MATCHED])
    named[page.sizes > MAX_NAMED] = 0
    elements, near = view.innermost, np.zeros(len(view.lines), dtype=np.int64)
    far = near.copy()
    for step in range(MAX_UP):
        far |= named[elements]
        if step < NEAR:
            near = far.copy()
        elements = view.parents[elements]
    for place, name in enumerate(NAMED):
        yield f"names_{name}", (near >> place & 1) + (far >> place & 1)


@cached_if_short(4096)
def _groups_named(names: str) -> int:
    """Return the groups of `NAMED` to which names belong, as bits."""
    bits = 0
    for word in split_words(names):
        bits |= _BITS_OF_NAME.get(word, 0)
    return bits


ELEMENTS = EvidenceSource("the elements it stands in", _of_elements)
NAMED_PARTS = EvidenceSource("names of the elements around it", _of_parts)
MARKUP = EvidenceSource("markup and images", _of_markup)
SURROUNDINGS = EvidenceSource("the elements around its first text", _of_surroundings)
ROLE_NAMES = EvidenceSource("names of elements by role", _of_role_names)
