"""Layout of comments: their elements, flattened and aligned by path across a page."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from detourage.comments.extents import Extent
from detourage.html.flat import Attributes, FlatDocument, Integers, numbered
from detourage.html.names import split_words
from detourage.html.text import INLINE, UNSEEN, hides
from detourage.text.words import clean, tokens

MAX_CHARACTERS = 120
"""Maximum length of an author, a date or a vote count, including other text in the same element."""

MAX_SMALL = 200  # length of an element whose names apply to everything in it, in characters
MAX_REPEATS = 3  # aligned elements per path and comment; more of them form a list


class Value(NamedTuple):
    """The text at one place in a comment, with the index of its element in the layout."""

    element: int
    text: str


@dataclass(frozen=True)
class Column:
    """The texts at one place in a page's comments, by comment number, omitting empty ones.

    `is_text` is True if the place is only an element's own text, next to child elements.
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


def columns_of(layouts: "Sequence[Layout]") -> list[Column]:
    """Align the short texts of a page's comments, with columns ordered by first occurrence."""
    found: defaultdict[tuple[int, int, bool], dict[int, Value]] = defaultdict(dict)
    for number, layout in enumerate(layouts):
        ranks: defaultdict[int, int] = defaultdict(int)
        stretches = zip(layout.paths, layout.text_starts, layout.text_ends, strict=True)
        for index, (path, start, end) in enumerate(stretches):
            if start == end:
                continue
            rank = ranks[path]
            ranks[path] = rank + 1
            if rank < MAX_REPEATS and layout.lengths[index] <= 4 * MAX_CHARACTERS:
                text = layout.text_of(index)
                if len(text) <= MAX_CHARACTERS:
                    found[path, rank, False][number] = Value(index, text)
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
                found[path, rank, True][number] = Value(parent, text)
    return [Column(is_text, values) for (_, _, is_text), values in found.items()]


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

    `places` are indices in the page, and `names` are the words of classes, IDs and other names.
    `parents` is -1 for the comment's rows (see `Extent`), and `ends` are the indices after the
    last descendants. `paths` are the numbers of the elements' paths from their row, composed of
    tags and classes; 0 is the comment's element. The same path in two comments of a page is the
    same part of the template. `texts` are the displayed text nodes, `text_starts` and `text_ends`
    their ranges below each element, and `text_places` their indices in the page. `lengths` are the
    numbers of characters below each element, including whitespace; `word_counts` are the numbers of
    words in each text node. `attributes` are those of all elements of the page.
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
    _joined: dict[tuple[int, int], str] = field(default_factory=dict)

    def get(self, index: int, name: str) -> str | None:
        """Return an attribute of an element."""
        return self.attributes.by_element(name).get(self.places[index])

    def small_around(self, index: int, levels: int) -> Iterator[int]:
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
        if (start, end) not in self._joined:
            self._joined[start, end] = joined(self.texts[start:end])
        return self._joined[start, end]

    @cached_property
    def clean_texts(self) -> list[str]:
        """Text nodes, each on one line."""
        return [clean(node.text) for node in self.texts]


_NAME_ATTRIBUTES = ("itemprop", "rel", "data-role", "data-testid")
"""Attributes that name elements, in addition to class and ID."""

_DIGIT = re.compile(r"\d")
_DIGITS = dict.fromkeys(range(ord("0"), ord("9") + 1), "-")


def joined(texts: Sequence[Text]) -> str:
    """Join text nodes into one line."""
    parts: list[str] = []
    line = -1
    for node in texts:
        parts.append(node.text if node.line == line else f" {node.text}")
        line = node.line
    return clean("".join(parts))


