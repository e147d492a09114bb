"""What speaks for and against each line of a page being part of its article.

All of it is counted, none of it decided here: a row of numbers for each line, from the line
itself, its neighbours, the elements around it, the page's declarations of itself, and what is
known of other pages of the template where there are any.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from worker.extraction import sentences, titles
from worker.extraction.knowledge import TemplateKnowledge, digest_of
from worker.extraction.lines import Line, lines_of
from worker.extraction.outline import Outline
from worker.extraction.paths import Paths
from worker.extraction.vocabulary import (
    BODY_NAMES,
    OTHER_NAMES,
    PARTS,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)
from worker.language import words
from worker.pages.names import split_words

Rows = npt.NDArray[np.float32]
_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]
_Column = Sequence[float] | npt.NDArray[np.float64 | np.int64 | np.bool_]

UNKNOWN = -1.0
"""Stands where there is nothing to count: no other page, no neighbour, no declaration."""

MAX_SECTION = 0.5
"""The name or tag of an element with a larger share of the page's tokens says nothing of it."""

NEARNESS = 0.7
"""What an element's name still says of a line, for every element between them."""

MAX_AWAY = 999.0
"""Distance of what is not there at all."""

SURE_WORDS = 20
"""Words from which on a line of prose is hardly anything but text."""

NEIGHBOURS = (-2, -1, 1, 2)
"""Lines beside a line that are looked at."""

TAGS = (
    *("p", "div", "li", "h1", "h2", "h3", "h4", "td", "th", "blockquote", "figcaption", "dd"),
    *("pre", "section", "article", "body", "label", "center", "form", "address"),
)
"""Elements that are told apart; the number of one is its place here."""

_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_COMMA = re.compile("[,،，、]")
_ENDS = tuple(".!?…;。！？»”\"'’)）」』:")
_QUOTES = re.compile('["«“„「]')
_PARTERS = re.compile("[|»›]")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FIRST_IDEOGRAPH = "\u2e80"


@dataclass(frozen=True)
class Evidence:
    """The lines of a page with what was counted of each.

    Attributes
    ----------
    lines
        The lines.
    rows
        A row a line, a column for each of `COLUMNS`.
    """

    lines: Sequence[Line]
    rows: Rows


def gather_evidence(
    page: Outline, knowledge: TemplateKnowledge | None = None, url: str = ""
) -> Evidence:
    """Count all that is known of the lines of a page.

    Parameters
    ----------
    page
        The page.
    knowledge
        What other pages of its template tell, None where there is none.
    url
        Address of the page.
    """
    view = _View(page, url)
    rows = np.empty((len(view.lines), len(COLUMNS)), dtype=np.float32)
    if view.lines:
        columns = [column for part in _PARTS for column in part(view)]
        columns.extend(_of_template(view, knowledge))
        for place, column in enumerate(columns):
            rows[:, place] = column
    return Evidence(view.lines, rows)


@dataclass(frozen=True)
class _Packets:
    """What lines come to, by element: those directly in it, or those anywhere below it."""

    words: _Floats
    linked: _Floats
    sentences: _Floats
    prose: _Floats
    lines: _Floats

    def at(self, elements: _Integers) -> Self:
        """Return the packets of some elements."""
        return replace(self, **{name: values[elements] for name, values in vars(self).items()})

    @property
    def link_density(self) -> _Floats:
        return self.linked / np.maximum(1.0, self.words)

    @property
    def prose_density(self) -> _Floats:
        return self.prose / np.maximum(1.0, self.words)


class _Place(NamedTuple):
    """What the elements around an element come to, itself among them."""

    body_names: int = 0
    other_names: int = 0
    sections: int = 0
    uninteresting: bool = False
    article: bool = False
    lists: int = 0
    tables: int = 0
    hidden: bool = False


