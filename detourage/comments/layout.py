"""Layout of comments: their elements in document order, and the texts at the same path in each."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from detourage import core
from detourage.comments.extents import Extent
from detourage.html.flat import Attributes, FlatDocument, number_distinct
from detourage.html.names import split_words
from detourage.text.words import clean

# Maximum length of an element with an author, a date or a vote count.
MAX_CHARACTERS = 120
MAX_SMALL = 200  # maximum characters in an element whose class and ID apply to all its descendants
MAX_REPEATS = 3  # maximum columns per path; further texts at a path are items of a list
MIN_FALLBACK = 0.5  # minimum score of a column that fills gaps of the best one, relative to it

_Found = TypeVar("_Found")


class Value(NamedTuple):
    """The text at one place in a comment, with the index of its element in the layout."""

    element: int
    text: str


@dataclass(frozen=True)
class Column:
    """The non-empty texts at the same place in a page's comments, by comment number.

    `is_text` is true if the texts are single text nodes of elements that also contain other texts.
    """

    is_text: bool
    values: Mapping[int, Value]

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each text."""
        return Counter(value.text for value in self.values.values())

    @property
    def is_constant(self) -> bool:
        """Whether several comments have a text at that place and all these texts are equal."""
        return len(self.values) > 1 and len(self.counts) == 1


def merge_ranked(scored: Sequence[tuple[float, dict[int, _Found]]]) -> dict[int, _Found]:
    """Return the findings of the column with the highest score; fill gaps from other columns.

    The findings of each column are given by comment number, with the score of the column.
    """
    ranked = sorted(scored, key=lambda each: -each[0])
    merged: dict[int, _Found] = {}
    for score, found in reversed(ranked):
        if score >= MIN_FALLBACK * ranked[0][0]:
            merged |= found
    return merged


def align_columns(layouts: "Sequence[Layout]") -> list[Column]:
    """Return the columns of the short texts in a page's comments, in order of first occurrence.

    Texts are in the same column if they have the same path and the same rank among texts there.
    """
    columns: defaultdict[tuple[int, int, bool], dict[int, Value]] = defaultdict(dict)
    for number, layout in enumerate(layouts):
        ranks: defaultdict[int, int] = defaultdict(int)
        text_ranges = zip(layout.paths, layout.text_starts, layout.text_ends, strict=True)
        for index, (path, start, end) in enumerate(text_ranges):
            if start == end:
                continue
            rank = ranks[path]
            ranks[path] = rank + 1
            if rank < MAX_REPEATS and layout.lengths[index] <= 4 * MAX_CHARACTERS:
                text = layout.text_of(index)
                if len(text) <= MAX_CHARACTERS:
                    columns[path, rank, False][number] = Value(index, text)
        ranks.clear()
        for node, text in zip(layout.texts, layout.clean_texts, strict=True):
            parent = node.parent
            is_alone = layout.text_ends[parent] - layout.text_starts[parent] == 1
            if is_alone or len(node.text) > 4 * MAX_CHARACTERS:
                continue
            path = layout.paths[parent]
            rank = ranks[path]
            ranks[path] = rank + 1
            if rank < MAX_REPEATS and len(text) <= MAX_CHARACTERS:
                columns[path, rank, True][number] = Value(parent, text)
    return [Column(is_text, values) for (_, _, is_text), values in columns.items()]


class Text(NamedTuple):
    """A text node: the index of its element, the number of its line, and its text as given."""

    parent: int
    line: int
    text: str


