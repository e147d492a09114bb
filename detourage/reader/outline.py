"""Representation of a page as arrays, which allows measuring it in one pass without recursion."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Self, TypeVar

import numpy as np

from detourage.core import within_lines
from detourage.html import _markup
from detourage.html.class_name_splitting import split_words
from detourage.html.flat import Booleans, FlatDocument, HtmlElement, Integers
from detourage.html.head import metas_of
from detourage.html.nodes import Node
from detourage.html.visible_text import without_text
from detourage.text import words
from detourage.text.token_counts import Count, Texts, read_texts

_T = TypeVar("_T")


@dataclass(eq=False)
class Outline:
    """The elements of a document that may display text, in document order, with their tokens.

    An element is identified by its index, and the indices of its descendants follow its own, up to
    its end. Therefore, the texts and tokens below an element are contiguous ranges, and quantities
    propagate to ancestors (Deturck 2015, section 4.4) without a second pass. Descendants of the
    elements in `detourage.html.visible_text.without_text` are omitted.

    `flat` contains only these elements, `document` every element of the page; `text_lines` has the
    line number of each text. Texts that no block border or line break separates have the same one.
    """

    flat: FlatDocument
    document: FlatDocument
    text_lines: Integers

    @classmethod
    def of(cls, document: FlatDocument) -> Self:
        """Return the outline of a document, which is computed once."""
        return document.once("outline", lambda: cls._select(document))

    @classmethod
    def _select(cls, whole: FlatDocument) -> Self:
        """Select the elements that may display text, and number the lines of their texts."""
        is_silent = without_text(whole)
        silent_around = whole.count_around(is_silent)
        is_outermost = is_silent & (silent_around == 1)
        is_shown = silent_around[whole.text_parents] == 0
        flat = whole.select((silent_around == 0) | is_outermost, is_shown)
        is_block = ~within_lines(whole)[flat.numbers]
        # Number of block borders before each text; each border begins another line.
        borders = np.bincount(flat.text_starts[is_block], minlength=len(flat.shown) + 1)
        borders += np.bincount(flat.text_ends[is_block], minlength=len(flat.shown) + 1)
        return cls(flat, whole, np.cumsum(borders)[:-1])

    @cached_property
    def tokenised(self) -> Texts:
        """The texts and lines with their counts."""
        return read_texts(self.flat.texts, self.line_starts)

    @cached_property
    def elements(self) -> list[HtmlElement]:
        """The elements in lxml."""
        return self.flat.elements

    @cached_property
    def tags(self) -> list[str]:
        """Tag of each element."""
        return self.flat.tags

    @cached_property
    def parents(self) -> list[int]:
        """Index of each element's parent, -1 for the root."""
        return list_of(self.flat.parents)

    @cached_property
    def ends(self) -> list[int]:
        """Index after each element's last descendant."""
        return list_of(self.flat.ends)

    @cached_property
    def text_starts(self) -> list[int]:
        """Index of the first text node below each element."""
        return list_of(self.flat.text_starts)

    @cached_property
    def text_ends(self) -> list[int]:
        """Index after the last text node below each element."""
        return list_of(self.flat.text_ends)

    @cached_property
    def tokens(self) -> list[str]:
        """Tokens of the text nodes."""
        return [*chain.from_iterable(map(words.tokens, self.flat.texts))]

    @cached_property
    def _tokens_before(self) -> Integers:
        """Number of tokens before each text node, and finally the total."""
        return np.concatenate([[0], np.cumsum(self.text_sizes)])

    @cached_property
    def token_starts(self) -> list[int]:
        """Index of the first of the `tokens` below each element."""
        return list_of(self._tokens_before[self.flat.text_starts])

    @cached_property
    def token_ends(self) -> list[int]:
        """Index after the last of the `tokens` below each element."""
        return list_of(self._tokens_before[self.flat.text_ends])

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """Cache for values that other modules derive from the page, under their own keys."""
        return {}

    def cached(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Return the value cached under a key, computed on first access."""
        if key not in self.memo:
            self.memo[key] = compute()
        value: _T = self.memo[key]
        return value

    @cached_property
    def steps(self) -> list[tuple[str, int]]:
        """Last step of each element's XPath: its tag, and its rank among siblings with that tag."""
        ranks: dict[tuple[int, str], int] = {}
        steps: list[tuple[str, int]] = []
        for parent, tag in zip(self.parents, self.tags, strict=True):
            rank = ranks[parent, tag] = ranks.get((parent, tag), 0) + 1
            steps.append((tag, rank))
        return steps

    @cached_property
    def distinct_names(self) -> list[str]:
        """Distinct combinations of class and ID, separated by a space."""
        return [" ".join(names) for names in self.flat.distinct_names]

    @cached_property
    def name_numbers(self) -> Integers:
        """Index in `distinct_names` of each element's class and ID."""
        return self.flat.name_numbers

    @cached_property
    def names(self) -> list[str]:
        """Class and ID of each element, separated by a space."""
        return [*map(self.distinct_names.__getitem__, self.name_numbers.tolist())]

    @cached_property
    def _words(self) -> dict[int, frozenset[str]]:
        """The words of the `distinct_names` that have been split so far, by index."""
        return {}

    def name_words(self, index: int) -> frozenset[str]:
        """Return the words of an element's class and ID."""
        number = self.name_numbers.item(index)
        found = self._words.get(number)
        if found is None:
            found = self._words[number] = split_words(self.distinct_names[number])
        return found

    def named(self, words: frozenset[str]) -> Booleans:
        """Return a mask of the elements whose class or ID has one of the given ASCII words."""
        has_word = _markup.named(self.distinct_names, [*words])
        return np.frombuffer(has_word, dtype=np.bool_)[self.name_numbers]

    @cached_property
    def sizes(self) -> Integers:
        """Number of tokens below each element."""
        before, flat = self._tokens_before, self.flat
        return before[flat.text_ends] - before[flat.text_starts]

    @cached_property
    def token_counts(self) -> Counter[str]:
        """Number of occurrences of each token."""
        return Counter(self.tokens)

    @cached_property
    def block_numbers(self) -> Integers:
        """Index of each element's nearest enclosing block, or its own index if it is a block."""
        return self.flat.nearest_marked(~within_lines(self.document)[self.flat.numbers])

    @cached_property
    def blocks(self) -> list[int]:
        """The `block_numbers` as a list."""
        return list_of(self.block_numbers)

    def ancestry(self, index: int) -> Iterator[int]:
        """Yield an element and its ancestors, the innermost first."""
        while index >= 0:
            yield index
            index = self.parents[index]

    def size(self, index: int) -> int:
        """Count the tokens below an element."""
        return self.sizes.item(index)

    def tokens_of(self, index: int) -> list[str]:
        """Return the tokens below an element, in order."""
        return self.tokens[self.token_starts[index] : self.token_ends[index]]

    def text_of(self, index: int) -> str:
        """Return the text below an element, on one line."""
        start, end = self.text_starts[index], self.text_ends[index]
        if end - start == 1:
            return self.tokenised.clean[start]
        parts: list[str] = []
        previous_line = -1
        lines = self.text_lines[start:end].tolist()
        for text, line in zip(self.flat.texts[start:end], lines, strict=True):
            parts.append(text if line == previous_line else f" {text}")
            previous_line = line
        return words.clean("".join(parts))

    def children(self, index: int) -> Iterator[int]:
        """Yield the children of an element, in order."""
        child = index + 1
        while child < self.ends[index]:
            yield child
            child = self.ends[child]

    def without(self, left_out: Collection[int]) -> Self:
        """Return the outline without the texts of the given elements; all indices stay valid."""
        is_left_out = np.zeros(len(self.flat.parents), dtype=np.bool_)
        is_left_out[[*left_out]] = True
        is_kept = ~self.flat.within(is_left_out)[self.text_parents]
        kept_before = np.concatenate([[0], np.cumsum(is_kept)])
        flat = replace(
            self.flat,
            shown=self.flat.shown[is_kept],
            text_parents=self.text_parents[is_kept],
            text_starts=kept_before[self.flat.text_starts],
            text_ends=kept_before[self.flat.text_ends],
        )
        return replace(self, flat=flat, text_lines=self.text_lines[is_kept])

    @cached_property
    def text_parents(self) -> Integers:
        """Element of each text node."""
        return self.flat.text_parents

    @cached_property
    def text_sizes(self) -> Integers:
        """Number of tokens of each text node."""
        return self.count_in_texts(Count.TOKENS)

    def count_in_texts(self, counted: Count) -> Integers:
        """Return a count for each text node, such as its number of sentences."""
        return self.tokenised.count(counted)[: len(self.text_lines)]

    def texts_of_lines(self, numbers: Collection[int]) -> Booleans:
        """Return a mask of the text nodes of the lines with the given numbers."""
        last = int(self.text_lines.max(initial=0))
        is_line = np.zeros(max(last, *numbers, 0) + 1, dtype=np.bool_)
        is_line[[*numbers]] = True
        return is_line[self.text_lines]

    @cached_property
    def line_starts(self) -> Integers:
        """Index of the first text node of each line."""
        is_start = np.ones(len(self.text_lines), np.bool_)
        is_start[1:] = self.text_lines[1:] != self.text_lines[:-1]
        return np.flatnonzero(is_start)

    @property
    def root(self) -> Node:
        """Root of the document, with access to elements that display no text."""
        return self.node(0)

    def node(self, index: int) -> Node:
        """Return an element as a node of the whole document."""
        return Node(self.document, int(self.flat.numbers[index]))

    @cached_property
    def metas(self) -> dict[str, str]:
        """Contents of the page's ``meta`` elements, by lower-case property or name."""
        metas: dict[str, str] = {}
        for _, name, content in metas_of(self.document):
            metas.setdefault(name.lower(), content)
        return metas

    @cached_property
    def title(self) -> str:
        """Text of the page's ``title`` element; empty if it has none."""
        title = next(self.root.iter("title"), None)
        return words.clean(title.text_content()) if title is not None else ""

    @cached_property
    def headings(self) -> list[int]:
        """Headings of the top three levels."""
        return list_of(np.flatnonzero(self.flat.having(("h1", "h2", "h3"))))

    @cached_property
    def link_numbers(self) -> Integers:
        """Index of the link that is or surrounds each element; -1 if there is none."""
        document = self.document
        addresses = document.attributes.by_element("href")
        has_address = np.zeros(len(document.parents), dtype=np.bool_)
        has_address[[index for index, address in addresses.items() if address]] = True
        is_link = has_address[self.flat.numbers] & self.flat.having(("a",))
        nearest = self.flat.nearest_marked(is_link)
        return np.where(is_link[nearest], nearest, -1)

    @cached_property
    def links(self) -> list[int]:
        """The `link_numbers` as a list."""
        return list_of(self.link_numbers)

    def counterparts(self, other: "Outline") -> list[int]:
        """Map each element to the element at its positional XPath on another page; -1 if absent."""
        keys = zip(other.parents, other.steps, strict=True)
        index_at = {key: index for index, key in enumerate(keys)}
        counterparts: list[int] = []
        for parent, step in zip(self.parents, self.steps, strict=True):
            above = counterparts[parent] if parent >= 0 else -1
            has_counterpart = parent < 0 or above >= 0
            counterparts.append(index_at.get((above, step), -1) if has_counterpart else -1)
        return counterparts


_Row = TypeVar("_Row", bound=tuple[Any, ...])


def rows(kind: type[_Row], *columns: Iterable[Any]) -> list[_Row]:
    """Return the rows of columns as named tuples, which takes half the time of calling the type."""
    make: Callable[[tuple[Any, ...]], _Row] = partial(tuple.__new__, kind)
    return [*map(make, zip(*columns, strict=True))]


def list_of(column: Integers) -> list[int]:
    """Return an array as a list, whose items are faster to access individually."""
    numbers: list[int] = column.tolist()
    return numbers