class _View:
    """A page with all that several columns need of it."""

    def __init__(self, page: Outline, url: str) -> None:
        self.page = page
        self.url = url
        self.lines = lines_of(page)

    @cached_property
    def counts(self) -> _Floats:
        return np.array([len(line.tokens) for line in self.lines], dtype=np.float64)

    @cached_property
    def linked(self) -> _Floats:
        return np.array([line.linked for line in self.lines], dtype=np.float64)

    @cached_property
    def sentences(self) -> _Floats:
        return np.array([line.sentences for line in self.lines], dtype=np.float64)

    @cached_property
    def prose_counts(self) -> _Floats:
        """Words of each line that is prose, 0 of any other."""
        is_prose = np.array([line.is_prose for line in self.lines])
        return np.where(is_prose, self.counts, 0.0)

    @cached_property
    def total(self) -> float:
        return max(1.0, float(self.counts.sum()))

    @cached_property
    def prose(self) -> float:
        return max(1.0, float(self.prose_counts.sum()))

    @cached_property
    def blocks(self) -> _Integers:
        """For each line, the element that it stands in."""
        return np.array([line.block for line in self.lines])

    @cached_property
    def parents(self) -> _Integers:
        """For each element the one around it, the root's being itself."""
        return np.maximum(self.page.parents, 0)

    @cached_property
    def depths(self) -> dict[int, int]:
        found = {-1: -1}
        for index in self.page.holders:
            found[index] = found[self.page.parents[index]] + 1
        return found

    @cached_property
    def places(self) -> dict[int, _Place]:
        page = self.page
        largest = MAX_SECTION * len(page.tokens)
        found = {-1: _Place()}
        for index in page.holders:
            above = found[page.parents[index]]
            marks = _marks_of(page.tags[index], page.names[index])
            style = page.elements[index].get("style")
            hides = style is not None and _hides(style)
            if marks is None and not hides:
                found[index] = above
                continue
            marks = marks or _Place()
            small = page.size(index) <= largest
            found[index] = _Place(
                body_names=above.body_names + marks.body_names,
                other_names=above.other_names + (small and marks.other_names),
                sections=above.sections + (small and marks.sections),
                uninteresting=above.uninteresting or (small and marks.uninteresting),
                article=above.article or marks.article,
                lists=above.lists + marks.lists,
                tables=above.tables + marks.tables,
                hidden=above.hidden or hides,
            )
        return found

    @cached_property
    def paths(self) -> Paths:
        return Paths.of(self.page)

    @cached_property
    def numbers(self) -> _Integers:
        """For each line, the number of its path."""
        return np.array([self.paths.numbers[line.block] for line in self.lines])

    @cached_property
    def containers(self) -> _Integers:
        """For each line, the element whose text it divides."""
        return np.array(self.page.divided)[self.blocks]

    @cached_property
    def packets(self) -> _Packets:
        """For each element the lines whose text it divides."""
        return self._sums(self.containers)

    @cached_property
    def below(self) -> _Packets:
        """For each element the lines below it."""
        direct = self._sums(self.blocks)
        ends = np.array(self.page.ends)
        sums = {}
        for name, values in vars(direct).items():
            before = np.concatenate([[0.0], np.cumsum(values)])
            sums[name] = before[ends] - before[:-1]
        return replace(direct, **sums)

    def _sums(self, elements: _Integers) -> _Packets:
        def by_element(values: _Floats) -> _Floats:
            sums = np.bincount(elements, values, minlength=len(self.page.elements))
            return sums.astype(np.float64)

        is_prose = self.prose_counts > 0
        return _Packets(
            words=by_element(self.counts),
            linked=by_element(self.linked),
            sentences=by_element(np.where(is_prose, self.sentences, 0.0)),
            prose=by_element(self.prose_counts),
            lines=by_element(np.ones(len(self.lines))),
        )


@lru_cache(maxsize=4096)
def _marks_of(tag: str, names: str) -> _Place | None:
    """Say what an element tells of what it holds, None where that is nothing."""
    name_words = split_words(names)
    marks = _Place(
        body_names=not BODY_NAMES.isdisjoint(name_words),
        other_names=not OTHER_NAMES.isdisjoint(name_words),
        sections=tag in UNINTERESTING_TAGS,
        uninteresting=not UNINTERESTING.isdisjoint(name_words),
        article=tag in ("article", "main"),
        lists=tag in ("ul", "ol", "dl"),
        tables=tag == "table",
    )
    return marks if any(marks) else None


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


_Columns = Iterator[_Column]


def _of_line(view: _View) -> _Columns:
    lines, counts = view.lines, view.counts
    lengths = np.array([len(line.text) for line in lines])
    yield counts
    yield view.linked / counts
    yield view.sentences
    yield view.sentences / counts
    yield lengths / counts
    yield np.array([len(_DIGIT.findall(line.text)) for line in lines]) / lengths
    yield np.array([sum(map(str.isupper, line.text)) for line in lines]) / lengths
    yield np.array([_count_ideographs(line) for line in lines]) / counts
    yield [len(_COMMA.findall(line.text)) for line in lines]
    yield [line.text.endswith(_ENDS) for line in lines]
    yield [line.text.endswith((":", "：")) for line in lines]
    yield [line.text[0].isupper() for line in lines]
    yield [_DATE.search(line.text) is not None for line in lines]
    yield [_QUOTES.search(line.text) is not None for line in lines]
    yield [_PARTERS.search(line.text) is not None for line in lines]


