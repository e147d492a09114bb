"""Location of a range of an article's text in its page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from detourage.article import Article
from detourage.html import Page, PageError, parse_page
from detourage.html.nodes import Paths, index_at
from detourage.html.source import ByteRange, PageSource
from detourage.messages import ArticleMessage
from detourage.text import words

MAX_QUOTE = 200
"""Maximum length of the quotation in a URL fragment; a longer range is represented by its first and
last words."""

CONTEXT_WORDS = 3
"""Number of words on either side of a fragment's quotation, which make it unique."""


MAX_CONTEXT = 60
"""Maximum length of the words on either side, in characters; the number of words alone is no limit
in languages that do not put spaces between them."""


class LocationError(ValueError):
    """The range of text cannot be located in the page."""


class LocatedBlock(NamedTuple):
    """A block of an article with its location in the page.

    Attributes
    ----------
    text
        Text of the block.
    start
        Character offset into the article's text.
    xpath
        Absolute XPath of its element.
    nodes
        Byte ranges of its text nodes; empty if unknown.
    """

    text: str
    start: int
    xpath: str
    nodes: Sequence[ByteRange] = ()


@dataclass(frozen=True)
class Passage:
    """A part of an article's text within one text node of its page.

    Attributes
    ----------
    text
        The part, as in the page.
    xpath
        Absolute XPath of the text node's parent, in the tree that a browser builds.
    start, end
        Character offsets into the concatenation of the parent's own text nodes.
    byte_start, byte_end
        Byte offsets into the page as fetched, or None if unknown.
    """

    text: str
    xpath: str
    start: int
    end: int
    byte_start: int | None = None
    byte_end: int | None = None


def located_blocks(article: Article) -> list[LocatedBlock]:
    """Return the blocks of an article that have a location."""
    return [
        LocatedBlock(
            block.text,
            block.start,
            absolute_path(article.xpath, block.xpath),
            [
                ByteRange(text.byte_start, text.byte_end)
                for text in block.texts
                if text.byte_start is not None and text.byte_end is not None
            ],
        )
        for block in article.blocks
        if block.xpath is not None
    ]


def blocks_in_message(message: ArticleMessage) -> list[LocatedBlock]:
    """Return the blocks of an article message that have a location."""
    return [
        LocatedBlock(
            block.text,
            block.start,
            absolute_path(message.xpath or "", block.xpath),
            [
                ByteRange(start, start + length)
                for _, _, start, length, *_ in block.texts
                if start is not None and length is not None
            ],
        )
        for block in message.blocks
        if block.xpath is not None
    ]


def absolute_path(base: str, path: str) -> str:
    """Return a path as an absolute one; it may be relative to the article's path, `base`."""
    if path.startswith("/"):
        return path
    return f"{base}/{path}" if path else base


def locate_in_message(
    content: bytes | str,
    content_type: str | None,
    message: ArticleMessage,
    start: int,
    end: int,
) -> list[Passage]:
    """Locate a range of an article message's text in the stored page.

    Raises the errors of `locate`, and `LocationError` if the page was rendered or is no longer
    stored in the same form.
    """
    if message.method.startswith("rendered-"):
        raise LocationError("the article was extracted from the page as rendered by a browser")
    blocks = blocks_in_message(message)
    if not blocks:
        raise LocationError(
            "the article has no locations: it comes from a script or an earlier version"
        )
    try:
        return locate(parse_page(content, content_type=content_type), blocks, start, end)
    except PageError as error:
        raise LocationError(f"the page cannot be parsed: {error}") from error


def locate(page: Page, blocks: Sequence[LocatedBlock], start: int, end: int) -> list[Passage]:
    """Locate a range of an article's text in its page.

    Parameters
    ----------
    page
        The page from which the article was extracted.
    blocks
        Blocks of the article, in order.
    start, end
        Character offsets into the article's text.

    Returns
    -------
    list of Passage
        One for each text node, in order.

    Raises
    ------
    LocationError
        If the range contains no text of the blocks, or the page is not the one from which the
        article was extracted.
    """
    if not 0 <= start < end:
        raise LocationError(f"{start} to {end} is not a range of characters")
    found: list[Passage] = []
    below: dict[int, Iterator[int]] = {}
    for block in blocks:
        first, last = max(start - block.start, 0), min(end - block.start, len(block.text))
        if first < last and block.text[first:last].strip():
            found += _located(page, block, first, last, below)
    if not found:
        raise LocationError(f"characters {start} to {end} are not part of a block with a location")
    return found


