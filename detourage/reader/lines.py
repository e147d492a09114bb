"""Lines of a page, which are runs of text between block borders, and their paths."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.html.flat import Booleans, Integers
from detourage.reader.outline import Outline, rows
from detourage.text.caches import cached_if_short
from detourage.text.patterns import lazy_pattern
from detourage.text.texts import Count

Floats = npt.NDArray[np.float64]
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
    `linked` is the number of tokens in links, and `sentences` is the number of sentence ends.
    """

    number: int
    block: int
    text: str
    tokens: tuple[str, ...]
    linked: int
    sentences: int

    @property
    def is_prose(self) -> bool:
        """Whether the line contains a sentence and is less than half linked."""
        return self.sentences > 0 and 2 * self.linked < len(self.tokens)


def lines_of(page: Outline) -> list[Line]:
    """Return the lines of a page, in order."""
    texts, line_texts = page.tokenised, page.tokenised.line_texts
    with_tokens = np.flatnonzero(texts.counts[line_texts, Count.TOKENS])
    if not len(with_tokens):
        return []
    places = line_texts[with_tokens]
    starts = page.line_starts
    first_texts = starts[with_tokens]
    is_linked = page.link_numbers[page.text_parents] >= 0
    ends = texts.ends[places]
    ranges = zip((ends - texts.count(Count.TOKENS)[places]).tolist(), ends.tolist(), strict=True)
    return rows(
        Line,
        page.text_lines[first_texts].tolist(),
        page.block_numbers[page.text_parents[first_texts]].tolist(),
        map(texts.clean.__getitem__, places.tolist()),
        [tuple(texts.tokens[start:end]) for start, end in ranges],
        np.add.reduceat(page.text_sizes * is_linked, starts)[with_tokens].tolist(),
        texts.count(Count.SENTENCES)[places].tolist(),
    )


class LineColumns(NamedTuple):
    """The numbers of lines as columns, named as in `Line`; `words` counts the tokens."""

    numbers: Integers
    blocks: Integers
    words: Floats
    linked: Integers
    is_prose: Booleans


def columns_of(lines: Sequence[Line]) -> LineColumns:
    """Return the numbers of lines as columns."""
    numbers, blocks, _, tokens, linked, sentences = zip(*lines, strict=True) if lines else ((),) * 6
    words = np.array([*map(len, tokens)], dtype=np.float64)
    links = np.array(linked, dtype=np.int64)
    return LineColumns(
        np.array(numbers, dtype=np.int64),
        np.array(blocks, dtype=np.int64),
        words,
        links,
        (np.array(sentences, dtype=np.int64) > 0) & (2 * links < words),
    )