def _count_ideographs(line: Line) -> int:
    if line.text.isascii():
        return 0
    return sum(len(token) == 1 and token >= _FIRST_IDEOGRAPH for token in line.tokens)


def _of_elements(view: _View) -> _Columns:
    page = view.page
    blocks = [line.block for line in view.lines]
    places = [view.places[block] for block in blocks]
    yield [_TAG_NUMBERS.get(page.tags[block], UNKNOWN) for block in blocks]
    yield [_TAG_NUMBERS.get(page.tags[parent], UNKNOWN) for parent in view.parents[blocks].tolist()]
    yield [len(page.name_words[block] & BODY_NAMES) for block in blocks]
    yield [len(page.name_words[block] & OTHER_NAMES) for block in blocks]
    yield [view.depths[block] for block in blocks]
    yield from zip(*places, strict=True)


def _of_position(view: _View) -> _Columns:
    number = len(view.lines)
    places = np.arange(number)
    yield places
    yield places / number
    yield (np.cumsum(view.counts) - view.counts) / view.total
    yield (np.cumsum(view.prose_counts) - view.prose_counts) / view.prose
    yield np.full(number, number)
    yield np.full(number, view.total)


def _of_neighbours(view: _View) -> _Columns:
    link_density = view.linked / view.counts
    for offset in NEIGHBOURS:
        yield _shifted(view.counts, offset)
        yield _shifted(link_density, offset)
        yield _shifted(view.sentences, offset)
        beside = _shifted(view.containers, offset)
        yield np.where(beside == UNKNOWN, UNKNOWN, beside == view.containers)


def _shifted(values: _Floats | _Integers, offset: int) -> _Floats:
    """Return for each line the value of the line so many after it."""
    shifted = np.full(len(values), UNKNOWN)
    if offset > 0:
        shifted[:-offset] = values[offset:]
    else:
        shifted[-offset:] = values[:offset]
    return shifted


def _of_packets(view: _View) -> _Columns:
    packets = view.packets.at(view.containers)
    holders = np.unique(view.containers)
    densest = holders[np.argmax(view.packets.prose[holders])]
    most = max(1.0, view.packets.prose[densest])
    yield packets.sentences
    yield packets.prose
    yield packets.words
    yield packets.lines
    yield packets.link_density
    yield packets.prose_density
    yield packets.prose / view.prose
    yield packets.prose / most
    yield view.containers == densest
    around = view.containers
    for _ in range(2):
        around = view.parents[around]
        below = view.below.at(around)
        yield below.prose / view.prose
        yield below.link_density
        yield below.prose_density
        yield below.lines


def _of_parts(view: _View) -> _Columns:
    """Count how near the elements are that are named for a part of a page: 1 for the line's own."""
    page = view.page
    largest = MAX_SECTION * len(page.tokens)
    named_at: dict[int, tuple[float, ...]] = {-1: (-np.inf,) * len(PARTS)}
    for index in page.holders:
        above = named_at[page.parents[index]]
        here = _parts_of(page.names[index])
        if here and page.size(index) <= largest:
            depth = float(view.depths[index])
            above = tuple(depth if place in here else known for place, known in enumerate(above))
        named_at[index] = above
    blocks = [line.block for line in view.lines]
    depths = np.array([view.depths[block] for block in blocks], dtype=np.float64)
    nearest = np.array([named_at[block] for block in blocks])
    yield from NEARNESS ** (depths[:, None] - nearest).T


@lru_cache(maxsize=4096)
def _parts_of(names: str) -> frozenset[int]:
    """List the parts of a page, by their places in `PARTS`, that an element is named for."""
    name_words = split_words(names)
    return frozenset(
        place
        for place, part_words in enumerate(PARTS.values())
        if not part_words.isdisjoint(name_words)
    )


