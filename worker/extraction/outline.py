"""A page flattened into arrays, so that every measure is one pass and no recursion."""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Self, TypeVar

from lxml import etree
from lxml.html import HtmlElement

from worker.extraction import words
from worker.extraction.vocabulary import INLINE, NO_TEXT

_Item = TypeVar("_Item")


class TextNode(NamedTuple):
    """A text node of the page.

    Attributes
    ----------
    parent
        Index of the element that it stands in.
    line
        Number of the line that it stands on: text nodes with no block border and no line break
        between them share it.
    text
        The text, as it stands in the page.
    """

    parent: int
    line: int
    text: str


@dataclass
class Outline:
    """The elements of a document in document order, with the tokens that each one holds.

    An element is named by its index. Its descendants are the indices up to its end; its
    tokens are one stretch of the page's tokens, so that quantities propagate back to
    ancestors (paper 000, section 4.4) without a second pass.

    Attributes
    ----------
    elements
        Every element with text to show, the root first. Those of `vocabulary.NO_TEXT` are
        listed,
        their descendants are not.
    parents
        Index of the parent, -1 for the root.
    ends
        Index after the last descendant.
    steps
        (tag, rank among the siblings of that tag): the step of the positional XPath.
    tokens
        Tokens of the page, in order.
    token_starts, token_ends
        Stretch of `tokens` below the element.
    texts
        Text nodes that hold more than white space, in order.
    text_starts, text_ends
        Stretch of `texts` below the element.
    """

    elements: list[HtmlElement] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    steps: list[tuple[str, int]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    token_starts: list[int] = field(default_factory=list)
    token_ends: list[int] = field(default_factory=list)
    texts: list[TextNode] = field(default_factory=list)
    text_starts: list[int] = field(default_factory=list)
    text_ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, document: HtmlElement) -> Self:
        """Flatten a parsed document."""
        outline = cls()
        ranks: dict[tuple[int, str], int] = {}
        open_elements = [-1]
        line = 0
        walk = etree.iterwalk(document, events=("start", "end", "comment", "pi"))
        for event, node in walk:
            if event == "start":
                index, parent, tag = len(outline.elements), open_elements[-1], str(node.tag)
                rank = ranks[parent, tag] = ranks.get((parent, tag), 0) + 1
                outline.elements.append(node)
                outline.parents.append(parent)
                outline.ends.append(0)
                outline.steps.append((tag, rank))
                outline.token_starts.append(len(outline.tokens))
                outline.token_ends.append(0)
                outline.text_starts.append(len(outline.texts))
                outline.text_ends.append(0)
                open_elements.append(index)
                line += tag not in INLINE
                if tag in NO_TEXT:
                    walk.skip_subtree()
                else:
                    outline._add_text(index, line, node.text)
                continue
            if event == "end":
                line += node.tag not in INLINE
                index = open_elements.pop()
                outline.ends[index] = len(outline.elements)
                outline.token_ends[index] = len(outline.tokens)
                outline.text_ends[index] = len(outline.texts)
            if open_elements[-1] >= 0:
                outline._add_text(open_elements[-1], line, node.tail)
        return outline

    def _add_text(self, parent: int, line: int, text: str | None) -> None:
        if text and not text.isspace():
            self.texts.append(TextNode(parent, line, text))
            self.tokens.extend(words.tokens(text))

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
        for _, line, text in self.texts[self.text_starts[index] : self.text_ends[index]]:
            parts.append(text if line == number else f" {text}")
            number = line
        return words.clean("".join(parts))

    def nearest(self, index: int, *, outside: Container[str]) -> int:
        """Return the nearest of an element and its ancestors whose tag is none of a set's."""
        while self.elements[index].tag in outside and self.parents[index] >= 0:
            index = self.parents[index]
        return index

    def children(self, index: int) -> Iterator[int]:
        """Yield the children of an element, in order."""
        child = index + 1
        while child < self.ends[index]:
            yield child
            child = self.ends[child]

    def without(self, left_out: Collection[int]) -> Self:
        """Return the outline with some elements emptied of all tokens and texts.

        Indices keep their meaning: the elements stay listed.
        """
        empty = [False] * len(self.elements)
        for index in left_out:
            if not empty[index]:
                empty[index : self.ends[index]] = [True] * (self.ends[index] - index)
        outermost = [
            index
            for index in sorted(left_out)
            if self.parents[index] < 0 or not empty[self.parents[index]]
        ]
        tokens, moved = _cut(
            self.tokens, [(self.token_starts[i], self.token_ends[i]) for i in outermost]
        )
        texts, moved_texts = _cut(
            self.texts, [(self.text_starts[i], self.text_ends[i]) for i in outermost]
        )
        return replace(
            self,
            tokens=tokens,
            token_starts=[moved[start] for start in self.token_starts],
            token_ends=[moved[end] for end in self.token_ends],
            texts=texts,
            text_starts=[moved_texts[start] for start in self.text_starts],
            text_ends=[moved_texts[end] for end in self.text_ends],
        )

    def lines(self) -> Iterator[list[TextNode]]:
        """Yield the text nodes of each line, in order."""
        for _, nodes in groupby(self.texts, key=attrgetter("line")):
            yield list(nodes)

    @cached_property
    def links(self) -> list[int]:
        """For every element the index of the link it is or stands in, -1 for none."""
        found: list[int] = []
        for index, (element, parent) in enumerate(zip(self.elements, self.parents, strict=True)):
            if element.tag == "a" and element.get("href"):
                found.append(index)
            else:
                found.append(found[parent] if parent >= 0 else -1)
        return found

    def counterparts(self, other: "Outline") -> list[int]:
        """Find, for every element, the one of the same positional XPath in another page.

        Returns
        -------
        list of int
            Index in the other outline, -1 where it has no such path.
        """
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


def _cut(
    items: Sequence[_Item], stretches: Iterable[tuple[int, int]]
) -> tuple[list[_Item], list[int]]:
    """Cut stretches (ordered, apart) out of a sequence.

    Returns
    -------
    kept : list
        What is left.
    moved : list of int
        For every position in `items`, its end included, the position in `kept`.
    """
    kept: list[_Item] = []
    moved: list[int] = []
    position = 0
    for start, end in stretches:
        moved.extend(range(len(kept), len(kept) + start - position))
        kept.extend(items[position:start])
        moved.extend([len(kept)] * (end - start))
        position = end
    moved.extend(range(len(kept), len(kept) + len(items) - position + 1))
    kept.extend(items[position:])
    return kept, moved
