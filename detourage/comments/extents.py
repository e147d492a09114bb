"""Extents of comments (all elements that belong to each one), and the area that contains them."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq

from lxml.html import HtmlElement

from detourage.html.flat import FlatDocument
from detourage.html.text import visible_text
from detourage.text.caches import cached_if_short
from detourage.text.words import tokens

MAX_WIDENINGS = 6  # levels by which a record is widened; no known page needs more
MIN_ALIKE = 0.8  # share of records whose enclosing elements, or adjacent siblings, are similar
MAX_ROWS = 3  # siblings on each side that belong to a record
MAX_BETWEEN = 100  # words in an element between two comments; longer ones may be the article

_Shape = tuple[str, ...]


@dataclass(frozen=True)
class Extent:
    """Everything on a page that belongs to one comment, as element indices in the flat document.

    `element` contains the comment and the comments nested in it. `rows` are that element and the
    siblings that belong to the comment, in order; `place` is the position of the element in `rows`.
    """

    element: int
    rows: tuple[int, ...]
    place: int = 0


def extents_of(page: FlatDocument, records: Sequence[int]) -> list[Extent]:
    """Widen records (in document order) to the enclosing elements and rows that belong to them."""
    shapes = _Shapes(page)
    elements = list(records)
    for _ in range(MAX_WIDENINGS):
        wider = shapes.around(elements)
        if wider is None:
            break
        elements = wider
    return _with_rows(shapes, elements)


def comment_area(page: FlatDocument, records: Sequence[HtmlElement]) -> list[HtmlElement]:
    """Return the outermost elements that contain comments or lie between two comments."""
    extents = extents_of(page, page.places_of(records))
    rows = [page.elements[row] for extent in extents for row in extent.rows]
    within = set(rows)
    outermost = [row for row in rows if within.isdisjoint(row.iterancestors())]
    area = dict.fromkeys(outermost)
    for row in outermost:
        between: list[HtmlElement] = []
        for sibling in row.itersiblings():
            if sibling in area:
                area.update(dict.fromkeys(between))
                break
            if len(tokens(visible_text(sibling))) > MAX_BETWEEN:
                break
            between.append(sibling)
    return list(area)


class _Shapes:
    """The structure of a page: the shape of its elements and their positions."""

    def __init__(self, page: FlatDocument) -> None:
        self.tags = page.tags
        self.names = page.distinct_names
        self.name_numbers = page.name_numbers.tolist()
        self.parents = page.parents.tolist()
        self.ends = page.ends.tolist()

    def around(self, elements: Sequence[int]) -> list[int] | None:
        """Return the elements' parents, or None unless they are similar with one record each."""
        if len(elements) < 2:
            return None
        parents = [self.parents[element] for element in elements]
        if len(set(parents)) < len(parents) or any(
            parent < 0 or self.tags[parent] == "body" for parent in parents
        ):
            return None
        kinds = Counter(map(self.look, parents))
        return parents if kinds.most_common(1)[0][1] >= MIN_ALIKE * len(parents) else None

    def children(self, parent: int) -> list[int]:
        """Return the children of an element; empty for -1, the level above the root."""
        children = []
        child = parent + 1
        while parent >= 0 and child < self.ends[parent]:
            children.append(child)
            child = self.ends[child]
        return children

    def look(self, element: int) -> _Shape:
        return (self.tags[element], _first_class(self.names[self.name_numbers[element]][0]))

    def kind(self, element: int) -> _Shape:
        """Return the class or structure that distinguishes records from other siblings."""
        look = self.look(element)
        return look if look[1] else self.shape(element)

    def shape(self, element: int) -> _Shape:
        inside = (".".join(self.look(child)) for child in self.children(element))
        return (*self.look(element), *inside)


@cached_if_short(4096)
def _first_class(classes: str) -> str:
    names = (name for name in classes.split() if not any(map(str.isdigit, name)))
    return next(names, "")


def _with_rows(shapes: _Shapes, elements: Sequence[int]) -> list[Extent]:
    own = set(elements)
    kinds = {shapes.kind(element) for element in elements}
    siblings: dict[int, list[int]] = {}
    position: dict[int, int] = {}
    for parent in dict.fromkeys(shapes.parents[element] for element in elements):
        siblings[parent] = children = shapes.children(parent)
        position.update(zip(children, range(len(children)), strict=True))
        own.update(child for child in children if shapes.kind(child) in kinds)
    before, after = (
        [
            _adjacent(siblings[shapes.parents[element]], position.get(element, 0), step, own)
            for element in elements
        ]
        for step in (-1, 1)
    )
    leading, trailing = _common(shapes, before), _common(shapes, after[::-1])
    if any(len(rows) < leading + trailing for rows in after[:-1]):
        trailing = 0
    return [
        Extent(element, (*rows_before[:leading][::-1], element, *rows_after[:trailing]), leading)
        for element, rows_before, rows_after in zip(elements, before, after, strict=True)
    ]


def _adjacent(siblings: Sequence[int], place: int, step: int, own: Container[int]) -> list[int]:
    """Return the nearest siblings of a record, up to the next record."""
    most = 2 * MAX_ROWS
    before, after = siblings[max(0, place - most) : place], siblings[place + 1 : place + 1 + most]
    return [*takewhile(lambda each: each not in own, after if step > 0 else before[::-1])]


def _common(shapes: _Shapes, sides: Sequence[Sequence[int]]) -> int:
    """Count the adjacent siblings, from the nearest, whose shapes agree between records."""
    if len(sides) < 2:
        return 0
    found = [[shapes.shape(sibling) for sibling in side[:MAX_ROWS]] for side in sides]
    alike = [sum(takewhile(bool, map(eq, found[0], side))) for side in found]
    return sum(
        sum(count >= depth for count in alike) >= MIN_ALIKE * len(sides)
        for depth in range(1, len(found[0]) + 1)
    )