def layouts_of(page: FlatDocument, extents: Sequence[Extent]) -> list[Layout]:
    """Lay out the comments of a page, given in document order and possibly nested."""
    owners, left_out = _owners(page, extents)
    shown = _CommentItems(owners, len(extents))
    owned_texts = _CommentItems(owners[page.text_parents], len(extents))
    rows = {
        row: place - extent.place for extent in extents for place, row in enumerate(extent.rows)
    }
    is_row = np.zeros(len(owners), dtype=np.bool_)
    is_row[list(rows)] = True
    is_row = is_row[shown.items]
    parents = np.where(is_row, -1, shown.place_of(page.parents[shown.items], shown.owners))
    paths = _paths(page, shown, parents, rows)
    parents[~is_row] -= shown.bases[~is_row]
    starts = owned_texts.place_of(page.text_starts[shown.items], shown.owners)
    ends = owned_texts.place_of(page.text_ends[shown.items], shown.owners)
    # Elements excluded from a comment still separate lines.
    holders = np.where(page.parents[left_out] < 0, -1, owners[page.parents[left_out]])
    is_within = (holders >= 0) & ~page.having(INLINE)[left_out]
    gaps = owned_texts.place_of(page.text_ends[left_out[is_within]], holders[is_within])
    is_block = ~page.having(INLINE)[shown.items]
    breaks = np.concatenate([starts[is_block], ends[is_block], starts[is_row], gaps])
    lines = np.cumsum(np.bincount(breaks, minlength=len(owned_texts.items) + 1))
    holders = page.text_parents[owned_texts.items]
    nodes = map(
        Text,
        (shown.place_of(holders, owned_texts.owners) - shown.firsts[owned_texts.owners]).tolist(),
        lines[:-1].tolist(),
        map(page.texts.__getitem__, owned_texts.items.tolist()),
    )
    text_bases = owned_texts.firsts[shown.owners]
    characters = np.cumsum([0, *(len(page.texts[index]) for index in owned_texts.items.tolist())])
    return [
        Layout(*columns)
        for columns in zip(
            shown.cut(shown.items.tolist()),
            shown.cut([page.tags[index] for index in shown.items.tolist()]),
            shown.cut(_names(page, shown.items)),
            shown.cut(parents.tolist()),
            shown.cut(
                (shown.place_of(page.ends[shown.items], shown.owners) - shown.bases).tolist()
            ),
            shown.cut(paths),
            owned_texts.cut([*nodes]),
            shown.cut((starts - text_bases).tolist()),
            shown.cut((ends - text_bases).tolist()),
            shown.cut((characters[ends] - characters[starts]).tolist()),
            owned_texts.cut(
                _count_words([page.texts[index] for index in owned_texts.items.tolist()])
            ),
            [page.attributes] * len(extents),
            owned_texts.cut(owned_texts.items.tolist()),
            strict=True,
        )
    ]


_IN_WORDS = np.array([chr(code).isalnum() or chr(code) == "_" for code in range(128)])


def _count_words(texts: Sequence[str]) -> list[int]:
    """Return the number of `tokens` in each text; ASCII texts are counted in a single pass."""
    plain = [f"{text}\n" if text.isascii() else "\n" for text in texts]
    is_in_word = _IN_WORDS[np.frombuffer("".join(plain).encode(), dtype=np.uint8)]
    begins = is_in_word.copy()
    begins[1:] &= ~is_in_word[:-1]
    ends = np.cumsum([*map(len, plain)], dtype=np.int64)
    counts: list[int] = np.diff(np.append(0, np.cumsum(begins))[ends], prepend=0).tolist()
    for place, text in enumerate(texts):
        if not text.isascii():
            counts[place] = len(tokens(text))
    return counts


class _CommentItems:
    """The elements or texts of a page that belong to comments, grouped by comment.

    `items` are their indices in the page, and `owners` is the comment number of each item. `firsts`
    is the position of each comment's first item, and `bases` gives that position for every item.
    """

    def __init__(self, owners: Integers, count: int) -> None:
        owned = np.flatnonzero(owners >= 0)
        self.items = owned[np.argsort(owners[owned], kind="stable")]
        self.owners = owners[self.items]
        self._step = len(owners) + 1
        self._keys = self.owners * self._step + self.items
        self.firsts = np.searchsorted(self.owners, np.arange(count + 1))
        self.bases = self.firsts[self.owners]

    def place_of(self, items: Integers, owners: Integers) -> Integers:
        """Return the position of each item or, if it is missing, of the comment's next item."""
        return np.searchsorted(self._keys, owners * self._step + items)

    def cut(self, values: list[_Value]) -> list[list[_Value]]:
        """Split a list of values (one per item) by comment."""
        return [values[start:end] for start, end in pairwise(self.firsts.tolist())]


