"""Lines of a page, which are runs of text between block borders, and their paths."""

import re
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from detourage.reader.outline import Outline
from detourage.text.caches import cached_if_short
from detourage.text.texts import Count

_DIGIT = re.compile(r"\d+")
_ASCII_DIGITS = dict.fromkeys(map(ord, "0123456789"))

Step = tuple[int, str]
"""The number of the parent path (-1 if there is none) and the last step of a path."""


@dataclass(frozen=True)
class Paths:
    """Numbered paths from the root to the block elements that hold text.

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
        blocks = page.block_numbers
        chosen = np.flatnonzero(page.has_text & (blocks == np.arange(len(blocks))))
        parents = page.flat.parents[chosen]
        steps: dict[tuple[int, int], str] = {}
        for index, around, tag, name in zip(
            chosen.tolist(),
            np.where(parents < 0, -1, blocks[parents]).tolist(),
            page.flat.tag_numbers[chosen].tolist(),
            page.name_numbers[chosen].tolist(),
            strict=True,
        ):
            step = steps.get((tag, name))
            if step is None:
                marks = _marks(page.distinct_names[name])
                step = steps[tag, name] = f"{page.flat.distinct_tags[tag]}.{marks}"
            numbers[index] = by_step.setdefault((numbers[around], step), len(by_step))
        return cls(list(by_step), numbers)


@cached_if_short(4096)
def _marks(names: str) -> str:
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
    texts, of_lines = page.tokenised.texts, page.tokenised.of_lines
    kept = np.flatnonzero(texts.counts[of_lines, Count.TOKENS])
    if not len(kept):
        return []
    places = of_lines[kept]
    starts = page.line_starts
    first = starts[kept]
    is_linked = page.link_numbers[page.text_parents] >= 0
    ends = texts.ends[places]
    stretches = zip((ends - texts.count(Count.TOKENS)[places]).tolist(), ends.tolist(), strict=True)
    return [
        *map(
            Line,
            page.text_lines[first].tolist(),
            page.block_numbers[page.text_parents[first]].tolist(),
            map(texts.clean.__getitem__, places.tolist()),
            [tuple(texts.tokens[start:end]) for start, end in stretches],
            np.add.reduceat(page.text_sizes * is_linked, starts)[kept].tolist(),
            texts.count(Count.SENTENCES)[places].tolist(),
        )
    ]
