"""Lines of a page: runs of text between block borders."""

from typing import NamedTuple

import numpy as np

from detourage.html.flat import Integers
from detourage.reader.outline import Outline
from detourage.text.texts import Count


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


def places_of_lines(page: Outline) -> Integers:
    """Return the indices of the lines that have at least one token."""
    return np.flatnonzero(page.said.texts.counts[page.said.of_lines, Count.TOKENS])


def lines_of(page: Outline) -> list[Line]:
    """Return the lines of a page, in order."""
    kept = places_of_lines(page)
    if not len(kept):
        return []
    texts = page.said.texts
    places = page.said.of_lines[kept]
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