def _owners(page: FlatDocument, extents: Sequence[Extent]) -> tuple[Integers, Integers]:
    """Return each element's comment number (or -1), and the elements that are excluded."""
    number_of = {row: number for number, extent in enumerate(extents) for row in extent.rows}
    inside = np.zeros(len(page.elements), dtype=np.bool_)
    for row in number_of:
        inside[row : page.ends[row]] = True
    # A comment that is hidden as a whole can be unfolded with a click.
    inside[list(number_of)] = False
    is_hiding = np.zeros(len(page.distinct_names), dtype=np.bool_)
    for number in {*page.name_numbers[inside].tolist()}:
        is_hiding[number] = not _HIDDEN.isdisjoint(page.distinct_names[number][0].split())
    hidden = page.having({"dialog"})
    styled = [place for place, style in page.attributes.by_element("style").items() if hides(style)]
    hidden[styled] = True
    # The style of an open dialog does not count as hiding it.
    hidden[[each for each in page.attributes.by_element("open") if page.tags[each] == "dialog"]] = (
        False
    )
    hidden[[*page.attributes.by_element("hidden")]] = True
    hidden |= is_hiding[page.name_numbers] | page.having(UNSEEN)
    hidden &= inside
    hidden[[*number_of]] = True
    left_out = np.flatnonzero(hidden)
    owners = np.full(len(page.elements), -1, dtype=np.int64)
    for index, end in zip(left_out.tolist(), page.ends[left_out].tolist(), strict=True):
        owners[index:end] = number_of.get(index, -1)
    return owners, left_out


def _names(page: FlatDocument, items: Integers) -> list[frozenset[str]]:
    """Return the words of elements' names."""
    others: dict[int, tuple[str, ...]] = {}
    for name in _NAME_ATTRIBUTES:
        for place, value in page.attributes.by_element(name).items():
            others[place] = (*others.get(place, ()), value)
    names = page.name_numbers[items].tolist()
    distinct, numbers = numbered(
        [(name, others.get(index, ())) for index, name in zip(items.tolist(), names, strict=True)]
    )
    # Names that differ only in numbers, such as IDs, are split only once.
    plain = "\0".join(" ".join((*page.distinct_names[name], *other)) for name, other in distinct)
    words = [*map(split_words, plain.translate(_DIGITS).split("\0"))]
    return [words[number] for number in numbers.tolist()]


def _paths(
    page: FlatDocument, shown: _CommentItems, parents: Integers, rows: Mapping[int, int]
) -> list[int]:
    """Return the number of each element's path: its row's position and the steps from there."""
    names = page.name_numbers[shown.items]
    classes = {number: page.distinct_names[number][0].split() for number in {*names.tolist()}}
    comment_classes: list[set[str]] = [set() for _ in shown.firsts[1:]]
    for owner, name in {*zip(shown.owners.tolist(), names.tolist(), strict=True)}:
        comment_classes[owner].update(classes[name])
    counts = Counter(chain.from_iterable(comment_classes))
    least = max(MIN_SHARE * len(comment_classes), min(2, len(comment_classes)))
    # A class that contains a number belongs to a single comment.
    known = {name for name, count in counts.items() if count >= least and not _DIGIT.search(name)}
    looks, look_of = np.unique(
        page.tag_numbers[shown.items] * len(page.distinct_names) + names, return_inverse=True
    )
    step_of = numbered(
        [
            (tag, *sorted(each for each in classes[name] if each in known))
            for tag, name in (divmod(look, len(page.distinct_names)) for look in looks.tolist())
        ]
    )[1]
    number_of: dict[tuple[int, int], int] = {(-1, 0): 0}
    paths: list[int] = []
    for index, parent, step in zip(
        shown.items.tolist(), parents.tolist(), step_of[look_of].tolist(), strict=True
    ):
        key = (paths[parent], step) if parent >= 0 else (-1, rows[index])
        paths.append(number_of.setdefault(key, len(number_of)))
    return paths