def _of_markup(view: _View) -> _Columns:
    page = view.page
    by_number = {nodes[0].line: nodes for nodes in page.lines}
    nodes_of = [by_number[line.number] for line in view.lines]
    for tags in (("b", "strong"), ("i", "em", "cite")):
        within = _within(page, tags)
        if not within:
            yield np.zeros(len(view.lines))
            continue
        marked = [sum(n.size for n in nodes if n.parent in within) for nodes in nodes_of]
        yield marked / view.counts
    figures = _within(page, ("figure", "figcaption"))
    yield [line.block in figures for line in view.lines]
    images = np.array([i for i, tag in enumerate(page.tags) if tag == "img"], dtype=np.int64)
    firsts = np.array([nodes[0].parent for nodes in nodes_of])
    lasts = np.array([nodes[-1].parent for nodes in nodes_of])
    starts = np.searchsorted(images, firsts)
    ends = np.searchsorted(images, lasts, side="right")
    before = np.concatenate([[0], ends[:-1]])
    after = np.concatenate([starts[1:], [len(images)]])
    yield np.minimum(starts - before, 3)
    yield np.minimum(after - ends, 3)
    yield ends - starts
    image_sums = np.concatenate([[0], np.cumsum([tag == "img" for tag in page.tags])])
    ends_of = np.array(page.ends)
    for around in (view.containers, view.parents[view.containers]):
        yield np.minimum(image_sums[ends_of[around]] - image_sums[around], 9)


def _within(page: Outline, tags: tuple[str, ...]) -> set[int]:
    """List the elements with some tags, and those in them."""
    found: set[int] = set()
    for index, tag in enumerate(page.tags):
        if tag in tags and index not in found:
            found.update(range(index, page.ends[index]))
    return found


def _of_siblings(view: _View) -> _Columns:
    """Count the lines of the page with the same path, and with the same text."""
    numbers = view.numbers
    is_prose = view.prose_counts > 0
    lines = np.bincount(numbers)
    counts = np.bincount(numbers, view.counts)
    yield lines[numbers]
    yield counts[numbers] / view.total
    yield (np.bincount(numbers, view.prose_counts)[numbers]) / counts[numbers]
    yield (np.bincount(numbers, view.linked)[numbers]) / counts[numbers]
    yield counts[numbers] / lines[numbers]
    yield np.bincount(numbers, is_prose * 1.0)[numbers] / max(1.0, float(is_prose.sum()))
    same = Counter(line.tokens for line in view.lines)
    yield [same[line.tokens] for line in view.lines]


def _of_distances(view: _View) -> _Columns:
    """Measure how far the nearest long prose is, before and after, in lines and in words."""
    number = len(view.lines)
    places = np.arange(number)
    is_sure = (view.prose_counts >= SURE_WORDS) & (view.linked < 0.3 * view.counts)
    sure = np.flatnonzero(is_sure)
    before_at = np.searchsorted(sure, places) - 1
    after_at = np.searchsorted(sure, places, side="right")
    padded = np.concatenate([[-1], sure, [-1]])
    previous, following = padded[before_at + 1], padded[np.minimum(after_at, len(sure)) + 1]
    ends = np.cumsum(view.counts)
    starts = ends - view.counts
    around = view.parents[view.containers]
    for at, lines, words_between in (
        (previous, places - previous, starts - ends[previous]),
        (following, following - places, starts[following] - ends),
    ):
        known = at >= 0
        yield np.where(known, lines, MAX_AWAY)
        yield np.where(known, words_between, MAX_AWAY)
        yield np.where(known, view.containers[at] == view.containers, UNKNOWN)
        yield np.where(known, view.numbers[at] == view.numbers, UNKNOWN)
        yield np.where(known, around[at] == around, UNKNOWN)
    yield np.cumsum(is_sure) - is_sure
    yield len(sure) - np.cumsum(is_sure)
    first = np.full(len(view.page.elements), number)
    last = np.zeros(len(view.page.elements), dtype=np.int64)
    np.minimum.at(first, view.containers, places)
    np.maximum.at(last, view.containers, places)
    yield places - first[view.containers]
    yield last[view.containers] - places


def _of_wording(view: _View) -> _Columns:
    lines = view.lines
    yield [line.text.endswith(("...", "…", "[…]", "[...]")) for line in lines]
    yield ["©" in line.text or "(c)" in line.text.lower() for line in lines]
    yield ["@" in line.text or "http" in line.text or "www." in line.text for line in lines]
    yield [line.text[0].isdigit() for line in lines]
    yield [line.text[0] in '([<—–-•*»"“«' for line in lines]
    parted = [line.text.split() for line in lines]
    yield [sum(word[0].isupper() for word in parts) / len(parts) for parts in parted]
    yield [len(_YEAR.findall(line.text)) for line in lines]
    yield [line.text.endswith("?") for line in lines]
    yield [":" in line.text[:30] for line in lines]


