"""Columnar representation of a document, built once and shared by all readers of a page."""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from detourage.html import _markup
from detourage.records import record

if TYPE_CHECKING:
    from lxml.html import HtmlElement as HtmlElement
else:
    # Few articles need elements of lxml, which takes 17 ms to import.
    HtmlElement = Any

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
_Item = TypeVar("_Item")


@record
class Pieces:
    """All text nodes of a document, including whitespace, in document order.

    `utf8` contains the NUL-terminated texts in UTF-8. For each text, `parents` has its parent
    element, and `after` the last element that starts before it.
    """

    utf8: bytes
    parents: Integers
    after: Integers

    @cached_property
    def texts(self) -> "OnDemand[str]":
        """The texts, decoded at each access, because few scripts are read."""
        utf8 = self.utf8
        starts = np.append(np.frombuffer(_markup.starts(utf8), np.int64), len(utf8)).item

        def text(place: int) -> str:
            return utf8[starts(place) : starts(place + 1) - 1].decode("utf-8", "replace")

        return OnDemand(len(self.parents), text)


class OnDemand(Sequence[_Item]):
    """A sequence whose items are made at each access, because few of them are read."""

    def __init__(self, count: int, make: Callable[[int], _Item]) -> None:
        self._places, self._make = range(count), make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> _Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[_Item]: ...
    def __getitem__(self, place: int | slice) -> _Item | list[_Item]:
        if isinstance(place, slice):
            return [*map(self._make, self._places[place])]
        return self._make(self._places[place])

    def __iter__(self) -> Iterator[_Item]:
        return map(self._make, self._places)


@record
class Attributes:
    """The attributes of all elements, in document order.

    For each attribute, `owners` has its element, and `names` the index of its name in `distinct`.
    `utf8` contains the NUL-terminated values in UTF-8.
    """

    distinct: Sequence[str]
    owners: Integers
    names: Integers
    utf8: bytes
    _by_name: dict[str, dict[int, str]] = field(default_factory=dict, repr=False)

    def by_element(self, name: str) -> dict[int, str]:
        """Return the values of the named attribute by element, computed once."""
        found = self._by_name.get(name)
        if found is None:
            number = self._number_of.get(name)
            columns = self.utf8, self.starts, self.owners, self.names
            found = {} if number is None else _markup.values(*columns, number)
            self._by_name[name] = found
        return found

    @cached_property
    def _number_of(self) -> dict[str, int]:
        """The index of each name in `distinct`."""
        return {name: number for number, name in enumerate(self.distinct)}

    def named(self, name: str) -> tuple[Integers, list[str]]:
        """Return the elements that have the named attribute, and its values."""
        found = self.by_element(name)
        return np.fromiter(found, np.int64, len(found)), [*found.values()]

    @cached_property
    def starts(self) -> bytes:
        """The start of each value, as an int64 column."""
        return _markup.starts(self.utf8)


