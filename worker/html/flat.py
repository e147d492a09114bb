"""A document flattened once, into columns that every reader of the page shares."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import itemgetter
from typing import Self, TypeVar, overload

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_Item = TypeVar("_Item")


class Elements(Sequence[HtmlElement]):
    """The elements of a document, or some of them; those of a page are built when asked for.

    Parameters
    ----------
    document
        Returns the root element.
    numbers
        Places of the elements among all of the document.
    whole
        All elements of the document, where they are known.
    """

    def __init__(
        self,
        document: Callable[[], HtmlElement],
        numbers: Integers,
        whole: list[HtmlElement] | None = None,
    ) -> None:
        self._document = document
        self._numbers = numbers
        # One for all selections of a document: an element is then the same in each.
        self._whole = [] if whole is None else whole

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> HtmlElement: ...
    @overload
    def __getitem__(self, place: slice) -> list[HtmlElement]: ...
    def __getitem__(self, place: int | slice) -> HtmlElement | list[HtmlElement]:
        if not self._whole:
            self._whole += self._document().iter()
        if isinstance(place, slice):
            return [self._whole[number] for number in self._numbers[place].tolist()]
        return self._whole[self._numbers[place]]

    def __iter__(self) -> Iterator[HtmlElement]:
        return iter(self[:])

    def select(self, kept: Booleans) -> "Elements":
        """Return some of the elements."""
        return Elements(self._document, self._numbers[kept], self._whole)


@dataclass(frozen=True, eq=False)
class Pieces:
    """All texts of a document, those of white space too, in document order.

    Attributes
    ----------
    texts
        The texts.
    parents
        The element that each stands in.
    after
        The last element that begins before each.
    """

    texts: Sequence[str]
    parents: Integers
    after: Integers


@dataclass(frozen=True, eq=False)
class Attributes:
    """The attributes of a document's elements, in document order.

    Attributes
    ----------
    distinct
        Each name once.
    owners, names, values
        For each attribute its element, the number of its name, and its value.
    """

    distinct: Sequence[str]
    owners: Integers
    names: Integers
    values: Sequence[str]

    def named(self, name: str) -> tuple[Integers, list[str]]:
        """Return the elements that have an attribute, and their values of it."""
        number = self.distinct.index(name) if name in self.distinct else -1
        places = np.flatnonzero(self.names == number)
        return self.owners[places], [self.values[place] for place in places.tolist()]

    @cached_property
    def _starts(self) -> list[int]:
        """For each element up to the last that has any the first of its attributes."""
        last = int(self.owners[-1]) if len(self.owners) else 0
        starts: list[int] = np.searchsorted(self.owners, np.arange(last + 2)).tolist()
        return starts

    def of(self, element: int) -> dict[str, str]:
        """Return the attributes of an element, by name."""
        if element + 1 >= len(self._starts):
            return {}
        start, end = self._starts[element : element + 2]
        names = map(self.distinct.__getitem__, self.names[start:end].tolist())
        return dict(zip(names, self.values[start:end], strict=True))


@dataclass(frozen=True, eq=False)
class FlatDocument:
    """The elements and the texts of a document, each in document order.

    An element is named by its index; its descendants are the indices up to its end. What is below
    an element, of anything counted, is a difference of two sums over all before a place.

    Attributes
    ----------
    elements
        The elements, the root first.
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
    numbers
        For each element its number in the whole document, by which `pieces` and `attributes` name
        it.
    pieces, attributes
        All texts and attributes of the whole document.
    """

    elements: Elements
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
    numbers: Integers
    pieces: Pieces
    attributes: Attributes

    @classmethod
    def of(cls, document: "HtmlElement | FlatDocument") -> "FlatDocument":
        """Flatten a parsed document, or what is below an element, unless it is flat already."""
        if isinstance(document, FlatDocument):
            return document
        every = list(document.iter())
        nodes = [node for node in every if isinstance(node.tag, str)]
        count = len(nodes)
        place = dict(zip(nodes, range(count), strict=True))
        parents = [-1, *(place[node.getparent()] for node in nodes[1:])]
        ends = [0] * count
        for index in range(count - 1, -1, -1):
            end = ends[index] = ends[index] or index + 1
            parent = parents[index]
            # The last child comes first here.
            ends[parent] = ends[parent] or end
        # In the order of a browser's source: what an element holds first, and what follows it
        # after what follows the elements in it.
        pieces = [(index, -index, text) for index, node in enumerate(nodes) if (text := node.text)]
        before = 0
        for node in every[1:]:
            before = place.get(node, before)
            if node.tail:
                after_all = ends[before] - 1 if node in place else before
                pieces.append((after_all, -place[node.getparent()], node.tail))
        pieces.sort(key=itemgetter(0, 1))
        texts = [piece[2] for piece in pieces]
        after = np.array([piece[0] for piece in pieces], dtype=np.int64)
        piece_parents = -np.array([piece[1] for piece in pieces], dtype=np.int64)
        shown = np.array([not text.isspace() for text in texts], dtype=np.bool_)
        distinct_tags, tag_numbers = numbered([node.tag for node in nodes])
        distinct_names, name_numbers = numbered(
            [(node.get("class") or "", node.get("id") or "") for node in nodes]
        )
        numbers = np.arange(count)
        owned = [(index, *item) for index, node in enumerate(nodes) for item in node.items()]
        distinct_attributes, attribute_names = numbered([name for _, name, _ in owned])
        of_ends = np.array(ends, dtype=np.int64)
        step = count + 1
        orders = after[shown] * step + count - piece_parents[shown]
        return cls(
            elements=Elements(lambda: document, numbers, nodes),
            distinct_tags=distinct_tags,
            tag_numbers=tag_numbers,
            distinct_names=distinct_names,
            name_numbers=name_numbers,
            parents=np.array(parents, dtype=np.int64),
            ends=of_ends,
            texts=[*compress(texts, shown)],
            text_parents=piece_parents[shown],
            text_starts=np.searchsorted(orders, numbers * step),
            text_ends=np.searchsorted(orders, of_ends * step - 1 - numbers, side="right"),
            numbers=numbers,
            pieces=Pieces(texts, piece_parents, after),
            attributes=Attributes(
                distinct_attributes,
                np.array([index for index, _, _ in owned], dtype=np.int64),
                attribute_names,
                [value for _, _, value in owned],
            ),
        )

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
            elements=self.elements.select(kept),
            tag_numbers=self.tag_numbers[kept],
            name_numbers=self.name_numbers[kept],
            parents=np.where(parents < 0, -1, before[parents]),
            ends=before[self.ends[kept]],
            texts=[*compress(self.texts, kept_texts)],
            text_parents=before[self.text_parents[kept_texts]],
            text_starts=before_text[self.text_starts[kept]],
            text_ends=before_text[self.text_ends[kept]],
            numbers=self.numbers[kept],
        )

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each element."""
        return [*map(self.distinct_tags.__getitem__, self.tag_numbers.tolist())]

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
        ended = np.bincount(self.ends[marked], minlength=len(marked) + 1)
        sums: Integers = np.cumsum(marked - ended[:-1])
        return sums

    @cached_property
    def depths(self) -> Integers:
        """For each element the number of those around it."""
        return self.count_around(np.ones(len(self.elements), dtype=np.bool_)) - 1

    def values(self, name: str) -> dict[int, str]:
        """Return the values of an attribute, by the index of the element that has it."""
        owners, values = self.attributes.named(name)
        places = np.searchsorted(self.numbers, owners)
        is_listed = np.append(self.numbers, -1)[places] == owners
        listed = places[is_listed].tolist()
        return dict(zip(listed, compress(values, is_listed.tolist()), strict=True))

    def places_of(self, elements: Iterable[HtmlElement]) -> list[int]:
        """Return the places of elements of the document."""
        return [self._place_of[element] for element in elements]

    @cached_property
    def _place_of(self) -> dict[HtmlElement, int]:
        return dict(zip(self.elements, range(len(self.elements)), strict=True))

    def attribute(self, name: str) -> list[str]:
        """Return an attribute of each element, empty for those without."""
        values = self.values(name)
        return [values.get(index, "") for index in range(len(self.elements))]


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
