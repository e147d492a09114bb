"""Layout of comments: their elements, flattened and aligned by path across a page."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from detourage.comments.extents import Extent
from detourage.html.flat import Attributes, FlatDocument, Integers, number_distinct
from detourage.html.names import split_words
from detourage.html.text import INLINE, UNSEEN, hides
from detourage.text.patterns import lazy_pattern
from detourage.text.words import clean, tokens

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


_Value = TypeVar("_Value")
_HIDDEN = frozenset(["hidden", "sr-only", "visually-hidden", "screen-reader-text", "d-none"])
MIN_SHARE = 0.1  # share of comments with a class that is part of the template


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
    texts: list[Text]
    text_starts: list[int]
    text_ends: list[int]
    lengths: list[int]
    word_counts: list[int]
    attributes: Attributes
    text_places: list[int]
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
_DIGIT = lazy_pattern(r"\d")
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
    owners, boundaries = _find_owners(page, extents)
    elements = _CommentItems(owners, len(extents))
    texts = _CommentItems(owners[page.text_parents], len(extents))
    rows = {
        row: place - extent.place for extent in extents for place, row in enumerate(extent.rows)
    }
    is_row = np.zeros(len(owners), dtype=np.bool_)
    is_row[list(rows)] = True
    is_row = is_row[elements.items]
    parents = elements.position_of(page.parents[elements.items], elements.owners)
    parents = np.where(is_row, -1, parents)
    paths = _number_paths(page, elements, parents, rows)
    parents[~is_row] -= elements.bases[~is_row]
    ends = elements.position_of(page.ends[elements.items], elements.owners) - elements.bases
    text_starts = texts.position_of(page.text_starts[elements.items], elements.owners)
    text_ends = texts.position_of(page.text_ends[elements.items], elements.owners)
    # Blocks start and end a line, even if they are hidden or belong to another comment.
    around = np.where(page.parents[boundaries] < 0, -1, owners[page.parents[boundaries]])
    is_break = (around >= 0) & ~page.having(INLINE)[boundaries]
    boundary_breaks = texts.position_of(page.text_ends[boundaries[is_break]], around[is_break])
    is_block = ~page.having(INLINE)[elements.items]
    breaks = text_starts[is_block], text_ends[is_block], text_starts[is_row], boundary_breaks
    lines = np.cumsum(np.bincount(np.concatenate(breaks), minlength=len(texts.items) + 1))
    text_parents = elements.position_of(page.text_parents[texts.items], texts.owners)
    text_parents -= elements.firsts[texts.owners]
    strings = [page.texts[index] for index in texts.items.tolist()]
    nodes = [*map(Text, text_parents.tolist(), lines[:-1].tolist(), strings)]
    text_bases = texts.firsts[elements.owners]
    characters = np.cumsum([0, *map(len, strings)])
    return [
        Layout(*columns)
        for columns in zip(
            elements.split(elements.items.tolist()),
            elements.split([page.tags[index] for index in elements.items.tolist()]),
            elements.split(_find_name_words(page, elements.items)),
            elements.split(parents.tolist()),
            elements.split(ends.tolist()),
            elements.split(paths),
            texts.split(nodes),
            elements.split((text_starts - text_bases).tolist()),
            elements.split((text_ends - text_bases).tolist()),
            elements.split((characters[text_ends] - characters[text_starts]).tolist()),
            texts.split(_count_words(strings)),
            [page.attributes] * len(extents),
            texts.split(texts.items.tolist()),
            strict=True,
        )
    ]


_IN_WORDS = np.array([chr(code).isalnum() or chr(code) == "_" for code in range(128)])


def _count_words(texts: Sequence[str]) -> list[int]:
    """Return the number of `tokens` in each text; all ASCII texts are counted at once."""
    ascii_lines = [f"{text}\n" if text.isascii() else "\n" for text in texts]
    is_in_word = _IN_WORDS[np.frombuffer("".join(ascii_lines).encode(), dtype=np.uint8)]
    starts_word = is_in_word.copy()
    starts_word[1:] &= ~is_in_word[:-1]
    ends = np.cumsum([*map(len, ascii_lines)], dtype=np.int64)
    counts: list[int] = np.diff(np.append(0, np.cumsum(starts_word))[ends], prepend=0).tolist()
    for index, text in enumerate(texts):
        if not text.isascii():
            counts[index] = len(tokens(text))
    return counts


class _CommentItems:
    """The elements or texts of a page that belong to comments, grouped by comment.

    `items` has the index of each item in the page, and `owners` the number of its comment. `firsts`
    has the position in `items` of each comment's first item, and `bases` repeats it for every item.
    """

    def __init__(self, owners: Integers, count: int) -> None:
        owned = np.flatnonzero(owners >= 0)
        self.items = owned[np.argsort(owners[owned], kind="stable")]
        self.owners = owners[self.items]
        self._step = len(owners) + 1
        self._keys = self.owners * self._step + self.items  # ascending, for a binary search
        self.firsts = np.searchsorted(self.owners, np.arange(count + 1))
        self.bases = self.firsts[self.owners]

    def position_of(self, items: Integers, owners: Integers) -> Integers:
        """Return the position of each item or, if it is missing, of the comment's next item."""
        return np.searchsorted(self._keys, owners * self._step + items)

    def split(self, values: list[_Value]) -> list[list[_Value]]:
        """Split a list with a value per item into a list per comment."""
        return [values[start:end] for start, end in pairwise(self.firsts.tolist())]