@record
class FlatDocument:
    """A document's elements and texts as columns in document order.

    An element is identified by its index. `ends` has the index after an element's last descendant,
    so anything below an element is counted by the difference of two prefix sums. The parent of the
    root is -1. `tag_numbers` and `name_numbers` are indices of distinct tags and (class, id) pairs,
    some of which may be unused in a selection. `texts` are the text nodes that are not whitespace,
    and `shown` their indices in `pieces`; `text_starts` and `text_ends` delimit the texts below
    each element. `numbers` are the elements' indices in the whole document, to which `pieces` and
    `attributes` refer. `root` returns the document's root element in lxml.
    """

    root: Callable[[], HtmlElement]
    distinct_tags: Sequence[str]
    tag_numbers: Integers
    distinct_names: Sequence[tuple[str, str]]
    name_numbers: Integers
    parents: Integers
    ends: Integers
    shown: Integers
    text_parents: Integers
    text_starts: Integers
    text_ends: Integers
    numbers: Integers
    pieces: Pieces
    attributes: Attributes
    is_selection: bool = False

    def select(self, kept: Booleans, kept_texts: Booleans | None = None) -> Self:
        """Return the document reduced to the selected elements and texts.

        The selection must include the ancestors of each element. By default, it includes the
        elements' texts.
        """
        if kept_texts is None:
            kept_texts = kept[self.text_parents]
        new_index = _count_before(kept)
        new_text_index = _count_before(kept_texts)
        parents = self.parents[kept]
        return replace(
            self,
            tag_numbers=self.tag_numbers[kept],
            name_numbers=self.name_numbers[kept],
            parents=np.where(parents < 0, -1, new_index[parents]),
            ends=new_index[self.ends[kept]],
            shown=self.shown[kept_texts],
            text_parents=new_index[self.text_parents[kept_texts]],
            text_starts=new_text_index[self.text_starts[kept]],
            text_ends=new_text_index[self.text_ends[kept]],
            numbers=self.numbers[kept],
            is_selection=True,
        )

    def with_renamed(self, tag: str, new_tag: str) -> Self:
        """Return a copy in which the elements named `tag` are named `new_tag` instead."""
        distinct = [*dict.fromkeys((*self.distinct_tags, new_tag))]
        numbers = np.where(self.having((tag,)), distinct.index(new_tag), self.tag_numbers)
        return replace(self, distinct_tags=distinct, tag_numbers=numbers)

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """Cache for values that other modules derive from the document, each with its own key."""
        return {}

    def once(self, key: Hashable, derive: Callable[[], _Item]) -> _Item:
        """Return the cached result of `derive`, which is called only if `key` is new."""
        if key not in self.memo:
            self.memo[key] = derive()
        derived: _Item = self.memo[key]
        return derived

    @cached_property
    def elements(self) -> list[HtmlElement]:
        """The elements in lxml; building them takes as long as all parsing before it."""
        elements = [each for each in self.root().iter() if isinstance(each.tag, str)]
        return [*map(elements.__getitem__, self.numbers.tolist())]

    @cached_property
    def texts(self) -> list[str]:
        """The texts that are not whitespace."""
        return _markup.strings(self.pieces.utf8, self.shown)

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each element."""
        tags: list[str] = np.array(self.distinct_tags, object)[self.tag_numbers].tolist()
        return tags

    def having(self, tags: Container[str]) -> Booleans:
        """Return a mask of the elements whose tag is in `tags`."""
        distinct = self.distinct_tags
        is_included = np.fromiter(map(tags.__contains__, distinct), np.bool_, len(distinct))
        return is_included[self.tag_numbers]

    def within(self, marked: Booleans) -> Booleans:
        """Return a mask of the marked elements and their descendants."""
        return self.count_around(marked) > 0

    def count_around(self, marked: Booleans) -> Integers:
        """Return for each element the number of marked ones among itself and its ancestors."""
        return np.frombuffer(_markup.around(self.parents, marked)[0], np.int64)

    def nearest_marked(self, marked: Booleans) -> Integers:
        """Return, for each element, the nearest marked one from itself outwards, or the root."""
        return np.frombuffer(_markup.around(self.parents, marked)[1], np.int64)

    @cached_property
    def depths(self) -> Integers:
        """The number of ancestors of each element."""
        return self.count_around(np.ones(len(self.parents), dtype=np.bool_)) - 1

    def values(self, name: str) -> dict[int, str]:
        """Return the values of an attribute by element index, computed once."""
        values = self.attributes.by_element(name)
        if not (values and self.is_selection):
            return values
        return self.once((FlatDocument.values, name), lambda: self._selected(values))

    def _selected(self, values: dict[int, str]) -> dict[int, str]:
        """Return the values of the selected elements, by their index in the selection."""
        wanted = np.fromiter(values, np.int64, len(values))
        places = np.searchsorted(self.numbers, wanted)
        is_selected = self.numbers[np.minimum(places, len(self.numbers) - 1)] == wanted
        selected = zip(places.tolist(), values.values(), is_selected.tolist(), strict=True)
        return {place: value for place, value, is_own in selected if is_own}


def joined_strings(strings: Iterable[str]) -> bytes:
    """Return strings in UTF-8, NUL-terminated; no string may contain NUL."""
    return "\0".join((*strings, "")).encode("utf-8", "replace")


def _count_before(kept: Booleans) -> Integers:
    """Return the number of kept items before each index."""
    counts = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=counts[1:])
    return counts
