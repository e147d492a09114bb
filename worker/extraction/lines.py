"""The lines of a page: the stretches of text between two borders of blocks."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from worker.extraction.outline import Outline, TextNode
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
    links = page.links
    lines: list[Line] = []
    end = 0
    for nodes in page.lines:
        start, linked = end, 0
        for node in nodes:
            end += node.size
            if links[node.parent] >= 0:
                linked += node.size
        raw = nodes[0].text if len(nodes) == 1 else "".join(node.text for node in nodes)
        text = words.clean(raw)
        is_whole = len(nodes) == 1 or _parted_by_spaces(nodes)
        is_whole = is_whole and not words.has_invisible(raw)
        tokens = page.tokens[start:end] if is_whole else words.tokens(text)
        if tokens:
            sentences = words.count_sentences(text)
            block = page.blocks[nodes[0].parent]
            lines.append(Line(nodes[0].line, block, text, tuple(tokens), linked, sentences))
    return lines


def _parted_by_spaces(nodes: Sequence[TextNode]) -> bool:
    """Say whether no word reaches from one text node into the next."""
    return all(
        before.text[-1].isspace() or after.text[0].isspace() for before, after in pairwise(nodes)
    )
