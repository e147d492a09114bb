"""What speaks for and against each line of a page being part of its article.

All of it is counted, none of it decided here: a row of numbers for each line, from the line
itself, its neighbours, the elements around it, the page's declarations of itself, and what is
known of other pages of the template where there are any.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from worker.extraction import sentences, titles, words
from worker.extraction.knowledge import TemplateKnowledge, digest_of
from worker.extraction.lines import Line, lines_of
from worker.extraction.names import name_words
from worker.extraction.outline import Outline
from worker.extraction.paths import Paths
from worker.extraction.vocabulary import (
    BODY_NAMES,
    DIVISIONS,
    OTHER_NAMES,
    UNINTERESTING,
    UNINTERESTING_TAGS,
)

Rows = npt.NDArray[np.float32]

UNKNOWN = -1.0
"""Stands where there is nothing to count: no other page, no neighbour, no declaration."""

MAX_SECTION = 0.5
"""The name or tag of an element with a larger share of the page's tokens says nothing of it."""

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
    if not view.lines:
        return Evidence((), np.empty((0, len(COLUMNS)), dtype=np.float32))
    columns = [column for part in _PARTS for column in part(view)]
    columns.extend(_of_template(view, knowledge))
    return Evidence(view.lines, np.array(columns, dtype=np.float32).T)


@dataclass
class _Packet:
    """What the lines directly in an element, or anywhere below it, come to."""

    words: float = 0.0
    linked: float = 0.0
    sentences: float = 0.0
    prose: float = 0.0
    lines: int = 0

    def add(self, line: Line) -> None:
        count = len(line.tokens)
        self.words += count
        self.linked += line.linked
        self.lines += 1
        if line.is_prose:
            self.prose += count
            self.sentences += line.sentences

    def include(self, other: "_Packet") -> None:
        self.words += other.words
        self.linked += other.linked
        self.lines += other.lines
        self.prose += other.prose
        self.sentences += other.sentences

    @property
    def link_density(self) -> float:
        return self.linked / max(1.0, self.words)

    @property
    def prose_density(self) -> float:
        return self.prose / max(1.0, self.words)


@dataclass
class _Place:
    """What the elements around an element come to, itself among them."""

    depth: int = -1
    path: int = -1
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
        self.tags = [str(element.tag) for element in page.elements]

    @cached_property
    def names(self) -> list[frozenset[str]]:
        return [name_words(element) for element in self.page.elements]

    @cached_property
    def counts(self) -> list[int]:
        return [len(line.tokens) for line in self.lines]

    @cached_property
    def total(self) -> float:
        return float(max(1, sum(self.counts)))

    @cached_property
    def prose(self) -> float:
        return max(1.0, sum(len(line.tokens) for line in self.lines if line.is_prose))

    @cached_property
    def places(self) -> list[_Place]:
        page = self.page
        largest = MAX_SECTION * len(page.tokens)
        found: list[_Place] = []
        for index, (tag, parent) in enumerate(zip(self.tags, page.parents, strict=True)):
            above = found[parent] if parent >= 0 else _Place()
            names = self.names[index]
            small = page.size(index) <= largest
            style = page.elements[index].get("style")
            hides = style is not None and _hides(style)
            found.append(
                _Place(
                    depth=above.depth + 1,
                    body_names=above.body_names + (not BODY_NAMES.isdisjoint(names)),
                    other_names=above.other_names + (small and not OTHER_NAMES.isdisjoint(names)),
                    sections=above.sections + (small and tag in UNINTERESTING_TAGS),
                    uninteresting=above.uninteresting
                    or (small and not UNINTERESTING.isdisjoint(names)),
                    article=above.article or tag in ("article", "main"),
                    lists=above.lists + (tag in ("ul", "ol", "dl")),
                    tables=above.tables + (tag == "table"),
                    hidden=above.hidden or hides,
                )
            )
        return found

    @cached_property
    def containers(self) -> list[int]:
        """For each line, the element whose text it divides."""
        return [self.page.nearest(line.block, outside=DIVISIONS) for line in self.lines]

    @cached_property
    def packets(self) -> dict[int, _Packet]:
        found: dict[int, _Packet] = {}
        for line, container in zip(self.lines, self.containers, strict=True):
            found.setdefault(container, _Packet()).add(line)
        return found

    @cached_property
    def below(self) -> list[_Packet]:
        found = [_Packet() for _ in self.page.elements]
        for line in self.lines:
            found[line.block].add(line)
        for index in range(len(found) - 1, 0, -1):
            found[self.page.parents[index]].include(found[index])
        return found

    def parent(self, index: int) -> int:
        return max(self.page.parents[index], 0)


def _hides(style: str) -> bool:
    squeezed = style.replace(" ", "").lower()
    return "display:none" in squeezed or "visibility:hidden" in squeezed


_Columns = Iterator[Sequence[float]]


