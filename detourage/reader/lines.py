"""Lines of a page, which are runs of text between block borders, and their paths."""

from typing import NamedTuple, Self

import numpy as np

from detourage.html.flat import Booleans, Integers
from detourage.reader.outline import Outline, rows
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.patterns import lazy_pattern
from detourage.text.texts import Count

_DIGIT = lazy_pattern(r"\d+")
_ASCII_DIGITS = dict.fromkeys(map(ord, "0123456789"))

Step = tuple[int, str]
"""The last step of a path, such as ``p.lead``, after the number of its parent path, or -1."""


class Paths(NamedTuple):
    """Numbered paths from the root to the block elements that contain text.

    A step is a tag with its class and ID. Digits are removed, because most of them are counters. A
    parent path has a lower number than its children. `numbers` is keyed by element.
    """

    steps: list[Step]
    numbers: dict[int, int]

    @classmethod
    def of(cls, page: Outline, known: dict[Step, int] | None = None) -> Self:
        """Assign a number to every path of a page, extending the `known` numbers of other pages."""
        by_step = {} if known is None else known
        numbers = {-1: -1}
        blocks, blocks_above = page.text_blocks
        steps: dict[tuple[int, int], str] = {}
        for block, block_above, tag, name in zip(
            blocks.tolist(),
            blocks_above.tolist(),
            page.flat.tag_numbers[blocks].tolist(),
            page.name_numbers[blocks].tolist(),
            strict=True,
        ):
            step = steps.get((tag, name))
            if step is None:
                classes = _without_digits(page.distinct_names[name])
                step = steps[tag, name] = f"{page.flat.distinct_tags[tag]}.{classes}"
            numbers[block] = by_step.setdefault((numbers[block_above], step), len(by_step))
        return cls(list(by_step), numbers)


@cached_if_short(4096)
def _without_digits(names: str) -> str:
    """Return class and ID sorted, separated by dots and without digits: ``"lead.post-"``."""
    plain = names.translate(_ASCII_DIGITS) if names.isascii() else _DIGIT.sub("", names)
    return ".".join(sorted(set(plain.split())))


class Line(NamedTuple):
    """A line with at least one token.

    `number` equals `TextNode.line`, `block` is the index of the nearest enclosing block element,
    `words` is the number of tokens, `linked` that of tokens in links, and `sentences` is the number
    of sentence ends.
    """

    number: int
    block: int
    text: str
    words: int
    linked: int
    sentences: int

    @property
    def is_prose(self) -> bool:
        """Whether the line contains a sentence and is less than half linked."""
        return self.sentences > 0 and 2 * self.linked < self.words

    @property
    def tokens(self) -> list[str]:
        """The tokens, computed at each access, because few lines need them."""
        return words.tokens(self.text)


class LineColumns(NamedTuple):
    """The numbers of a page's lines as columns, named as in `Line`.

    `texts` has the index of each line in `Outline.tokenised`, and `words` its number of tokens.
    """

    texts: Integers
    numbers: Integers
    blocks: Integers
    words: Integers
    linked: Integers
    sentences: Integers

    @property
    def is_prose(self) -> Booleans:
        """Mask of the lines that contain a sentence and are less than half linked."""
        return (self.sentences > 0) & (2 * self.linked < self.words)


def line_columns(page: Outline) -> LineColumns:
    """Return the numbers of a page's lines, computed once."""
    return page.cached(line_columns, lambda: _line_columns(page))


def _line_columns(page: Outline) -> LineColumns:
    texts = page.tokenised
    with_tokens = np.flatnonzero(texts.counts[texts.line_texts, Count.TOKENS])
    first_texts = page.line_starts[with_tokens]
    linked = page.text_sizes * (page.link_numbers[page.text_parents] >= 0)
    places = texts.line_texts[with_tokens]
    return LineColumns(
        places,
        page.text_lines[first_texts],
        page.block_numbers[page.text_parents[first_texts]],
        texts.count(Count.TOKENS)[places],
        np.add.reduceat(linked, page.line_starts)[with_tokens],
        texts.count(Count.SENTENCES)[places],
    )


def lines_of(page: Outline) -> list[Line]:
    """Return the lines of a page, in order."""
    columns = line_columns(page)
    return rows(
        Line,
        columns.numbers.tolist(),
        columns.blocks.tolist(),
        map(page.tokenised.clean.__getitem__, columns.texts.tolist()),
        columns.words.tolist(),
        columns.linked.tolist(),
        columns.sentences.tolist(),
    )
