"""A page with all that several sources of evidence need of it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from worker.article.knowledge import TemplateKnowledge
from worker.article.lines import lines_of, places_of_lines
from worker.article.outline import Outline
from worker.article.paths import Paths
from worker.inference import NamedColumn
from worker.text.characters import Trait
from worker.text.texts import Count

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

UNKNOWN = -1.0
"""Stands where there is nothing to count: no other page, no neighbour, no declaration."""

MAX_SECTION = 0.5
"""The name or tag of an element with a larger share of the page's tokens says nothing of it."""


@dataclass(frozen=True)
class Packets:
    """What lines come to, by element: those directly in it, or those anywhere below it."""

    words: Floats
    linked: Floats
    sentences: Floats
    prose: Floats
    lines: Floats

    def at(self, elements: Integers) -> Self:
        """Return the packets of some elements."""
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
    """A page, flattened, and arrays over its lines, its text nodes or its elements.

    Parameters
    ----------
    page
        The page.
    knowledge
        What other pages of its template tell, None where there is none.
    url
        Address of the page.
    """

    def __init__(self, page: Outline, knowledge: TemplateKnowledge | None, url: str) -> None:
        self.page = page
        self.knowledge = knowledge
        self.url = url
        self.lines = lines_of(page)

    @cached_property
    def _places(self) -> Integers:
        """For each line its place among what is said on the page."""
        return self.page.said.of_lines[places_of_lines(self.page)]

    def count(self, counted: Count) -> Integers:
        """Return for each line what is counted of its text."""
        return self.page.said.texts.count(counted)[self._places]

    def starts_with(self, trait: Trait) -> Booleans:
        """Say of each line whether its first character is of a kind."""
        return self.page.said.texts.starts_with(trait)[self._places]

    def ends_with(self, trait: Trait) -> Booleans:
        """Say of each line whether its last character is of a kind."""
        return self.page.said.texts.ends_with(trait)[self._places]

    @cached_property
    def _words(self) -> tuple[Integers, Integers]:
        """The words of each line, each once: numbers of lines, and of words, side by side."""
        said = self.page.said.texts
        sizes, ends = self.count(Count.TOKENS), np.cumsum(self.count(Count.TOKENS))
        places = np.arange(ends[-1]) + np.repeat(said.ends[self._places] - ends, sizes)
        is_new = ~said.repeated[places]
        return np.repeat(np.arange(len(sizes)), sizes)[is_new], said.numbers[places[is_new]]

    @cached_property
    def distinct_words(self) -> Integers:
        """For each line the number of its words, each counted once."""
        return np.bincount(self._words[0], minlength=len(self.lines))

    def words_among(self, words: Collection[str]) -> Integers:
        """Count for each line the words of a collection that it holds."""
        is_among = np.array([*map(words.__contains__, self.page.said.texts.distinct)])
        owners, numbers = self._words
        return np.bincount(owners[is_among[numbers]], minlength=len(self.lines))

    @cached_property
    def counts(self) -> Floats:
        """For each line the number of its words."""
        return self.count(Count.TOKENS).astype(np.float64)

    @cached_property
    def linked(self) -> Floats:
        """For each line the number of its words in links."""
        return np.array([line.linked for line in self.lines], dtype=np.float64)

    @cached_property
    def sentences(self) -> Floats:
        """For each line the number of its sentence ends."""
        return self.count(Count.SENTENCES).astype(np.float64)

    @cached_property
    def prose_counts(self) -> Floats:
        """For each line that is prose the number of its words, for any other 0."""
        is_prose = (self.sentences > 0) & (2 * self.linked < self.counts)
        return np.where(is_prose, self.counts, 0.0)

    @cached_property
    def total(self) -> float:
        """Words of the page, at least 1."""
        return max(1.0, float(self.counts.sum()))

    @cached_property
    def prose(self) -> float:
        """Words of the page in prose, at least 1."""
        return max(1.0, float(self.prose_counts.sum()))

    @cached_property
    def blocks(self) -> Integers:
        """For each line the element that it stands in."""
        return np.array([line.block for line in self.lines])

    @cached_property
    def ends(self) -> Integers:
        """For each element the index after its last descendant."""
        return self.page.flat.ends

    @cached_property
    def parents(self) -> Integers:
        """For each element the one around it, the root's being itself."""
        return np.maximum(self.page.flat.parents, 0)

    @cached_property
    def depths(self) -> Integers:
        """For each element the number of those around it."""
        return self.page.flat.depths

    @cached_property
    def holders(self) -> Integers:
        """The elements that hold text."""
        return np.flatnonzero(self.page.holds)

    @cached_property
    def largest_section(self) -> float:
        """Tokens of an element beyond which its name says nothing, see `MAX_SECTION`."""
        return MAX_SECTION * len(self.page.tokens)

    @cached_property
    def is_small(self) -> Booleans:
        """Say of each element whether its name may say what it is."""
        is_small: Booleans = self.page.sizes <= self.largest_section
        return is_small

    @cached_property
    def paths(self) -> Paths:
        """The paths of the elements that hold text."""
        return Paths.of(self.page)

    @cached_property
    def path_numbers(self) -> Integers:
        """For each line the number of its path."""
        return np.array([*map(self.paths.numbers.__getitem__, self.blocks.tolist())])

    @cached_property
    def containers(self) -> Integers:
        """For each line the element whose text it divides."""
        return self.page.divided_numbers[self.blocks]

    @cached_property
    def packets(self) -> Packets:
        """For each element the lines whose text it divides."""
        return self._sums(self.containers)

    @cached_property
    def below(self) -> Packets:
        """For each element the lines below it."""
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
        """Say of each element whether it is one of some elements, or stands in one."""
        found = np.zeros(len(self.page.elements), dtype=np.bool_)
        for index in marked:
            found[index : self.page.ends[index]] = True
        return found


@dataclass(frozen=True)
class EvidenceSource:
    """Where columns of the evidence come from.

    Attributes
    ----------
    name
        What it is.
    count
        Yields the columns of a page with at least one line: always the same ones.
    """

    name: str
    count: Callable[[View], Iterator[NamedColumn]]
