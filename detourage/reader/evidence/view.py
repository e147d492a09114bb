"""View of a page: arrays shared by several sources of evidence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.lines import Paths, lines_of, places_of_lines
from detourage.reader.outline import Outline
from detourage.text.texts import Count, Trait

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

MAX_MATCHED = 300
"""Maximum number of characters matched against patterns per line."""

UNKNOWN = -1.0
"""Value of a feature that does not apply, for example if the line has no neighbour."""

MAX_SECTION = 0.5
"""Maximum share of the page's tokens in an element for its name or tag to be informative."""


@dataclass(frozen=True)
class Packets:
    """Totals per element, over the lines directly in it or over all its descendants' lines."""

    words: Floats
    linked: Floats
    sentences: Floats
    prose: Floats
    lines: Floats

    def at(self, elements: Integers) -> Self:
        """Return the totals of the given elements."""
        return replace(self, **{name: values[elements] for name, values in vars(self).items()})

    @property
    def link_density(self) -> Floats:
        """Share of the words in links."""
        return self.linked / np.maximum(1.0, self.words)

    @property
    def prose_density(self) -> Floats:
        """Share of the words in prose."""
        return self.prose / np.maximum(1.0, self.words)


class View:
    """A flattened page and arrays over its lines, text nodes or elements."""

    def __init__(self, page: Outline, knowledge: TemplateKnowledge | None, url: str) -> None:
        self.page = page
        self.knowledge = knowledge
        self.url = url
        self.lines = lines_of(page)

    @cached_property
    def _places(self) -> Integers:
        """Index of each line in the page's texts."""
        return self.page.said.of_lines[places_of_lines(self.page)]

    def count(self, counted: Count) -> Integers:
        """Return the given count for each line's text."""
        return self.page.said.texts.count(counted)[self._places]

    def starts_with(self, trait: Trait) -> Booleans:
        """Return whether each line's first character has the given trait."""
        return self.page.said.texts.starts_with(trait)[self._places]

    def ends_with(self, trait: Trait) -> Booleans:
        """Return whether each line's last character has the given trait."""
        return self.page.said.texts.ends_with(trait)[self._places]

    @cached_property
    def _token_places(self) -> Integers:
        """Indices of the tokens of all lines in the page's tokens."""
        sizes, ends = self.count(Count.TOKENS), np.cumsum(self.count(Count.TOKENS))
        shifts = np.repeat(self.page.said.texts.ends[self._places] - ends, sizes)
        return np.asarray(np.arange(ends[-1]) + shifts, dtype=np.int64)

    @cached_property
    def tokens(self) -> tuple[Integers, Integers]:
        """Tokens of all lines in order, as parallel arrays of line indices and word IDs."""
        sizes = self.count(Count.TOKENS)
        numbers = self.page.said.texts.numbers[self._token_places]
        return np.repeat(np.arange(len(sizes)), sizes), numbers

    @cached_property
    def _words(self) -> tuple[Integers, Integers]:
        """Distinct words of each line, as parallel arrays of line indices and word IDs."""
        owners, numbers = self.tokens
        is_new = ~self.page.said.texts.repeated[self._token_places]
        return owners[is_new], numbers[is_new]

    @cached_property
    def _number_of(self) -> dict[str, int]:
        """ID of each distinct word of the page."""
        distinct = self.page.said.texts.distinct
        return dict(zip(distinct, range(len(distinct)), strict=True))

    @cached_property
    def distinct_words(self) -> Integers:
        """Number of distinct words of each line."""
        return np.bincount(self._words[0], minlength=len(self.lines))

    def words_among(self, words: Collection[str]) -> Integers:
        """Count the distinct words of each line that are in a collection."""
        known = self._number_of
        is_among = np.zeros(len(known), dtype=np.bool_)
        is_among[[known[word] for word in words if word in known]] = True
        owners, numbers = self._words
        return np.bincount(owners[is_among[numbers]], minlength=len(self.lines))

    @cached_property
    def counts(self) -> Floats:
        """Number of words of each line."""
        return self.count(Count.TOKENS).astype(np.float64)

    @cached_property
    def linked(self) -> Floats:
        """Number of linked words of each line."""
        return np.array([line.linked for line in self.lines], dtype=np.float64)

    @cached_property
    def sentences(self) -> Floats:
        """Number of sentence ends in each line."""
        return self.count(Count.SENTENCES).astype(np.float64)

    @cached_property
    def prose_counts(self) -> Floats:
        """Number of words of each line of prose; 0 for other lines."""
        is_prose = (self.sentences > 0) & (2 * self.linked < self.counts)
        return np.where(is_prose, self.counts, 0.0)

    @cached_property
    def total(self) -> float:
        """Number of words on the page; at least 1."""
        return max(1.0, float(self.counts.sum()))

    @cached_property
    def prose(self) -> float:
        """Number of words in prose on the page; at least 1."""
        return max(1.0, float(self.prose_counts.sum()))

    @cached_property
    def blocks(self) -> Integers:
        """Index of the block element of each line."""
        return np.array([line.block for line in self.lines])

    @cached_property
    def first_texts(self) -> Integers:
        """Index of the first text node of each line."""
        return np.searchsorted(self.page.text_lines, self._line_numbers)

    @cached_property
    def end_texts(self) -> Integers:
        """Index after the last text node of each line."""
        return np.searchsorted(self.page.text_lines, self._line_numbers, side="right")

    @cached_property
    def _line_numbers(self) -> Integers:
        return np.array([line.number for line in self.lines], dtype=np.int64)

    @cached_property
    def innermost(self) -> Integers:
        """Index of the element of each line's first text node."""
        return self.page.text_parents[self.first_texts]

    @cached_property
    def ends(self) -> Integers:
        """Index after the last descendant of each element."""
        return self.page.flat.ends

    @cached_property
    def parents(self) -> Integers:
        """Index of each element's parent; the root is its own parent."""
        return np.maximum(self.page.flat.parents, 0)

    @cached_property
    def depths(self) -> Integers:
        """Number of ancestors of each element."""
        return self.page.flat.depths

    @cached_property
    def largest_section(self) -> float:
        """Maximum number of tokens in an element for its name to be informative."""
        return MAX_SECTION * len(self.page.tokens)

    @cached_property
    def is_small(self) -> Booleans:
        """Whether each element is small enough for its name to be informative."""
        is_small: Booleans = self.page.sizes <= self.largest_section
        return is_small

    @cached_property
    def paths(self) -> Paths:
        """Paths of the elements that hold text."""
        return Paths.of(self.page)

    @cached_property
    def path_numbers(self) -> Integers:
        """Path number of each line's block."""
        return np.array([*map(self.paths.numbers.__getitem__, self.blocks.tolist())])

    @cached_property
    def containers(self) -> Integers:
        """Index of each line's nearest enclosing element that does not merely divide a text."""
        return self.page.divided_numbers[self.blocks]

    @cached_property
    def packets(self) -> Packets:
        """Totals per element, each over the lines that have the element as their container."""
        return self._sums(self.containers)

    @cached_property
    def below(self) -> Packets:
        """Totals per element over all lines of its descendants."""
        direct = self._sums(self.blocks)
        sums = {}
        for name, values in vars(direct).items():
            before = np.concatenate([[0.0], np.cumsum(values)])
            sums[name] = before[self.ends] - before[:-1]
        return replace(direct, **sums)

    def _sums(self, elements: Integers) -> Packets:
        def by_element(values: Floats) -> Floats:
            sums = np.bincount(elements, values, minlength=len(self.page.elements))
            return sums.astype(np.float64)

        is_prose = self.prose_counts > 0
        return Packets(
            words=by_element(self.counts),
            linked=by_element(self.linked),
            sentences=by_element(np.where(is_prose, self.sentences, 0.0)),
            prose=by_element(self.prose_counts),
            lines=by_element(np.ones(len(self.lines))),
        )

    def within(self, marked: Sequence[int]) -> Booleans:
        """Return whether each element is one of the marked elements or inside one."""
        found = np.zeros(len(self.page.elements), dtype=np.bool_)
        for index in marked:
            found[index : self.page.ends[index]] = True
        return found
