"""Elements of a flattened document with lxml's read interface but without lxml elements."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from lxml.html import HtmlElement

from detourage.html.flat import FlatDocument
from detourage.html.paths import Paths


@dataclass(frozen=True)
class Node:
    """An element of a complete document, given by its index.

    Nodes of the same element are equal. Members with the same names as in lxml behave as in lxml.
    """

    flat: FlatDocument
    index: int

    @property
    def tag(self) -> str:
        """The tag."""
        return self.flat.tags[self.index]

    @cached_property
    def attrib(self) -> dict[str, str]:
        """The attributes by name."""
        return self.flat.attributes.of(self.index)

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of an attribute."""
        return self.attrib.get(name, default)

    @cached_property
    def text(self) -> str | None:
        """The text before the first child element."""
        pieces = self.flat.pieces
        place = int(np.searchsorted(pieces.after, self.index))
        is_own = place < len(pieces.texts) and pieces.parents[place] == self.index
        return pieces.texts[place] if is_own else None

    def text_content(self) -> str:
        """Return all text in the element."""
        pieces = self.flat.pieces
        start, end = np.searchsorted(pieces.after, (self.index, self.flat.ends[self.index]))
        inside = pieces.parents[start:end] >= self.index
        return "".join(pieces.texts[start : start + int(inside.sum())])

    def iter(self, *tags: str) -> Iterator["Node"]:
        """Yield the element and its descendants in document order, filtered by `tags`."""
        end = int(self.flat.ends[self.index])
        chosen = range(self.index, end)
        if tags:
            having = self.flat.having(tags)[self.index : end]
            for place in np.flatnonzero(having).tolist():
                yield Node(self.flat, chosen[place])
        else:
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


AnyElement = HtmlElement | Node
"""An element of either kind, to be used for reading only."""
