"""Evidence from the elements that a line stands in: their tags, their names, their images."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from worker.extraction.evidence.view import UNKNOWN, EvidenceSource, Floats, View
from worker.extraction.vocabulary import (
    BODY_NAMES,
    OTHER_NAMES,
    PARTS,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)
from worker.learning import NamedColumn
from worker.pages.names import split_words

NEARNESS = 0.7
"""What an element's name still says of a line, for every element between them."""

TAGS = (
    *("p", "div", "li", "h1", "h2", "h3", "h4", "td", "th", "blockquote", "figcaption", "dd"),
    *("pre", "section", "article", "body", "label", "center", "form", "address"),
)
"""Elements that are told apart; the number of one is its place here."""

MAX_IMAGES_BESIDE = 3
MAX_IMAGES_AROUND = 9

_STYLED = etree.XPath("//*[@style]")
_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}


class _Marks(NamedTuple):
    """What an element tells of what it holds, by the names of the columns."""

    body_names: bool
    other_names: bool
    sections: bool
    uninteresting: bool
    in_article: bool
    lists: bool
    tables: bool
    hidden: bool

    def of_large(self) -> "_Marks":
        """Return what is left where the element is too large for its name to mean all of it."""
        return self._replace(other_names=False, sections=False, uninteresting=False)


_COUNTED = ("body_names", "other_names", "sections", "lists", "tables")
"""Marks that are counted; of any other one is as good as several."""


@lru_cache(maxsize=4096)
def _marks_of(tag: str, names: str, hides: bool) -> _Marks | None:
    """Say what an element tells of what it holds, None where that is nothing."""
    name_words = split_words(names)
    marks = _Marks(
        body_names=not BODY_NAMES.isdisjoint(name_words),
        other_names=not OTHER_NAMES.isdisjoint(name_words),
        sections=tag in UNINTERESTING_TAGS,
        uninteresting=not UNINTERESTING.isdisjoint(name_words),
        in_article=tag in ("article", "main"),
        lists=tag in ("ul", "ol", "dl"),
        tables=tag == "table",
        hidden=hides,
    )
    return marks if any(marks) else None


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


def _of_elements(view: View) -> Iterator[NamedColumn]:
    page = view.page
    blocks = view.blocks.tolist()
    parents = view.parents[blocks].tolist()
    name_words = [page.name_words[block] for block in blocks]
    yield "tag", [_TAG_NUMBERS.get(page.tags[block], UNKNOWN) for block in blocks]
    yield "parent_tag", [_TAG_NUMBERS.get(page.tags[parent], UNKNOWN) for parent in parents]
    yield "body_names_here", [len(each & BODY_NAMES) for each in name_words]
    yield "other_names_here", [len(each & OTHER_NAMES) for each in name_words]
    yield "depth", view.depths[blocks]
    sums = _sums_of_marks(view)[blocks]
    is_counted = [name in _COUNTED for name in _Marks._fields]
    yield from zip(_Marks._fields, np.where(is_counted, sums, sums > 0).T, strict=True)


def _sums_of_marks(view: View) -> Floats:
    page = view.page
    styled = cast("list[HtmlElement]", _STYLED(page.elements[0]))
    hiding = {element for element in styled if _hides(element.get("style", ""))}
    marked = {}
    for index, tag, names in view.holder_names:
        marks = _marks_of(tag, names, bool(hiding) and page.elements[index] in hiding)
        if marks is not None:
            is_large = page.size(index) > view.largest_section
            marked[index] = marks.of_large() if is_large else marks
    if not marked:
        return np.zeros((len(page.elements), len(_Marks._fields)))
    return view.sums_around(marked)


def _of_parts(view: View) -> Iterator[NamedColumn]:
    """Count how near the elements are that are named for a part of a page: 1 for the line's own."""
    page = view.page
    nearest = np.full((len(PARTS), len(page.elements)), -np.inf)
    for index, _, names in view.holder_names:
        parts = _parts_of(names)
        if parts and page.size(index) <= view.largest_section:
            # An element within comes later, so it takes the place of those around it.
            nearest[parts, index : page.ends[index]] = view.depths[index]
    nearness = NEARNESS ** (view.depths[view.blocks] - nearest[:, view.blocks])
    for part, of_part in zip(PARTS, nearness, strict=True):
        yield f"named_{part}", of_part


@lru_cache(maxsize=4096)
def _parts_of(names: str) -> list[int]:
    """List the parts of a page, by their places in `PARTS`, that an element is named for."""
    name_words = split_words(names)
    return [
        place
        for place, part_words in enumerate(PARTS.values())
        if not part_words.isdisjoint(name_words)
    ]


def _of_markup(view: View) -> Iterator[NamedColumn]:
    page = view.page
    text_lines = np.array([text.line for text in page.texts])
    text_parents = np.array([text.parent for text in page.texts])
    sizes = np.array([text.size for text in page.texts], dtype=np.float64)
    numbers = np.array([line.number for line in view.lines])
    firsts = np.searchsorted(text_lines, numbers)
    lasts = np.searchsorted(text_lines, numbers, side="right")
    for name, tags in (("strong", ("b", "strong")), ("slanted", ("i", "em", "cite"))):
        marked = view.within([index for index, tag in enumerate(page.tags) if tag in tags])
        before = np.concatenate([[0.0], np.cumsum(sizes * marked[text_parents])])
        yield name, (before[lasts] - before[firsts]) / view.counts
    figures = [i for i, tag in enumerate(page.tags) if tag in ("figure", "figcaption")]
    yield "in_figure", view.within(figures)[view.blocks]
    images = np.array([i for i, tag in enumerate(page.tags) if tag == "img"], dtype=np.int64)
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


ELEMENTS = EvidenceSource("the elements it stands in", _of_elements)
NAMED_PARTS = EvidenceSource("names of the elements around it", _of_parts)
MARKUP = EvidenceSource("markup and images", _of_markup)