def _of_line(view: _View) -> _Columns:
    lines, counts = view.lines, view.counts
    lengths = [len(line.text) for line in lines]
    digits = [len(_DIGIT.findall(line.text)) for line in lines]
    capitals = [sum(map(str.isupper, line.text)) for line in lines]
    ideographs = [
        sum(len(token) == 1 and token >= _FIRST_IDEOGRAPH for token in line.tokens)
        for line in lines
    ]
    yield counts
    yield [line.linked / count for line, count in zip(lines, counts, strict=True)]
    yield [line.sentences for line in lines]
    yield [line.sentences / count for line, count in zip(lines, counts, strict=True)]
    yield [length / count for length, count in zip(lengths, counts, strict=True)]
    yield [count / length for count, length in zip(digits, lengths, strict=True)]
    yield [count / length for count, length in zip(capitals, lengths, strict=True)]
    yield [count / all_ for count, all_ in zip(ideographs, counts, strict=True)]
    yield [len(_COMMA.findall(line.text)) for line in lines]
    yield [line.text.endswith(_ENDS) for line in lines]
    yield [line.text.endswith((":", "：")) for line in lines]
    yield [line.text[0].isupper() for line in lines]
    yield [_DATE.search(line.text) is not None for line in lines]
    yield [_QUOTES.search(line.text) is not None for line in lines]
    yield [_PARTERS.search(line.text) is not None for line in lines]


def _of_elements(view: _View) -> _Columns:
    blocks = [line.block for line in view.lines]
    places = [view.places[block] for block in blocks]
    yield [_TAG_NUMBERS.get(view.tags[block], UNKNOWN) for block in blocks]
    yield [_TAG_NUMBERS.get(view.tags[view.parent(block)], UNKNOWN) for block in blocks]
    yield [len(view.names[block] & BODY_NAMES) for block in blocks]
    yield [len(view.names[block] & OTHER_NAMES) for block in blocks]
    yield [place.depth for place in places]
    yield [place.body_names for place in places]
    yield [place.other_names for place in places]
    yield [place.sections for place in places]
    yield [place.uninteresting for place in places]
    yield [place.article for place in places]
    yield [place.lists for place in places]
    yield [place.tables for place in places]
    yield [place.hidden for place in places]


def _of_position(view: _View) -> _Columns:
    number = len(view.lines)
    words_before = np.cumsum([0, *view.counts])[:-1]
    prose = [
        count if line.is_prose else 0 for line, count in zip(view.lines, view.counts, strict=True)
    ]
    prose_before = np.cumsum([0, *prose])[:-1]
    yield list(range(number))
    yield [place / number for place in range(number)]
    yield list(words_before / view.total)
    yield list(prose_before / view.prose)
    yield [number] * number
    yield [view.total] * number


def _of_neighbours(view: _View) -> _Columns:
    lines, containers = view.lines, view.containers
    for offset in NEIGHBOURS:
        beside = [
            place + offset if 0 <= place + offset < len(lines) else None
            for place in range(len(lines))
        ]
        yield [UNKNOWN if at is None else view.counts[at] for at in beside]
        yield [UNKNOWN if at is None else lines[at].linked / view.counts[at] for at in beside]
        yield [UNKNOWN if at is None else lines[at].sentences for at in beside]
        yield [
            UNKNOWN if at is None else containers[at] == containers[place]
            for place, at in enumerate(beside)
        ]


def _of_packets(view: _View) -> _Columns:
    packets = [view.packets[container] for container in view.containers]
    densest = max(view.packets, key=lambda index: (view.packets[index].prose, -index))
    most = max(1.0, view.packets[densest].prose)
    yield [packet.sentences for packet in packets]
    yield [packet.prose for packet in packets]
    yield [packet.words for packet in packets]
    yield [packet.lines for packet in packets]
    yield [packet.link_density for packet in packets]
    yield [packet.prose_density for packet in packets]
    yield [packet.prose / view.prose for packet in packets]
    yield [packet.prose / most for packet in packets]
    yield [container == densest for container in view.containers]
    around = view.containers
    for _ in range(2):
        around = [view.parent(index) for index in around]
        below = [view.below[index] for index in around]
        yield [packet.prose / view.prose for packet in below]
        yield [packet.link_density for packet in below]
        yield [packet.prose_density for packet in below]
        yield [packet.lines for packet in below]


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
    title_tokens = set(words.tokens(title or ""))
    shown = next(
        (
            place
            for place, line in enumerate(view.lines)
            if heading is not None and heading <= line.block < page.ends[heading]
        ),
        None,
    )
    description = set(words.tokens(titles.declared_description(page.elements[0])))
    yield [kept[line.block] for line in view.lines]
    yield [index == container for index in view.containers]
    yield [-1000.0 if shown is None else place - shown for place in range(len(view.lines))]
    yield [_shared(line, title_tokens) / len(set(line.tokens)) for line in view.lines]
    yield [_shared(line, title_tokens) / max(1, len(title_tokens)) for line in view.lines]
    yield [
        _shared(line, description) / len(set(line.tokens)) if description else UNKNOWN
        for line in view.lines
    ]


def _shared(line: Line, tokens: set[str]) -> int:
    return len(tokens.intersection(line.tokens))


def _of_template(view: _View, knowledge: TemplateKnowledge | None) -> _Columns:
    if knowledge is None or not knowledge.pages:
        yield from [[UNKNOWN] * len(view.lines)] * 5
        return
    pages = len(knowledge.pages)
    digests = [digest_of(line.tokens) for line in view.lines]
    paths = Paths.of(view.page)
    known = knowledge.numbers_of(paths.steps)
    line_paths = [known[paths.numbers[line.block]] for line in view.lines]
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
    *("kept_by_sentences", "in_sentences_container", "lines_from_headline"),
    *("in_headline", "of_headline", "in_description"),
    *("text_on_other", "path_on_other", "lines_at_path", "words_at_path", "new_at_path"),
)
"""What is counted, in the order of the columns of `Evidence.rows`."""
