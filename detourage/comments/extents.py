"""Extents of comments (the elements that belong to each one), and the area that contains them."""

from collections.abc import Container, Sequence
from itertools import takewhile
from operator import eq
from typing import NamedTuple

import numpy as np

from detourage.html.flat import FlatDocument
from detourage.html.visible_text import without_text
from detourage.text.caches import cached_if_short
from detourage.text.words import tokens

MIN_ALIKE = 0.8  # minimum share of records with similar siblings
MAX_ROWS = 3  # maximum siblings on each side that belong to a record
MAX_BETWEEN = 100  # maximum words in an element between comments; a longer one may be the article
_Shape = tuple[str, ...]  # tag and class of an element, and possibly those of its children


class Extent(NamedTuple):
    """The elements that belong to one comment, as indices in the flat document.

    `element` contains the comment and the comments nested in it. `rows` are that element and the
    siblings that belong to the comment, in order; `place` is the position of `element` in `rows`.
    """

    element: int
    rows: tuple[int, ...]
    place: int = 0


def find_extents(page: FlatDocument, records: Sequence[int]) -> list[Extent]:
    """Return the extents of records (in document order), including siblings."""
    return _with_rows(_Shapes(page), records)


def comment_area(page: FlatDocument, records: Sequence[int]) -> list[int]:
    """Return the outermost elements that contain comments or are between two comments."""
    rows = [row for extent in find_extents(page, records) for row in extent.rows]
    is_row = np.zeros(len(page.ends), dtype=np.bool_)
    is_row[rows] = True
    outermost = np.flatnonzero(is_row & (page.count_around(is_row) == 1)).tolist()
    is_shown = ~page.within(without_text(page))[page.text_parents]
    area = dict.fromkeys(outermost)
    for row in outermost:
        between: list[int] = []
        sibling, last = int(page.ends[row]), page.ends[page.parents[row]]
        while sibling < last and sibling not in area:
            texts = range(page.text_starts[sibling], page.text_ends[sibling])
            if sum(len(tokens(page.texts[text])) for text in texts if is_shown[text]) > MAX_BETWEEN:
                break
            between.append(sibling)
            sibling = int(page.ends[sibling])
        if sibling in area:
            area.update(dict.fromkeys(between))
    return list(area)


class _Shapes:
    """Comparison of a page's elements by their tags, classes and children."""

    def __init__(self, page: FlatDocument) -> None:
        self.tags = page.tags
        self.names = page.distinct_names
        self.name_numbers = page.name_numbers.tolist()
        self.parents = page.parents.tolist()
        self.ends = page.ends.tolist()

    def children(self, parent: int) -> list[int]:
        """Return the children of an element; none for -1, which means the parent of the root."""
        children = []
        child = parent + 1
        while parent >= 0 and child < self.ends[parent]:
            children.append(child)
            child = self.ends[child]
        return children

    def look(self, element: int) -> _Shape:
        """Return the tag and the first class of an element."""
        return (self.tags[element], _first_class(self.names[self.name_numbers[element]][0]))

    def kind(self, element: int) -> _Shape:
        """Return the look of an element with a class, or the shape of one without."""
        look = self.look(element)
        return look if look[1] else self.shape(element)

    def shape(self, element: int) -> _Shape:
        """Return the look of an element and its children."""
        child_looks = (".".join(self.look(child)) for child in self.children(element))
        return (*self.look(element), *child_looks)


@cached_if_short(4096)
def _first_class(classes: str) -> str:
    """Return the first class without digits, as a class with digits may be unique, like an ID."""
    names = (name for name in classes.split() if not any(map(str.isdigit, name)))
    return next(names, "")


def _with_rows(shapes: _Shapes, elements: Sequence[int]) -> list[Extent]:
    """Return the extents of records, with adjacent siblings if most records have similar ones."""
    records = set(elements)
    kinds = {shapes.kind(element) for element in elements}
    siblings: dict[int, list[int]] = {}
    position: dict[int, int] = {}
    for parent in dict.fromkeys(shapes.parents[element] for element in elements):
        siblings[parent] = children = shapes.children(parent)
        position.update(zip(children, range(len(children)), strict=True))
        records.update(child for child in children if shapes.kind(child) in kinds)
    before, after = (
        [
            _siblings_up_to_record(
                siblings[shapes.parents[element]], position.get(element, 0), step, records
            )
            for element in elements
        ]
        for step in (-1, 1)
    )
    leading, trailing = (
        _count_similar_siblings(shapes, before),
        _count_similar_siblings(shapes, after[::-1]),
    )
    if any(len(rows) < leading + trailing for rows in after[:-1]):
        trailing = 0
    return [
        Extent(element, (*rows_before[:leading][::-1], element, *rows_after[:trailing]), leading)
        for element, rows_before, rows_after in zip(elements, before, after, strict=True)
    ]


def _siblings_up_to_record(
    siblings: Sequence[int], place: int, step: int, records: Container[int]
) -> list[int]:
    """Return the siblings from a record to the next record before (`step` -1) or after (1) it."""
    limit = 2 * MAX_ROWS
    before, after = siblings[max(0, place - limit) : place], siblings[place + 1 : place + 1 + limit]
    nearest_first = after if step > 0 else before[::-1]
    return [*takewhile(lambda sibling: sibling not in records, nearest_first)]


def _count_similar_siblings(shapes: _Shapes, siblings: Sequence[Sequence[int]]) -> int:
    """Return how many of the nearest siblings look like the first record's, for most records."""
    if len(siblings) < 2:
        return 0
    found = [[shapes.shape(sibling) for sibling in nearest[:MAX_ROWS]] for nearest in siblings]
    # Number of siblings of each record that look like the first record's, up to a different one
    similar = [sum(takewhile(bool, map(eq, found[0], nearest))) for nearest in found]
    return sum(
        sum(count >= number for count in similar) >= MIN_ALIKE * len(siblings)
        for number in range(1, len(found[0]) + 1)
    )
