"""A document flattened once, into columns that every reader of the page shares."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_Item = TypeVar("_Item")


@dataclass(frozen=True, eq=False)
class FlatDocument:
    """The elements and the texts of a document, each in document order.

    An element is named by its index; its descendants are the indices up to its end. What is below
    an element, of anything counted, is a difference of two sums over all before a place.

    Attributes
    ----------
    elements
        The elements, the root first.
    tags
        Their tags.
    distinct_tags, tag_numbers
        Each tag once, and for each element the number of its own there. What was left out of a
        selection may still be listed.
    distinct_names, name_numbers
        Each pair of a class and an id once, empty for none; and for each element as above.
    parents
        Index of the parent, -1 for the root.
    ends
        Index after the last descendant.
    texts
        Texts between tags that hold more than white space, as they stand in the page.
    text_parents
        Index of the element that each stands in.
    text_starts, text_ends
        Stretch of `texts` below each element.
    """

    elements: Sequence[HtmlElement]
    tags: Sequence[str]
    distinct_tags: Sequence[str]
    tag_numbers: Integers
    distinct_names: Sequence[tuple[str, str]]
    name_numbers: Integers
    parents: Integers
    ends: Integers
    texts: Sequence[str]
    text_parents: Integers
    text_starts: Integers
    text_ends: Integers

    @classmethod
    def of(cls, document: "HtmlElement | FlatDocument") -> "FlatDocument":
        """Flatten a parsed document, or what is below an element, unless it is flat already."""
        if isinstance(document, FlatDocument):
            return document
        nodes = list(document.iter())
        count = len(nodes)
        place = dict(zip(nodes, range(count), strict=True))
        parents = [-1, *(place[node.getparent()] for node in nodes[1:])]
        ends = [0] * count
        for index in range(count - 1, -1, -1):
            end = ends[index] = ends[index] or index + 1
            parent = parents[index]
            # The last child comes first here.
            ends[parent] = ends[parent] or end
        tags = [node.tag for node in nodes]
        # In the order of a browser's source: what an element holds first, and what follows it
        # after what follows the elements in it.
        step = count + 1
        pieces: list[tuple[int, int, str]] = [
            ((index + 1) * step, index, text)
            for index, node in enumerate(nodes)
            if (text := node.text) and not text.isspace() and isinstance(tags[index], str)
        ]
        pieces += [
            (ends[index] * step + count - index, parents[index], text)
            for index, node in enumerate(nodes)
            if (text := node.tail) and index and not text.isspace()
        ]
        pieces.sort()
        orders = np.array([piece[0] for piece in pieces], dtype=np.int64)
        numbers = np.arange(count)
        of_ends = np.array(ends, dtype=np.int64)
        distinct_tags, tag_numbers = numbered(tags)
        distinct_names, name_numbers = numbered(
            [(node.get("class") or "", node.get("id") or "") for node in nodes]
        )
        flat = cls(
            elements=nodes,
            tags=tags,
            distinct_tags=distinct_tags,
            tag_numbers=tag_numbers,
            distinct_names=distinct_names,
            name_numbers=name_numbers,
            parents=np.array(parents, dtype=np.int64),
            ends=of_ends,
            texts=[piece[2] for piece in pieces],
            text_parents=np.array([piece[1] for piece in pieces], dtype=np.int64),
            text_starts=np.searchsorted(orders, (numbers + 1) * step),
            text_ends=np.searchsorted(orders, of_ends * step + count - numbers),
        )
        is_element = [isinstance(tag, str) for tag in tags]
        return flat if all(is_element) else flat.select(np.array(is_element))

    def select(self, kept: Booleans, kept_texts: Booleans | None = None) -> Self:
        """Return the document without some elements, or some texts.

        Parameters
        ----------
        kept
            For each element whether it stays; with it all elements around it do.
        kept_texts
            For each text whether it stays; those of all elements that stay, unless given.
        """
        if kept_texts is None:
            kept_texts = kept[self.text_parents]
        before = _counted_before(kept)
        before_text = _counted_before(kept_texts)
        parents = self.parents[kept]
        return replace(
            self,
            elements=[*compress(self.elements, kept)],
            tags=[*compress(self.tags, kept)],
            tag_numbers=self.tag_numbers[kept],
            name_numbers=self.name_numbers[kept],
            parents=np.where(parents < 0, -1, before[parents]),
            ends=before[self.ends[kept]],
            texts=[*compress(self.texts, kept_texts)],
            text_parents=before[self.text_parents[kept_texts]],
            text_starts=before_text[self.text_starts[kept]],
            text_ends=before_text[self.text_ends[kept]],
        )

    def having(self, tags: Container[str]) -> Booleans:
        """Say of each element whether its tag is one of some."""
        has = np.array([tag in tags for tag in self.distinct_tags], dtype=np.bool_)
        having: Booleans = has[self.tag_numbers]
        return having

    def within(self, marked: Booleans) -> Booleans:
        """Say of each element whether it is one of those marked, or stands in one."""
        return self.count_around(marked) > 0

    def count_around(self, marked: Booleans) -> Integers:
        """Count the marked ones of each element and those around it."""
        changes = np.zeros(len(self.elements) + 1, dtype=np.int64)
        changes[:-1] = marked
        np.subtract.at(changes, self.ends[marked], 1)
        sums: Integers = np.cumsum(changes[:-1])
        return sums

    @cached_property
    def depths(self) -> Integers:
        """For each element the number of those around it."""
        return self.count_around(np.ones(len(self.elements), dtype=np.bool_)) - 1

    def attribute(self, name: str) -> list[str]:
        """Return an attribute of each element, empty for those without."""
        return [element.get(name, "") for element in self.elements]


def numbered(items: Sequence[_Item]) -> tuple[list[_Item], Integers]:
    """Return the distinct ones of some items, and for each item the number of it there."""
    distinct = dict.fromkeys(items)
    number_of = dict(zip(distinct, range(len(distinct)), strict=True))
    numbers = np.fromiter(map(number_of.__getitem__, items), np.int64, len(items))
    return [*distinct], numbers


def _counted_before(kept: Booleans) -> Integers:
    counts = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=counts[1:])
    return counts
