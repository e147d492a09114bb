"""Representation of a page as arrays, which allows measuring it in one pass without recursion."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from lxml.html import HtmlElement

from detourage.html.flat import Booleans, Elements, FlatDocument, Integers
from detourage.html.names import find_known_words, split_words
from detourage.html.nodes import Node
from detourage.html.text import DIVISIONS, within_sentences, without_text
from detourage.reader.vocabulary import KNOWN_WORDS
from detourage.text import words
from detourage.text.texts import Count, Texts, read_texts


class TextNode(NamedTuple):
    """A text node of the page; `parent` is the index of its element, and `size` is in tokens.

    Text nodes that no block border or line break separates have the same `line` number.
    """

    parent: int
    line: int
    text: str
    size: int


_OUTLINE = "outline"


@dataclass(frozen=True, eq=False)
class PageTexts:
    """Texts of the nodes of a page, then of lines with several nodes, and each line's index."""

    texts: Texts
    of_lines: Integers


@dataclass(eq=False)
class Outline:
    """The elements of a document that may display text, in document order, with their tokens.

    An element is identified by its index; its descendants have the indices that follow, up to its
    end. Its texts and tokens are ranges of the page's, so that quantities propagate to ancestors
    (Deturck 2015, section 4.4) without a second pass. Descendants of the elements in
    `detourage.html.text.without_text` are omitted. `text_lines` has each text's line number.
    """

    flat: FlatDocument
    document: FlatDocument
    text_lines: Integers

    @classmethod
    def of(cls, document: HtmlElement | FlatDocument) -> Self:
        """Select the elements of a document that may display text, once per flat document."""
        whole = FlatDocument.of(document)
        if _OUTLINE not in whole.memo:
            whole.memo[_OUTLINE] = cls._select(whole)
        outline: Self = whole.memo[_OUTLINE]
        return outline

    @classmethod
    def _select(cls, whole: FlatDocument) -> Self:
        silent = without_text(whole)
        around = whole.count_around(silent)
        outermost = silent & (around == 1)
        flat = whole.select((around == 0) | outermost, around[whole.text_parents] == 0)
        borders = ~within_sentences(whole)[flat.numbers]
        count = len(flat.shown)
        crossed = np.bincount(flat.text_starts[borders], minlength=count + 1)
        crossed += np.bincount(flat.text_ends[borders], minlength=count + 1)
        return cls(flat, whole, np.cumsum(crossed)[:-1])

    @cached_property
    def tokenised(self) -> PageTexts:
        """The texts, tokenised and counted."""
        return _read(self.flat.texts, self.text_lines)

    @property
    def elements(self) -> Elements:
        """The elements, built on demand."""
        return self.flat.elements

    @property
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
    def texts(self) -> list[TextNode]:
        """Text nodes other than whitespace, in order."""
        columns = (self.text_parents, self.text_lines, self.text_sizes)
        parents, lines, sizes = (column.tolist() for column in columns)
        return [*map(TextNode, parents, lines, self.flat.texts, sizes)]

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
        return self.tokenised.texts.tokens[: int(self._tokens_before[-1])]

    @cached_property
    def _tokens_before(self) -> Integers:
        """Number of tokens before each text node, and of all tokens."""
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

    @cached_property
    def steps(self) -> list[tuple[str, int]]:
        """Last step of each element's XPath: its tag, and its rank among siblings with that tag."""
        ranks: dict[tuple[int, str], int] = {}
        found: list[tuple[str, int]] = []
        for parent, tag in zip(self.parents, self.tags, strict=True):
            rank = ranks[parent, tag] = ranks.get((parent, tag), 0) + 1
            found.append((tag, rank))
        return found

    @cached_property
    def distinct_names(self) -> list[str]:
        """Distinct combinations of class and ID, separated by a space."""
        return [" ".join(names) for names in self.flat.distinct_names]

    @property
    def name_numbers(self) -> Integers:
        """Index of each element's name in `distinct_names`."""
        return self.flat.name_numbers

    @cached_property
    def names(self) -> list[str]:
        """Class and ID of each element, separated by a space."""
        return [*map(self.distinct_names.__getitem__, self.name_numbers.tolist())]

    def name_words(self, index: int) -> frozenset[str]:
        """Return the words of an element's class and ID."""
        return split_words(self.distinct_names[self.name_numbers[index]])

    @cached_property
    def _known_words(self) -> Booleans:
        """Whether each of the `distinct_names` has each of the `KNOWN_WORDS`."""
        has = np.zeros((len(self.distinct_names), len(KNOWN_WORDS)), dtype=np.bool_)
        has[find_known_words(self.distinct_names, KNOWN_WORDS)] = True
        return has

    def named(self, names: frozenset[str]) -> Booleans:
        """Return a mask of the elements whose class or ID has one of the given `KNOWN_WORDS`."""
        known = self._known_words[:, [KNOWN_WORDS[name] for name in names]]
        has: Booleans = np.asarray(known.any(axis=1))
        return has[self.name_numbers]

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
    def is_inline(self) -> list[bool]:
        """Whether each element is within a line (`within_sentences`)."""
        inline: list[bool] = within_sentences(self.document)[self.flat.numbers].tolist()
        return inline

    @cached_property
    def is_silent(self) -> list[bool]:
        """Whether each element is `without_text`; its descendants are omitted."""
        silent: list[bool] = without_text(self.document)[self.flat.numbers].tolist()
        return silent

    @cached_property
    def block_numbers(self) -> Integers:
        """Index of each element's nearest enclosing block, or its own index if it is a block."""
        return self.flat.nearest_marked(~within_sentences(self.document)[self.flat.numbers])

    @cached_property
    def blocks(self) -> list[int]:
        """The `block_numbers` as a list."""
        return list_of(self.block_numbers)

    @cached_property
    def divided_numbers(self) -> Integers:
        """Like `block_numbers`, but for elements that are not `DIVISIONS` instead of blocks."""
        return self.flat.nearest_marked(~self.flat.having(DIVISIONS))

    def indices_of(self, elements: Iterable[HtmlElement]) -> frozenset[int]:
        """Return the indices of elements, omitting those that are not part of the outline."""
        return frozenset(place for place in self.elements.places_of(elements) if place >= 0)

    def around(self, index: int) -> Iterator[int]:
        """Yield an element and its ancestors."""
        while index >= 0:
            yield index
            index = self.parents[index]

    def size(self, index: int) -> int:
        """Count the tokens below an element."""
        return self.token_ends[index] - self.token_starts[index]

    def tokens_of(self, index: int) -> list[str]:
        """Return the tokens below an element, in order."""
        return self.tokens[self.token_starts[index] : self.token_ends[index]]

    def text_of(self, index: int) -> str:
        """Return the text below an element, on one line."""
        parts: list[str] = []
        number = -1
        for _, line, text, _ in self.texts[self.text_starts[index] : self.text_ends[index]]:
            parts.append(text if line == number else f" {text}")
            number = line
        return words.clean("".join(parts))

    def children(self, index: int) -> Iterator[int]:
        """Yield the children of an element, in order."""
        child = index + 1
        while child < self.ends[index]:
            yield child
            child = self.ends[child]

    def without(self, left_out: Collection[int]) -> Self:
        """Return the outline without the texts of the given elements, whose indices stay valid."""
        emptied = np.zeros(len(self.flat.parents), dtype=np.bool_)
        emptied[[*left_out]] = True
        kept = ~self.flat.within(emptied)[self.text_parents]
        before = np.concatenate([[0], np.cumsum(kept)])
        flat = replace(
            self.flat,
            shown=self.flat.shown[kept],
            text_parents=self.text_parents[kept],
            text_starts=before[self.flat.text_starts],
            text_ends=before[self.flat.text_ends],
        )
        return replace(self, flat=flat, text_lines=self.text_lines[kept])

    @property
    def text_parents(self) -> Integers:
        """Element of each text node."""
        return self.flat.text_parents

    @cached_property
    def text_sizes(self) -> Integers:
        """Number of tokens of each text node."""
        return self.count_in_texts(Count.TOKENS)

    def count_in_texts(self, counted: Count) -> Integers:
        """Return the given count for each text node."""
        return self.tokenised.texts.count(counted)[: len(self.text_lines)]

    @cached_property
    def line_starts(self) -> Integers:
        """Index of the first text node of each line."""
        return _starts_of(self.text_lines)

    @cached_property
    def lines(self) -> list[list[TextNode]]:
        """Text nodes of each line, in order."""
        borders = [*self.line_starts.tolist(), len(self.texts)]
        return [self.texts[start:end] for start, end in pairwise(borders)]

    @cached_property
    def holds(self) -> Booleans:
        """Whether each element holds text."""
        holds: Booleans = self.flat.text_starts < self.flat.text_ends
        return holds

    @property
    def root(self) -> Node:
        """Root of the document, with access to elements that display no text."""
        return self.node(0)

    def node(self, index: int) -> Node:
        """Return an element as a node of the whole document."""
        return Node(self.document, int(self.flat.numbers[index]))

    @cached_property
    def declaring(self) -> list[Node]:
        """Elements that contain declarations (``meta``, ``link`` and ``script``)."""
        return [*self.root.iter("meta", "link", "script")]

    @cached_property
    def metas(self) -> dict[str, str]:
        """Contents of the page's ``meta`` elements, by lower-case property or name."""
        metas: dict[str, str] = {}
        for meta in self.declaring:
            if meta.tag != "meta":
                continue
            name = (meta.get("property") or meta.get("name") or "").strip().lower()
            metas.setdefault(name, words.clean(meta.get("content") or ""))
        return metas

    @cached_property
    def title(self) -> str:
        """Text of the page's ``title`` element; empty if it has none."""
        title = next(self.root.iter("title"), None)
        return words.clean(title.text_content()) if title is not None else ""

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """Headings of the top three levels, each with its text."""
        return [
            (index, self.text_of(index))
            for index in np.flatnonzero(self.flat.having(("h1", "h2", "h3"))).tolist()
        ]

    @cached_property
    def link_numbers(self) -> Integers:
        """Index of the link that is or surrounds each element; -1 if there is none."""
        leads = np.zeros(len(self.flat.parents), dtype=np.bool_)
        leads[[index for index, address in self.flat.values("href").items() if address]] = True
        leads &= self.flat.having(("a",))
        nearest = self.flat.nearest_marked(leads)
        return np.where(leads[nearest], nearest, -1)

    @cached_property
    def links(self) -> list[int]:
        """The `link_numbers` as a list."""
        return list_of(self.link_numbers)

    def counterparts(self, other: "Outline") -> list[int]:
        """Map each element to the element at its positional XPath on another page; -1 if absent."""
        place = {
            (parent, step): index
            for index, (parent, step) in enumerate(zip(other.parents, other.steps, strict=True))
        }
        found: list[int] = []
        for parent, step in zip(self.parents, self.steps, strict=True):
            above = found[parent] if parent >= 0 else -1
            known = parent < 0 or above >= 0
            found.append(place.get((above, step), -1) if known else -1)
        return found


def _read(texts: Sequence[str], lines: Integers) -> PageTexts:
    """Tokenise texts, and lines of several texts; `lines` holds each text's line number."""
    starts = _starts_of(lines)
    ends = np.append(starts[1:], len(texts))
    is_other = ends - starts > 1
    if words.has_invisible("".join(texts)):
        is_other |= np.array([words.has_invisible(texts[start]) for start in starts.tolist()])
    others = zip(starts[is_other].tolist(), ends[is_other].tolist(), strict=True)
    joined = ["".join(texts[start:end]) for start, end in others]
    of_lines = np.where(is_other, len(texts) - 1 + np.cumsum(is_other), starts)
    return PageTexts(read_texts([*texts], joined), of_lines)


def list_of(column: Integers) -> list[int]:
    """Return the numbers of a column, faster to access one by one."""
    numbers: list[int] = column.tolist()
    return numbers


def _starts_of(lines: Integers) -> Integers:
    """Return the index of the first occurrence of each line number; line numbers are ascending."""
    return np.flatnonzero(np.diff(lines, prepend=-1))