@dataclass
class Layout:
    """The elements of one comment in document order, without the elements of nested comments.

    For each element, `places` has its index in the page, `names` the words in its class, ID and
    other names, `parents` its parent (-1 for the rows of an `Extent`), `ends` the index after its
    last descendant, and `paths` the number of its path. A path consists of the tags and classes
    from the row down; 0 is the comment's element. The same path in two comments of a page is the
    same part of the template. `texts` are the displayed text nodes, `text_places` their indices in
    the page, and `word_counts` their numbers of words. For each element, `text_starts` and
    `text_ends` delimit the texts in it, and `lengths` has their number of characters. `attributes`
    are those of the whole page.
    """

    places: list[int]
    tags: list[str]
    names: list[frozenset[str]]
    parents: list[int]
    ends: list[int]
    paths: list[int]
    text_starts: list[int]
    text_ends: list[int]
    lengths: list[int]
    texts: list[Text]
    word_counts: list[int]
    text_places: list[int]
    attributes: Attributes
    _joined_texts: dict[tuple[int, int], str] = field(default_factory=dict)

    def get(self, index: int, name: str) -> str | None:
        """Return an attribute of an element."""
        return self.attributes.by_element(name).get(self.places[index])

    def small_ancestors(self, index: int, levels: int) -> Iterator[int]:
        """Yield up to `levels` ancestors, innermost first; stop before one with much text."""
        for _ in range(levels):
            index = self.parents[index]
            if index < 0 or self.lengths[index] > MAX_SMALL:
                return
            yield index

    def text_of(self, index: int) -> str:
        """Return the text in an element as one line."""
        start, end = self.text_starts[index], self.text_ends[index]
        if end - start == 1:
            return self.clean_texts[start]
        if (start, end) not in self._joined_texts:
            self._joined_texts[start, end] = join_texts(self.texts[start:end])
        return self._joined_texts[start, end]

    @cached_property
    def clean_texts(self) -> list[str]:
        """The text of each text node, with white space collapsed."""
        return [clean(node.text) for node in self.texts]


# Attributes that name elements, in addition to class and ID.
_NAME_ATTRIBUTES = ("itemprop", "rel", "data-role", "data-testid")
_DIGITS_TO_HYPHENS = dict.fromkeys(range(ord("0"), ord("9") + 1), "-")


def join_texts(texts: Sequence[Text]) -> str:
    """Join text nodes into one line."""
    parts: list[str] = []
    line = -1
    for node in texts:
        parts.append(node.text if node.line == line else f" {node.text}")
        line = node.line
    return clean("".join(parts))


def lay_out(page: FlatDocument, extents: Sequence[Extent]) -> list[Layout]:
    """Return the layout of each comment, given the extents in document order, possibly nested."""
    rows = [
        (row, number, place - extent.place)
        for number, extent in enumerate(extents)
        for place, row in enumerate(extent.rows)
    ]
    firsts, elements, texts = core.layout(page, rows, len(extents))
    strings = [page.texts[index] for index in texts[0]]
    names = _find_name_words(page, elements[0])
    tags = [page.tags[index] for index in elements[0]]
    of_elements: Sequence[Any] = (elements[0], tags, names, *elements[1:])
    of_texts: Sequence[Any] = ([*map(Text, *texts[1:3], strings)], texts[3], texts[0])
    layouts = []
    for (start, end), (first, last) in zip(*map(pairwise, firsts), strict=True):
        columns: list[Any] = [column[start:end] for column in of_elements]
        columns += [*(column[first:last] for column in of_texts), page.attributes]
        layouts.append(Layout(*columns))
    return layouts


def _find_name_words(page: FlatDocument, items: Sequence[int]) -> list[frozenset[str]]:
    """Return the words in the class, ID and `_NAME_ATTRIBUTES` of each element."""
    other_names: dict[int, tuple[str, ...]] = {}
    for attribute in _NAME_ATTRIBUTES:
        for element, value in page.attributes.by_element(attribute).items():
            other_names[element] = (*other_names.get(element, ()), value)
    pairs = zip(page.name_numbers[items].tolist(), items, strict=True)
    distinct, numbers = number_distinct([(name, other_names.get(item, ())) for name, item in pairs])
    # Digits become hyphens, so that names that differ only in a number need splitting only once.
    joined = "\0".join(" ".join((*page.distinct_names[name], *other)) for name, other in distinct)
    words = [*map(split_words, joined.translate(_DIGITS_TO_HYPHENS).split("\0"))]
    return [words[number] for number in numbers.tolist()]
