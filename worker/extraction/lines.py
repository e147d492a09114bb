"""The lines of a page: the stretches of text between two borders of blocks."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from worker.extraction.outline import Outline
from worker.language import words


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


def lines_of(page: Outline) -> list[Line]:
    """List the lines of a page, in order."""
    if not page.texts:
        return []
    starts = page.line_starts
    parents = page.text_parents
    linked = np.where(np.array(page.links)[parents] >= 0, page.text_sizes, 0)
    token_ends = np.cumsum(np.add.reduceat(page.text_sizes, starts)).tolist()
    text_starts = [*starts.tolist(), len(page.texts)]
    raw = page.flat.texts
    may_have_invisible = words.has_invisible("".join(raw))
    texts: list[str] = []
    tokens: list[tuple[str, ...]] = []
    sentences: list[int] = []
    for (first, last), (start, end) in zip(
        pairwise(text_starts), pairwise([0, *token_ends]), strict=True
    ):
        nodes = raw[first:last]
        if last - first == 1:
            text, is_whole = page.clean_texts[first], True
            sentences.append(page.text_sentences[first])
        else:
            text, is_whole = words.clean("".join(nodes)), _parted_by_spaces(nodes)
            sentences.append(words.count_sentences(text))
        if may_have_invisible:
            is_whole = is_whole and not any(map(words.has_invisible, nodes))
        texts.append(text)
        tokens.append(tuple(page.tokens[start:end] if is_whole else words.tokens(text)))
    lines = map(
        Line,
        page.text_lines[starts].tolist(),
        np.array(page.blocks)[parents[starts]].tolist(),
        texts,
        tokens,
        np.add.reduceat(linked, starts).tolist(),
        sentences,
    )
    return [line for line in lines if line.tokens]


def _parted_by_spaces(texts: Sequence[str]) -> bool:
    """Say whether no word reaches from one text into the next."""
    return all(before[-1].isspace() or after[0].isspace() for before, after in pairwise(texts))
