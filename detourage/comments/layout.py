"""Layout of comments: their elements, flattened and aligned by path across a page."""

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

# Maximum length of an author, a date or a vote count, including other text in the same element.
MAX_CHARACTERS = 120
MAX_SMALL = 200  # characters in an element whose class and ID describe all its descendants
MAX_REPEATS = 3  # aligned elements per path and comment; more of them form a list
MIN_FALLBACK = 0.5  # score of a column that fills gaps, relative to the score of the best column

_Found = TypeVar("_Found")


class Value(NamedTuple):
    """The text at one place in a comment, with the index of its element in the layout."""

    element: int
    text: str


@dataclass(frozen=True)
class Column:
    """The non-empty texts at the same place in a page's comments, by comment number.

    `is_text` is true if the place is a single text node, next to the element's children.
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
    """Return what the column with the highest score has, by comment, with gaps filled by others."""
    ranked = sorted(scored, key=lambda each: -each[0])
    merged: dict[int, _Found] = {}
    for score, found in reversed(ranked):
        if score >= MIN_FALLBACK * ranked[0][0]:
            merged |= found
    return merged


def align_columns(layouts: "Sequence[Layout]") -> list[Column]:
    """Return the columns of the short texts of a page's comments, ordered by first occurrence.

    Texts are in the same column if their path, and their rank among texts at it, are the same.
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

    For each element, `places` has its index in the page, `names` the words of its class, ID and
    other names, `parents` its parent (-1 for the rows of an `Extent`), and `ends` the index after
    its last descendant. `paths` has the number of its path from its row, composed of tags and
    classes; 0 is the comment's element. The same path in two comments of a page is the same part of
    the template. `texts` are the displayed text nodes, `text_places` their indices in the page, and
    `word_counts` their numbers of words; `text_starts` and `text_ends` are their ranges below each
    element, and `lengths` the characters below it. `attributes` are those of the whole page.
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
        """Yield up to `levels` enclosing elements, as long as they contain little text."""
        for _ in range(levels):
            index = self.parents[index]
            if index < 0 or self.lengths[index] > MAX_SMALL:
                return
            yield index

    def text_of(self, index: int) -> str:
        """Return the text below an element, on one line."""
        start, end = self.text_starts[index], self.text_ends[index]
        if end - start == 1:
            return self.clean_texts[start]
        if (start, end) not in self._joined_texts:
            self._joined_texts[start, end] = join_texts(self.texts[start:end])
        return self._joined_texts[start, end]

    @cached_property
    def clean_texts(self) -> list[str]:
        """The text nodes, each with collapsed white space."""
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
    """Lay out the comments of a page, given in document order and possibly nested."""
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
    # Digits are removed, so that names that differ only in a number are split only once.
    joined = "\0".join(" ".join((*page.distinct_names[name], *other)) for name, other in distinct)
    words = [*map(split_words, joined.translate(_DIGITS_TO_HYPHENS).split("\0"))]
    return [words[number] for number in numbers.tolist()]
