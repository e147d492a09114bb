"""A comment flattened: its elements by the path that they have in every comment of the page."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from worker.comments.extents import Extent
from worker.language.words import clean
from worker.pages.elements import INLINE
from worker.pages.names import split_words
from worker.pages.text import is_hidden

_HIDDEN = frozenset(["hidden", "sr-only", "visually-hidden", "screen-reader-text", "d-none"])

MIN_SHARE = 0.1
"""Share of the comments from which on a class is the template's, not one comment's own."""


class Text(NamedTuple):
    """A text node.

    Attributes
    ----------
    parent
        Index of the element that it stands in.
    line
        Number of its line: text nodes with no border of a block between them share it.
    text
        The text as it stands in the page.
    """

    parent: int
    line: int
    text: str


@dataclass
class Layout:
    """The elements of one comment in document order, those of comments nested in it left out.

    Attributes
    ----------
    elements, parents, ends
        The elements; index of the parent, -1 for the rows themselves; index after the last
        descendant.
    paths
        Way from the row to each element: names of elements with their classes. The same path in
        two comments of a page is the same part of their template.
    texts, text_starts, text_ends
        The text nodes that show something; the stretch of them below each element.
    """

    elements: list[HtmlElement] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    text_starts: list[int] = field(default_factory=list)
    text_ends: list[int] = field(default_factory=list)

    def text_of(self, index: int) -> str:
        """Return the text below an element, on one line."""
        return joined(self.texts[self.text_starts[index] : self.text_ends[index]])

    def length_of(self, index: int) -> int:
        """Return the number of characters below an element, white space included."""
        return self.length_between(self.text_starts[index], self.text_ends[index])

    def length_between(self, start: int, end: int) -> int:
        """Return the number of characters of a stretch of text nodes."""
        return self._lengths[end] - self._lengths[start]

    @cached_property
    def _lengths(self) -> list[int]:
        lengths = [0]
        for node in self.texts:
            lengths.append(lengths[-1] + len(node.text))
        return lengths

    @cached_property
    def names(self) -> list[frozenset[str]]:
        """For every element the words of its class, id and other names."""
        return [
            split_words(" ".join(map(element.get, _NAMING, _NONE))) for element in self.elements
        ]


_NAMING = ("class", "id", "itemprop", "rel", "data-role", "data-testid")
_NONE = ("",) * len(_NAMING)
_DIGIT = re.compile(r"\d")


def joined(texts: Sequence[Text]) -> str:
    """Return text nodes as one line."""
    parts: list[str] = []
    line = -1
    for node in texts:
        parts.append(node.text if node.line == line else f" {node.text}")
        line = node.line
    return clean("".join(parts))


def layouts_of(extents: Sequence[Extent]) -> list[Layout]:
    """Flatten the comments of a page.

    Parameters
    ----------
    extents
        The comments, in document order, possibly nested in each other.
    """
    rows = {row for extent in extents for row in extent.rows}
    layouts = [_flatten(extent, rows) for extent in extents]
    known = _classes_of_template(layouts)
    for layout, extent in zip(layouts, extents, strict=True):
        _name_paths(layout, extent, known)
    return layouts


def _flatten(extent: Extent, rows: Collection[HtmlElement]) -> Layout:
    layout = Layout()
    line = 0
    for row in extent.rows:
        line += 1
        open_elements = [-1]
        walk = etree.iterwalk(row, events=("start", "end"))
        for event, node in walk:
            text: str | None
            if event == "start":
                # Hidden as a whole, a comment is one that a click shows.
                if node is not row and (node in rows or is_hidden(node) or _is_for_others(node)):
                    walk.skip_subtree()
                    open_elements.append(-2)
                    continue
                layout.elements.append(node)
                layout.parents.append(open_elements[-1])
                layout.ends.append(0)
                layout.text_starts.append(len(layout.texts))
                layout.text_ends.append(0)
                open_elements.append(len(layout.elements) - 1)
                line += node.tag not in INLINE
                text = node.text
            else:
                index = open_elements.pop()
                if index >= 0:
                    layout.ends[index] = len(layout.elements)
                    layout.text_ends[index] = len(layout.texts)
                line += node.tag not in INLINE
                text = node.tail if node is not row else None
            if text and not text.isspace():
                layout.texts.append(Text(open_elements[-1], line, text))
    return layout


def _is_for_others(element: HtmlElement) -> bool:
    """Say whether an element is named as hidden: for programs, or for those who listen."""
    return not _HIDDEN.isdisjoint((element.get("class") or "").split())


def _classes_of_template(layouts: Sequence[Layout]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for layout in layouts:
        names = {element.get("class") or "" for element in layout.elements}
        counts.update({name for each in names for name in each.split()})
    least = min(2.0, len(layouts)) if len(layouts) * MIN_SHARE < 2 else len(layouts) * MIN_SHARE
    return frozenset(
        name for name, count in counts.items() if count >= least and not _DIGIT.search(name)
    )


def _name_paths(layout: Layout, extent: Extent, known: Collection[str]) -> None:
    row = -extent.place
    for element, parent in zip(layout.elements, layout.parents, strict=True):
        if parent < 0:
            layout.paths.append(str(row))
            row += 1
            continue
        step = element.tag
        classes = element.get("class")
        if classes:
            step = ".".join((step, *sorted(name for name in classes.split() if name in known)))
        layout.paths.append(f"{layout.paths[parent]}/{step}")
