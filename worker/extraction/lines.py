"""The lines of a page: the stretches of text between two borders of blocks."""

from dataclasses import dataclass

from worker.extraction import words
from worker.extraction.outline import Outline
from worker.extraction.vocabulary import INLINE


@dataclass(frozen=True)
class Line:
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
    for nodes in page.lines():
        text = words.clean("".join(node.text for node in nodes))
        tokens = tuple(words.tokens(text))
        if not tokens:
            continue
        lines.append(
            Line(
                number=nodes[0].line,
                block=page.nearest(nodes[0].parent, outside=INLINE),
                text=text,
                tokens=tokens,
                linked=sum(len(words.tokens(n.text)) for n in nodes if links[n.parent] >= 0),
                sentences=words.count_sentences(text),
            )
        )
    return lines
