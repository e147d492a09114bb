"""The lines of a page: the stretches of text between two borders of blocks."""

from typing import NamedTuple

import numpy as np

from worker.article.outline import Outline
from worker.html.flat import Integers
from worker.text.texts import Count


class Line(NamedTuple):
    """A line with at least one token.

    Attributes
    ----------
    number
        Its number in the outline, see `TextNode.line`.
    block
        Index of the nearest element around it that is no part of a line.
    text
        The line, clean.
    tokens
        Its tokens, in order.
    linked
        Number of tokens in links.
    sentences
        Number of sentence ends.
    """

    number: int
    block: int
    text: str
    tokens: tuple[str, ...]
    linked: int
    sentences: int

    @property
    def is_prose(self) -> bool:
        """Whether it holds a sentence, and less than half of it is in links."""
        return self.sentences > 0 and 2 * self.linked < len(self.tokens)


def places_of_lines(page: Outline) -> Integers:
    """Return which of the lines of a page's outline have a token."""
    return np.flatnonzero(page.said.texts.counts[page.said.of_lines, Count.TOKENS])


def lines_of(page: Outline) -> list[Line]:
    """List the lines of a page, in order."""
    kept = places_of_lines(page)
    if not len(kept):
        return []
    said = page.said.texts
    places = page.said.of_lines[kept]
    starts = page.line_starts
    first = starts[kept]
    is_linked = page.link_numbers[page.text_parents] >= 0
    ends = said.ends[places]
    stretches = zip((ends - said.count(Count.TOKENS)[places]).tolist(), ends.tolist(), strict=True)
    return [
        *map(
            Line,
            page.text_lines[first].tolist(),
            page.block_numbers[page.text_parents[first]].tolist(),
            map(said.clean.__getitem__, places.tolist()),
            [tuple(said.tokens[start:end]) for start, end in stretches],
            np.add.reduceat(page.text_sizes * is_linked, starts)[kept].tolist(),
            said.count(Count.SENTENCES)[places].tolist(),
        )
    ]