def _find_owners(page: FlatDocument, extents: Sequence[Extent]) -> tuple[Integers, Integers]:
    """Return the comment number of each element (-1 for none), and all rows and hidden elements."""
    comment_of_row = {row: number for number, extent in enumerate(extents) for row in extent.rows}
    is_inside = np.zeros(len(page.elements), dtype=np.bool_)
    for row in comment_of_row:
        is_inside[row : page.ends[row]] = True
    # A comment that is hidden as a whole can be unfolded with a click.
    is_inside[list(comment_of_row)] = False
    has_hiding_class = np.zeros(len(page.distinct_names), dtype=np.bool_)
    for name in {*page.name_numbers[is_inside].tolist()}:
        has_hiding_class[name] = not _HIDDEN.isdisjoint(page.distinct_names[name][0].split())
    is_hidden = page.having({"dialog"})
    styles, opened = page.attributes.by_element("style"), page.attributes.by_element("open")
    is_hidden[[element for element, style in styles.items() if hides(style)]] = True
    # The style of an open dialog does not count as hiding it.
    is_hidden[[element for element in opened if page.tags[element] == "dialog"]] = False
    is_hidden[[*page.attributes.by_element("hidden")]] = True
    is_hidden |= has_hiding_class[page.name_numbers] | page.having(UNSEEN)
    is_boundary = is_hidden & is_inside
    is_boundary[[*comment_of_row]] = True
    boundaries = np.flatnonzero(is_boundary)
    owners = np.full(len(page.elements), -1, dtype=np.int64)
    for element, end in zip(boundaries.tolist(), page.ends[boundaries].tolist(), strict=True):
        owners[element:end] = comment_of_row.get(element, -1)
    return owners, boundaries


def _find_name_words(page: FlatDocument, items: Integers) -> list[frozenset[str]]:
    """Return the words in the class, ID and `_NAME_ATTRIBUTES` of each element."""
    other_names: dict[int, tuple[str, ...]] = {}
    for attribute in _NAME_ATTRIBUTES:
        for element, value in page.attributes.by_element(attribute).items():
            other_names[element] = (*other_names.get(element, ()), value)
    pairs = zip(page.name_numbers[items].tolist(), items.tolist(), strict=True)
    distinct, numbers = number_distinct([(name, other_names.get(item, ())) for name, item in pairs])
    # Digits are removed, so that names that differ only in a number are split only once.
    joined = "\0".join(" ".join((*page.distinct_names[name], *other)) for name, other in distinct)
    words = [*map(split_words, joined.translate(_DIGITS_TO_HYPHENS).split("\0"))]
    return [words[number] for number in numbers.tolist()]


def _number_paths(
    page: FlatDocument, elements: _CommentItems, parents: Integers, rows: Mapping[int, int]
) -> list[int]:
    """Return the number of each element's path, which is its row's position and the steps below.

    A step consists of a tag and the classes that occur in several comments.
    """
    names = page.name_numbers[elements.items]
    classes = {number: page.distinct_names[number][0].split() for number in {*names.tolist()}}
    comment_classes: list[set[str]] = [set() for _ in elements.firsts[1:]]
    for owner, name in {*zip(elements.owners.tolist(), names.tolist(), strict=True)}:
        comment_classes[owner].update(classes[name])
    counts = Counter(chain.from_iterable(comment_classes))
    least = max(MIN_SHARE * len(comment_classes), min(2, len(comment_classes)))
    # A class that contains a number belongs to a single comment.
    common = {name for name, count in counts.items() if count >= least and not _DIGIT.search(name)}
    looks, look_numbers = np.unique(
        page.tag_numbers[elements.items] * len(page.distinct_names) + names, return_inverse=True
    )
    tags_and_names = [divmod(look, len(page.distinct_names)) for look in looks.tolist()]
    _, steps = number_distinct(
        [(tag, *sorted(filter(common.__contains__, classes[name]))) for tag, name in tags_and_names]
    )
    path_numbers: dict[tuple[int, int], int] = {(-1, 0): 0}
    paths: list[int] = []
    for index, parent, step in zip(
        elements.items.tolist(), parents.tolist(), steps[look_numbers].tolist(), strict=True
    ):
        key = (paths[parent], step) if parent >= 0 else (-1, rows[index])
        paths.append(path_numbers.setdefault(key, len(path_numbers)))
    return paths
