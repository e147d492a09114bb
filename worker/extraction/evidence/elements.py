"""Evidence from the elements that a line stands in: their tags, their names, their images."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from worker.extraction.evidence.view import UNKNOWN, EvidenceSource, Integers, View
from worker.extraction.vocabulary import (
    BODY_NAMES,
    OTHER_NAMES,
    PARTS,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)
from worker.learning import NamedColumn
from worker.pages.flat import numbered
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


_OF_SMALL = [_Marks._fields.index(name) for name in ("other_names", "sections", "uninteresting")]
"""Marks that an element too large for its name to mean all of it does not make."""

_COUNTED = ("body_names", "other_names", "sections", "lists", "tables")
"""Marks that are counted; of any other one is as good as several."""


@lru_cache(maxsize=4096)
def _marks_of(tag: str, names: str) -> _Marks:
    """Say what an element tells of what it holds, its style aside."""
    name_words = split_words(names)
    return _Marks(
        body_names=not BODY_NAMES.isdisjoint(name_words),
        other_names=not OTHER_NAMES.isdisjoint(name_words),
        sections=tag in UNINTERESTING_TAGS,
        uninteresting=not UNINTERESTING.isdisjoint(name_words),
        in_article=tag in ("article", "main"),
        lists=tag in ("ul", "ol", "dl"),
        tables=tag == "table",
        hidden=False,
    )


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


def _of_elements(view: View) -> Iterator[NamedColumn]:
    page = view.page
    tags = [_TAG_NUMBERS.get(tag, UNKNOWN) for tag in page.flat.distinct_tags]
    codes = np.array(tags)[page.flat.tag_numbers]
    names = [*map(split_words, page.distinct_names)]
    named = page.name_numbers[view.blocks]
    yield "tag", codes[view.blocks]
    yield "parent_tag", codes[view.parents[view.blocks]]
    yield "body_names_here", np.array([len(each & BODY_NAMES) for each in names])[named]
    yield "other_names_here", np.array([len(each & OTHER_NAMES) for each in names])[named]
    yield "depth", view.depths[view.blocks]
    sums = _sums_of_marks(view)[view.blocks]
    is_counted = [name in _COUNTED for name in _Marks._fields]
    yield from zip(_Marks._fields, np.where(is_counted, sums, sums > 0).T, strict=True)


def _sums_of_marks(view: View) -> Integers:
    page = view.page
    holders = view.holders.tolist()
    kinds, numbers = numbered([(page.tags[index], page.names[index]) for index in holders])
    marks = np.array([_marks_of(*kind) for kind in kinds], dtype=np.int64)[numbers]
    styles = (page.elements[index].get("style") for index in holders)
    marks[:, -1] = [style is not None and _hides(style) for style in styles]
    is_large = page.sizes[view.holders] > view.largest_section
    for place in _OF_SMALL:
        marks[is_large, place] = 0
    return view.sums_around(view.holders, marks)


def _of_parts(view: View) -> Iterator[NamedColumn]:
    """Count how near the elements are that are named for a part of a page: 1 for the line's own."""
    page = view.page
    nearest = np.full((len(PARTS), len(page.elements)), -np.inf)
    parts = [*map(_parts_of, page.distinct_names)]
    is_named = np.array([*map(bool, parts)])[page.name_numbers[view.holders]]
    is_small = page.sizes[view.holders] <= view.largest_section
    rows, depths = [*nearest], view.depths.tolist()
    for index in view.holders[is_named & is_small].tolist():
        for part in parts[page.name_numbers[index]]:
            # An element within comes later, so it takes the place of those around it.
            rows[part][index : page.ends[index]] = depths[index]
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
    text_lines, text_parents = page.text_lines, page.text_parents
    sizes = np.array([text.size for text in page.texts], dtype=np.float64)
    numbers = np.array([line.number for line in view.lines])
    firsts = np.searchsorted(text_lines, numbers)
    lasts = np.searchsorted(text_lines, numbers, side="right")
    for name, tags in (("strong", ("b", "strong")), ("slanted", ("i", "em", "cite"))):
        marked = page.flat.within(page.flat.having(tags))
        before = np.concatenate([[0.0], np.cumsum(sizes * marked[text_parents])])
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


ELEMENTS = EvidenceSource("the elements it stands in", _of_elements)
NAMED_PARTS = EvidenceSource("names of the elements around it", _of_parts)
MARKUP = EvidenceSource("markup and images", _of_markup)
