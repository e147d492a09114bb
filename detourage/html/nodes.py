"""Elements of a flattened document with lxml's read interface, and their XPaths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from detourage.html import _locations
from detourage.html.flat import FlatDocument, HtmlElement, joined_strings
from detourage.text.lazy_patterns import lazy_pattern

_STEP = lazy_pattern(r"(?:\*\[name\(\)='([^'/]+)'\]|([^/\[\]*]+))(?:\[(\d{1,6})\])?")


class Paths:
    """The XPaths of the elements of a document, such as ``/html/body/p[2]``.

    An element has a rank (``[2]``) only if siblings have the same name. Names with a colon, and
    those of SVG and MathML, are not HTML names, so a step has the form ``*[name()='svg']``.
    """

    def __init__(self, flat: FlatDocument) -> None:
        tags, pieces = joined_strings(flat.distinct_tags), flat.pieces
        columns = flat.tag_numbers, flat.parents, flat.ends
        self.tree = _locations.tree(tags, *columns, pieces.utf8, pieces.parents)

    @classmethod
    def of(cls, flat: FlatDocument) -> Self:
        """Return the paths of a document, computed once."""
        return flat.once("paths", lambda: cls(flat))

    def path(self, element: int, ancestor: int = -1) -> str:
        """Return an element's path: absolute, or relative to an ancestor or the element (empty)."""
        return _locations.path(self.tree, element, ancestor)


def index_at(flat: FlatDocument, path: str) -> int | None:
    """Return the index of the element at an absolute path, or None."""
    children = flat.once(_children, lambda: _children(flat))
    element = -1
    for name, rank in _steps(path):
        same = children.get((element, name), ())
        if not 0 < rank <= len(same):
            return None
        element = same[rank - 1]
    return element if element >= 0 else None


def _children(flat: FlatDocument) -> dict[tuple[int, str], list[int]]:
    """Return the children of each element by parent and tag."""
    children: dict[tuple[int, str], list[int]] = {}
    for index, key in enumerate(zip(flat.parents.tolist(), flat.tags, strict=True)):
        children.setdefault(key, []).append(index)
    return children


def _steps(path: str) -> list[tuple[str, int]]:
    """Split a path into names and ranks; the name of a step that cannot be read is empty."""
    matches = map(_STEP.fullmatch, path.split("/")[1:])
    return [(each[1] or each[2], int(each[3] or 1)) if each else ("", 1) for each in matches]


@dataclass(slots=True, unsafe_hash=True, repr=False)
class Node:
    """An element of a complete document, with the reading methods of lxml's elements."""

    flat: FlatDocument
    index: int

    @property
    def tag(self) -> str:
        """The tag."""
        return self.flat.distinct_tags[self.flat.tag_numbers.item(self.index)]

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of an attribute."""
        return self.flat.attributes.by_element(name).get(self.index, default)

    @property
    def text(self) -> str | None:
        """The text before the first child element, or None."""
        pieces = self.flat.pieces
        first = int(np.searchsorted(pieces.after, self.index))
        if first == len(pieces.texts) or pieces.after[first] != self.index:
            return None
        return pieces.texts[first] if pieces.parents[first] == self.index else None

    def text_content(self) -> str:
        """Return all text in the element."""
        pieces = self.flat.pieces
        start, end = np.searchsorted(pieces.after, (self.index, self.flat.ends[self.index]))
        # The last of these texts may follow the element's end tag.
        is_inside = pieces.parents[start:end] >= self.index
        return "".join(pieces.texts[start : start + int(is_inside.sum())])

    def iter(self, *tags: str) -> Iterator["Node"]:
        """Yield the element and its descendants in document order, filtered by `tags`."""
        end = int(self.flat.ends[self.index])
        chosen: Sequence[int] = range(self.index, end)
        if tags:
            if set(tags).isdisjoint(self.flat.distinct_tags):
                return
            has_tag = self.flat.having(tags)[self.index : end]
            chosen = (np.flatnonzero(has_tag) + self.index).tolist()
        yield from (Node(self.flat, index) for index in chosen)

    def getparent(self) -> "Node | None":
        """Return the parent element."""
        parent = int(self.flat.parents[self.index])
        return Node(self.flat, parent) if parent >= 0 else None

    def iterancestors(self) -> Iterator["Node"]:
        """Yield the ancestors, beginning with the parent."""
        parent = self.getparent()
        while parent is not None:
            yield parent
            parent = parent.getparent()

    def iterchildren(self, *tags: str) -> Iterator["Node"]:
        """Yield the child elements, filtered by `tags`."""
        child, end = self.index + 1, int(self.flat.ends[self.index])
        while child < end:
            node = Node(self.flat, child)
            if not tags or node.tag in tags:
                yield node
            child = int(self.flat.ends[child])

    def path(self) -> str:
        """Return the element's XPath."""
        return Paths.of(self.flat).path(self.index)


AnyElement: TypeAlias = HtmlElement | Node  # an element of either kind, to be used for reading only
