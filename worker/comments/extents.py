"""What belongs to each comment beside the element that was found."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from operator import eq

from lxml.html import HtmlElement

MAX_WIDER = 6
"""Elements around a record that are looked at; more have not been needed on any page."""

MIN_ALIKE = 0.8
"""Share of the records around which an element of the same tag and class must stand."""

MAX_ROWS = 3
"""Siblings that belong to a record before or after it."""

_Shape = tuple[str, ...]


@dataclass(frozen=True)
class Extent:
    """All that a page shows of one comment.

    Attributes
    ----------
    element
        The element that holds the comment, with the comments nested in it.
    rows
        The element and the siblings of it that belong to the comment, in order.
    place
        Position of the element in `rows`.
    """

    element: HtmlElement
    rows: tuple[HtmlElement, ...]
    place: int = 0


def extents_of(records: Sequence[HtmlElement]) -> list[Extent]:
    """Widen records to all that belongs to their comments.

    What was found may be the text alone: the elements around it that hold no other record are
    the comment's, and so are the rows of a table, or other siblings, that come with every record.

    Parameters
    ----------
    records
        Elements that hold one comment each, in document order, each once.
    """
    elements = list(records)
    for _ in range(MAX_WIDER):
        wider = _around(elements)
        if wider is None:
            break
        elements = wider
    return _with_rows(elements)


def _around(elements: Sequence[HtmlElement]) -> list[HtmlElement] | None:
    """Return the parents of elements where each is one record's alone, and they are alike."""
    if len(elements) < 2:
        return None
    parents = [element.getparent() for element in elements]
    if len(set(parents)) < len(parents) or any(p is None or p.tag == "body" for p in parents):
        return None
    kinds = Counter((parent.tag, _first_class(parent)) for parent in parents)
    if kinds.most_common(1)[0][1] < MIN_ALIKE * len(parents):
        return None
    return parents


def _first_class(element: HtmlElement) -> str:
    names = (name for name in (element.get("class") or "").split() if not _has_digit(name))
    return next(names, "")


def _has_digit(name: str) -> bool:
    return any(character.isdigit() for character in name)


def _with_rows(elements: Sequence[HtmlElement]) -> list[Extent]:
    own = set(elements)
    kinds = {_kind(element) for element in elements}
    own.update(
        sibling
        for parent in {element.getparent() for element in elements}
        if parent is not None
        for sibling in parent
        if _kind(sibling) in kinds
    )
    before = [_siblings(element, own, preceding=True) for element in elements]
    after = [_siblings(element, own, preceding=False) for element in elements]
    leading, trailing = _common(before), _common(after[::-1])
    if any(len(rows) < leading + trailing for rows in after[:-1]):
        trailing = 0
    return [
        Extent(element, (*rows_before[:leading][::-1], element, *rows_after[:trailing]), leading)
        for element, rows_before, rows_after in zip(elements, before, after, strict=True)
    ]


def _siblings(
    element: HtmlElement, own: Container[HtmlElement], *, preceding: bool
) -> list[HtmlElement]:
    """Return the nearest siblings of a record up to the next record."""
    siblings = element.itersiblings(preceding=preceding)
    return list(islice(takewhile(lambda sibling: sibling not in own, siblings), 2 * MAX_ROWS))


def _common(sides: Sequence[Sequence[HtmlElement]]) -> int:
    """Count the siblings that stand beside records in the same shapes, the first one included.

    Without that one they may be what belongs to the record before.
    """
    if len(sides) < 2:
        return 0
    shapes = [[_shape(sibling) for sibling in side[:MAX_ROWS]] for side in sides]
    alike = [sum(takewhile(bool, map(eq, shapes[0], side))) for side in shapes]
    return sum(
        sum(count >= depth for count in alike) >= MIN_ALIKE * len(sides)
        for depth in range(1, len(shapes[0]) + 1)
    )


def _kind(element: HtmlElement) -> _Shape:
    """Return what tells records from other siblings: the class, or what they are made of."""
    name = _first_class(element)
    return (element.tag, name) if name else _shape(element)


def _shape(element: HtmlElement) -> _Shape:
    children = (f"{child.tag}.{_first_class(child)}" for child in element)
    return (element.tag, _first_class(element), *children)
