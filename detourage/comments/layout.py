"""Layout of comments: their elements in document order, and the texts at the same path in each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from detourage import core
from detourage.comments.extents import Extent
from detourage.comments.part_words import name_words
from detourage.html.flat import Attributes, FlatDocument
from detourage.text.words import clean

MAX_SMALL = 200  # maximum characters in an element whose class and ID apply to all its descendants
MIN_FALLBACK = 0.5  # minimum score, relative to the best score, of a column that fills gaps

_Found = TypeVar("_Found")


class Column(NamedTuple):
    """The short texts at the same place in a page's comments.

    The texts have the same path and the same rank among the texts there. `is_text` is true if they
    are single text nodes of elements that also contain other texts. `elements` has the index of
    each text's element in the layout of its comment. `hints` measure how strongly names and tags
    indicate an author; a negative hint indicates another part. `links` are the elements, by their
    index in the page, of the links that contain the texts or are at their start; -1 for none.
    """

    is_text: bool
    comments: list[int]
    elements: list[int]
    texts: list[str]
    hints: list[float]
    links: list[int]

    @property
    def values(self) -> Iterator[tuple[int, int, str]]:
        """The comment, element and text of each value."""
        return zip(self.comments, self.elements, self.texts, strict=True)

    @property
    def is_constant(self) -> bool:
        """Whether several comments have a text at that place and all these texts are equal."""
        return len(self.texts) > 1 and len(set(self.texts)) == 1


def merge_ranked(scored: Sequence[tuple[float, dict[int, _Found]]]) -> dict[int, _Found]:
    """Return the best column's findings by comment number, with gaps filled from other columns."""
    ranked = sorted(scored, key=lambda each: -each[0])
    merged: dict[int, _Found] = {}
    for score, found in reversed(ranked):
        if score >= MIN_FALLBACK * ranked[0][0]:
            merged |= found
    return merged


class Text(NamedTuple):
    """A text node: the index of its element, the number of its line, and its text as given."""

    parent: int
    line: int
    text: str


@dataclass
class Layout:
    """The elements of one comment in document order, without the elements of nested comments.

    For each element, `places` has its index in the page, `names` the words in its names as bits
    (see `comments.part_words`), `parents` its parent (-1 for the rows of an `Extent`), `ends` the
    index after its last descendant, and `paths` the number of its path. A path consists of the
    tags and classes from the row down; 0 is the comment's element. The same path in two comments of
    a page is the same part of the template. `texts` are the displayed text nodes, `text_places`
    their indices in the page, and `word_counts` their numbers of words. For each element,
    `text_starts` and `text_ends` delimit the texts in it, and `lengths` has their number of
    characters. `attributes` are those of the whole page.
    """

    places: list[int]
    tags: list[str]
    names: list[int]
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


def join_texts(texts: Sequence[Text]) -> str:
    """Join text nodes into one line."""
    parts: list[str] = []
    line = -1
    for node in texts:
        parts.append(node.text if node.line == line else f" {node.text}")
        line = node.line
    return clean("".join(parts))


def lay_out(page: FlatDocument, extents: Sequence[Extent]) -> tuple[list[Layout], list[Column]]:
    """Lay out the comments of a page, given in document order and possibly nested.

    The columns are in order of their first occurrence.
    """
    rows = [
        (row, number, place - extent.place)
        for number, extent in enumerate(extents)
        for place, row in enumerate(extent.rows)
    ]
    (firsts, elements, texts), aligned = core.layout(page, name_words(), rows, len(extents))
    places, *others, names = elements
    tags = [page.tags[place] for place in places]
    of_elements: Sequence[Any] = (places, tags, names, *others)
    strings = [page.texts[index] for index in texts[0]]
    of_texts: Sequence[Any] = ([*map(Text, *texts[1:3], strings)], texts[3], texts[0])
    layouts = []
    for (start, end), (first, last) in zip(*map(pairwise, firsts), strict=True):
        columns: list[Any] = [column[start:end] for column in of_elements]
        columns += [*(column[first:last] for column in of_texts), page.attributes]
        layouts.append(Layout(*columns))
    return layouts, [Column(*each) for each in aligned]
