"""Visible text of a page, with the range of words in each element."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, PARAGRAPH, TextBlock
from benchmarks.evaluation.scores.words import Word, normalised, words_with_positions


def _name_set(names: str) -> frozenset[str]:
    return frozenset(names.split())


# These element names are repeated here rather than imported from the extractor, because a score
# must not depend on the code that it measures.
_HIDDEN = _name_set(
    "head script style noscript template svg math canvas select option datalist textarea button "
    "input iframe object embed applet video audio map"
)
_INLINE = _name_set(
    "a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr "
    "q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr"
)
_TYPES = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    **dict.fromkeys(("li", "dt", "dd"), LIST_ITEM),
}


@dataclass(frozen=True)
class PageText:
    """The visible text of a page as words, in document order.

    `blocks` are the texts between block boundaries that contain a word, with their
    ranges of words. `elements` are the distinct non-empty ranges of words of the page's elements.
    """

    words: list[str]
    blocks: list[tuple[TextBlock, range]]
    elements: list[range]
    _text: str
    _words_with_positions: list[Word]

    def within(self, span: range) -> Iterator[TextBlock]:
        """Yield the blocks in a range of words, clipping blocks that extend beyond the range."""
        for block, block_words in self.blocks:
            shared = range(max(block_words.start, span.start), min(block_words.stop, span.stop))
            if shared == block_words:
                yield block
            elif shared:
                start, end = (
                    self._words_with_positions[shared.start].start,
                    self._words_with_positions[shared.stop - 1].end,
                )
                yield block._replace(text=" ".join(self._text[start:end].split()))


@dataclass
class _TextWriter:
    """The text so far with its blocks, and the character range of each element in `spans`.

    `start` is the position at which the current block begins, and `size` the length of the text.
    """

    parts: list[str] = field(default_factory=list)
    size: int = 0
    blocks: list[tuple[str, int, int]] = field(default_factory=list)
    spans: set[tuple[int, int]] = field(default_factory=set)
    start: int = 0

    def write(self, text: str | None) -> None:
        if text:
            text = normalised(text)
            self.parts.append(text)
            self.size += len(text)

    def end_block(self, kind: str) -> None:
        """End the current block, if it has text, with a line break."""
        if self.size > self.start:
            self.blocks.append((kind, self.start, self.size))
            self.parts.append("\n")
            self.size += 1
        self.start = self.size


def page_text(document: HtmlElement) -> PageText:
    """Lay out the visible text of a parsed page, which is not modified."""
    writer = _TextWriter()
    types = [PARAGRAPH]
    starts: list[int] = []
    for event, element in _walk(document):
        if event == "start":
            if element.tag not in _INLINE:
                writer.end_block(types[-1])
                types.append(_TYPES.get(element.tag, types[-1]))
            starts.append(writer.size)
            if element.tag not in _HIDDEN:
                writer.write(element.text)
            continue
        if event == "end":
            if element.tag not in _INLINE:
                writer.end_block(types.pop())
            writer.spans.add((starts.pop(), writer.size))
        if element is not document:
            writer.write(element.tail)
    writer.end_block(types[-1])
    return _to_page_text(writer)


def _walk(document: HtmlElement) -> Iterator[tuple[str, HtmlElement]]:
    """Yield the start and end of each node in document order, skipping hidden content."""
    walk = etree.iterwalk(document, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start" and element.tag in _HIDDEN:
            walk.skip_subtree()
        yield event, element


def _to_page_text(writer: _TextWriter) -> PageText:
    """Split the text into words, and convert character positions into ranges of words."""
    text = "".join(writer.parts)
    placed = words_with_positions(text)
    blocks = []
    for kind, start, end in writer.blocks:
        block_words = _words_between(placed, start, end)
        if block_words:
            blocks.append((TextBlock(kind, " ".join(text[start:end].split())), block_words))
    elements = {
        block_words
        for start, end in writer.spans
        if (block_words := _words_between(placed, start, end))
    }
    return PageText(
        [word.text for word in placed],
        blocks,
        sorted(elements, key=lambda block_words: (block_words.start, block_words.stop)),
        text,
        placed,
    )


def _words_between(placed: list[Word], start: int, end: int) -> range:
    """Return the range of words that are entirely between two positions."""
    first = bisect_left(placed, start, key=lambda word: word.start)
    last = bisect_right(placed, end, key=lambda word: word.end)
    return range(first, max(first, last))