def _of_declarations(view: _View) -> _Columns:
    page = view.page
    finding = sentences.find_body(page)
    container = finding.container if finding is not None else 0
    kept = [0.0] * len(page.elements)
    left_out = finding.dropped | finding.muted if finding is not None else frozenset[int]()
    for index in range(container, page.ends[container]):
        above = kept[page.parents[index]] if index > container else 1.0
        kept[index] = 0.5 if index in left_out else above
    title, heading = titles.headline(page, container, view.url)
    places = np.arange(len(view.lines))
    sizes = np.array([len(set(line.tokens)) for line in view.lines])
    title_tokens = set(words.tokens(title or ""))
    in_title = np.array([_count_shared(line, title_tokens) for line in view.lines])
    shown = next(
        (
            place
            for place, line in enumerate(view.lines)
            if heading is not None and heading <= line.block < page.ends[heading]
        ),
        None,
    )
    description = set(words.tokens(titles.declared_description(page)))
    yield [kept[line.block] for line in view.lines]
    yield view.containers == container
    yield np.full(len(view.lines), -1000.0) if shown is None else places - shown
    yield in_title / sizes
    yield in_title / max(1, len(title_tokens))
    if description:
        yield np.array([_count_shared(line, description) for line in view.lines]) / sizes
    else:
        yield np.full(len(view.lines), UNKNOWN)


def _count_shared(line: Line, tokens: set[str]) -> int:
    return len(tokens.intersection(line.tokens))


def _of_template(view: _View, knowledge: TemplateKnowledge | None) -> _Columns:
    if knowledge is None or not knowledge.pages:
        yield from [[UNKNOWN] * len(view.lines)] * 5
        return
    pages = len(knowledge.pages)
    digests = [digest_of(line.tokens) for line in view.lines]
    known = knowledge.numbers_of(view.paths.steps)
    line_paths = [known[number] for number in view.numbers.tolist()]
    repeated: Counter[int] = Counter()
    for digest in set(digests):
        for line in knowledge.by_digest.get(digest, ()):
            repeated[line.path] += line.words
    words_at = knowledge.words_at
    yield [digest in knowledge.by_digest for digest in digests]
    yield [path in words_at for path in line_paths]
    yield [knowledge.lines_at[path] / pages for path in line_paths]
    yield [words_at[path] / pages for path in line_paths]
    yield [
        (words_at[path] - repeated[path]) / words_at[path] if words_at[path] else UNKNOWN
        for path in line_paths
    ]


_PARTS: tuple[Callable[[_View], _Columns], ...] = (
    _of_line,
    _of_elements,
    _of_position,
    _of_neighbours,
    _of_packets,
    _of_parts,
    _of_markup,
    _of_siblings,
    _of_distances,
    _of_wording,
    _of_declarations,
)

COLUMNS = (
    *("words", "link_density", "sentences", "sentence_density", "word_length"),
    *("digits", "capitals", "ideographs", "commas"),
    *("ends_sentence", "ends_in_colon", "starts_capital", "has_date", "has_quote", "has_parter"),
    *("tag", "parent_tag", "body_names_here", "other_names_here"),
    *("depth", "body_names", "other_names", "sections", "uninteresting"),
    *("in_article", "lists", "tables", "hidden"),
    *("line", "line_share", "words_before", "prose_before", "lines_of_page", "words_of_page"),
    *(
        f"{name}{offset:+d}"
        for offset in NEIGHBOURS
        for name in ("words", "link_density", "sentences", "same_container")
    ),
    *("packet_sentences", "packet_prose", "packet_words", "packet_lines", "packet_link_density"),
    *("packet_prose_density", "packet_share", "packet_to_densest", "in_densest_packet"),
    *(
        f"{name}_{around}"
        for around in ("around", "around_that")
        for name in ("prose_share", "link_density", "prose_density", "lines")
    ),
    *(f"named_{part}" for part in PARTS),
    *("strong", "slanted", "in_figure", "images_before", "images_after", "images_within"),
    *("images_around", "images_around_that"),
    *("siblings", "sibling_words", "sibling_prose", "sibling_links", "sibling_length"),
    *("sibling_share", "same_text"),
    *(
        f"{name}_{side}"
        for side in ("before", "after")
        for name in (
            "lines_to_prose",
            "words_to_prose",
            "prose_in_container",
            "prose_at_path",
            "prose_around",
        )
    ),
    *("prose_lines_before", "prose_lines_after", "line_of_packet", "line_to_packet_end"),
    *("ends_in_ellipsis", "copyright", "address", "starts_digit", "starts_mark"),
    *("capitalised", "years", "ends_in_question", "early_colon"),
    *("kept_by_sentences", "in_sentences_container", "lines_from_headline"),
    *("in_headline", "of_headline", "in_description"),
    *("text_on_other", "path_on_other", "lines_at_path", "words_at_path", "new_at_path"),
)
"""What is counted, in the order of the columns of `Evidence.rows`."""