def _located(
    page: Page, block: LocatedBlock, first: int, last: int, below: dict[int, Iterator[int]]
) -> list[Passage]:
    element = index_at(page.flat, block.xpath)
    if element is None:
        raise LocationError(f"the page has no element at {block.xpath}")
    found = _aligned(page, block, _pieces_at(page, block.nodes), first, last)
    if found is None:
        # Any addition to a page shifts its bytes; if the byte ranges do not match, use the
        # element's texts. An element may hold many blocks, in order, so each continues where the
        # one before it ended.
        if element not in below:
            below[element] = PageSource.of(page).texts_below(element)
        found = _aligned(page, block, below[element], first, last)
    if found is None:
        raise LocationError(f"the page has no text {block.text[:40]!r} at {block.xpath}")
    return found


def _pieces_at(page: Page, nodes: Sequence[ByteRange]) -> list[int]:
    """Return the text nodes at the given byte ranges; empty unless all of them exist."""
    source = PageSource.of(page)
    ends = source.ranges[1]
    pieces: list[int] = []
    for start, end in nodes:
        piece = source.text_at.get(start)
        if piece is None:
            return []
        pieces.append(piece)
        # A single range may cover many text nodes.
        while ends[pieces[-1]] < end and pieces[-1] + 1 < len(ends):
            pieces.append(pieces[-1] + 1)
    return pieces


def _aligned(
    page: Page, block: LocatedBlock, pieces: Iterable[int], first: int, last: int
) -> list[Passage] | None:
    """Return the passages of part of a block, or None if the pieces do not contain its text."""
    flat, source = page.flat, PageSource.of(page)
    shown = _shown(block.text)
    wanted = [number for number, at in enumerate(shown) if first <= at < last]
    passages: list[Passage] = []
    at = 0
    for piece in pieces:
        text = flat.pieces.texts[piece]
        visible = _shown(text)
        characters = [text[each] for each in visible]
        expected = [block.text[each] for each in shown[at : at + len(visible)]]
        if not visible or characters != expected:
            continue
        inside = range(max(wanted[0], at), min(wanted[-1] + 1, at + len(visible)))
        if inside:
            begin, stop = visible[inside[0] - at], visible[inside[-1] - at] + 1
            offset = source.own_offset(piece)
            passages.append(
                Passage(
                    text[begin:stop],
                    Paths.of(flat).path(source.holders[piece]),
                    offset + begin,
                    offset + stop,
                    *(source.part_range(piece, begin, stop) or (None, None)),
                )
            )
        at += len(visible)
        if at > wanted[-1]:
            return passages
    return None


def _shown(text: str) -> list[int]:
    """Return the offsets of the characters that are neither whitespace nor invisible."""
    if text.isprintable():
        return [at for at, each in enumerate(text) if not each.isspace()]
    return [
        at for at, each in enumerate(text) if not each.isspace() and words.visible(each).strip()
    ]


def text_fragment(url: str, text: str, start: int, end: int) -> str:
    """Return a URL that makes a browser highlight a range of an article's text.

    The fragment (``#:~:text=``) quotes the range, with a few of the words before and after it in
    the same block.
    """
    if not text[start:end].strip():
        return url
    before = text[:start].rpartition("\n")[2].split()[-CONTEXT_WORDS:]
    after = text[end:].partition("\n")[0].split()[:CONTEXT_WORDS]
    lines = [line.split() for line in text[start:end].split("\n") if line.strip()]
    parts = [" ".join(line) for line in lines]
    if len(lines) > 1 or len(parts[0]) > MAX_QUOTE:
        first, last = " ".join(lines[0][:CONTEXT_WORDS]), " ".join(lines[-1][-CONTEXT_WORDS:])
        parts = [first[:MAX_CONTEXT], last[-MAX_CONTEXT:]]
    parts = [*map(_quoted, parts)]
    if before and text[start - 1 : start].isspace():
        parts.insert(0, _quoted(" ".join(before)[-MAX_CONTEXT:]) + "-")
    if after and text[end : end + 1].isspace():
        parts.append("-" + _quoted(" ".join(after)[:MAX_CONTEXT]))
    return f"{url.partition('#')[0]}#:~:text={','.join(parts)}"


def _quoted(text: str) -> str:
    """Percent-encode a text, including the hyphens and commas that separate a fragment's parts."""
    return quote(text, safe="").replace("-", "%2D")
