"""Locations of an article's parts in its page, so that each part can be found there again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import numpy as np

from detourage.article import Article, ArticleBlock
from detourage.comments import Comment
from detourage.html import Page, PageError, parse_page
from detourage.html.flat import FlatDocument
from detourage.html.locations import Location, TextLocation, ValueLocations
from detourage.html.nodes import Paths, index_at
from detourage.html.source import ByteRange, PageSource
from detourage.html.text import within_sentences, without_text
from detourage.text import words

if TYPE_CHECKING:
    from detourage.messages import ArticleMessage

MAX_PATH_CHARACTERS = 200_000  # length of all paths together; further parts have no location
MAX_RATIO = 4  # length of a text relative to a value in it; a longer text may merely mention it
MAX_OCCURRENCES = 50  # occurrences of a value that are compared
MIN_VALUE_CHARACTERS = 3  # length of a value that is searched for; shorter ones occur anywhere


def without_locations(article: Article) -> Article:
    """Return an article without references into its markup, which is not the page's own."""
    return replace(
        article,
        blocks=tuple(replace(each, pieces=()) for each in article.blocks),
        images=tuple(replace(each, element=None) for each in article.images),
        embeds=tuple(replace(each, element=None) for each in article.embeds),
        container=None,
        heading=None,
    )


def with_locations(page: Page, article: Article) -> Article:
    """Return an article with the locations of its parts in the page from which it was extracted."""
    locations = PageLocations(page)
    # The limit on the length of the article's paths must not depend on its comments.
    comment_locations = PageLocations(page)
    return replace(
        article,
        blocks=tuple(locations.locate_blocks(article.blocks, article.container)),
        images=tuple(
            replace(each, location=locations.locate_element(each.element, article.container))
            for each in article.images
        ),
        embeds=tuple(
            replace(each, location=locations.locate_element(each.element, article.container))
            for each in article.embeds
        ),
        comments=tuple(
            replace(each, location=comment_locations.locate_comment(each))
            for each in article.comments
        ),
        locations=locations.locate_values(article),
    )


@dataclass(frozen=True)
class PageLocations:
    """Locator of parts of a page; `budget[0]` is the number of characters left for their XPaths."""

    page: Page
    budget: list[int] = field(default_factory=lambda: [MAX_PATH_CHARACTERS])

    def _can_afford(self, paths: Iterable[str]) -> bool:
        """Reduce the budget by the length of some paths; return False if they exceed it."""
        self.budget[0] -= sum(map(len, paths))
        return self.budget[0] >= 0

    @cached_property
    def _paths(self) -> Paths:
        return Paths.of(self.page.flat)

    @cached_property
    def _flat(self) -> FlatDocument:
        return self.page.flat

    @cached_property
    def _source(self) -> PageSource:
        return PageSource.of(self.page)

    def locate_element(self, element: int | None, container: int | None) -> Location | None:
        """Return the location of an element's start tag."""
        if element is None:
            return None
        path = self._path(element, container)
        if not self._can_afford([path]):
            return None
        return Location(path, None, *(self._source.tag_range(element) or (None, None)))

    def locate_blocks(
        self, blocks: Sequence[ArticleBlock], container: int | None
    ) -> Iterator[ArticleBlock]:
        """Yield the blocks with their locations."""
        for block in blocks:
            if not block.pieces or self.budget[0] < 0:
                yield block
                continue
            element = self._element_around(block.pieces)
            path = self._path(element, container)
            texts = tuple(self._texts_of(block, element))
            fits_budget = self._can_afford([path, *(text.xpath for text in texts)])
            yield replace(block, xpath=path, texts=texts) if fits_budget else block

    def locate_values(self, article: Article) -> ValueLocations:
        """Return the locations of the title, lead, authors and dates."""
        heading, metadata = article.heading, article.metadata
        near = heading if heading is not None else article.container or 0

        def locate(value: str | None) -> Location | None:
            return self._locate_value(words.clean(value), near) if value else None

        published, modified = metadata.published, metadata.modified
        if heading is None:
            title = locate(article.title)
        else:
            title = self._locate_pieces(heading, self._source.texts_below(heading))
        return ValueLocations(
            title=title,
            lead=locate((metadata.lead or "").partition("\n")[0]),
            authors=tuple(map(locate, metadata.authors)),
            published=locate(published.written) if published is not None else None,
            modified=locate(modified.written) if modified is not None else None,
        )

    def locate_comment(self, comment: Comment) -> Location | None:
        """Return the location of a comment's text."""
        if comment.element is None:
            return None
        if not self._can_afford([self._paths.path(comment.element)]):
            return None
        texts = [self._not_blank[each] for each in comment.texts]
        return self._locate_pieces(comment.element, texts)

    def _path(self, element: int, container: int | None) -> str:
        """Return the XPath of an element, relative to the container if that is around it."""
        if container is not None and container <= element < self._flat.ends[container]:
            return self._paths.path(element, container)
        return self._paths.path(element)

    def _element_around(self, pieces: Sequence[int]) -> int:
        """Return the innermost element around text nodes that is not inline."""
        is_inline, parents, ends = self._columns
        holders = [self._source.holders[each] for each in pieces]
        element, last = min(holders), max(holders)
        while (last >= ends[element] or is_inline[element]) and parents[element] >= 0:
            element = parents[element]
        return element

    @cached_property
    def _columns(self) -> tuple[list[bool], list[int], list[int]]:
        """Whether each element is inline, its parent, and the end of its descendants."""
        flat = self._flat
        return within_sentences(flat).tolist(), flat.parents.tolist(), flat.ends.tolist()

    def _texts_of(self, block: ArticleBlock, element: int) -> Iterator[TextLocation]:
        """Yield the locations of a block's text nodes, with XPaths relative to its element."""
        starts, ends = self._source.ranges
        source, pieces, is_code = self._source, self._flat.pieces, block.type == "code"
        end = 0
        for piece in block.pieces:
            raw = pieces.texts[piece]
            text = words.clean_verbatim(raw).strip() if is_code else words.clean(raw)
            while end < len(block.text) and block.text[end].isspace():
                end += 1
            if not text or not block.text.startswith(text, end):
                continue
            start, end = end, end + len(text)
            path = self._paths.path(source.holders[piece], element)
            offset = source.own_offset(piece) + raw.index(text[0])
            byte_range = (starts[piece], ends[piece]) if starts[piece] >= 0 else (None, None)
            yield TextLocation(block.start + start, block.start + end, path, offset, *byte_range)

    def _locate_pieces(self, element: int, pieces: Iterable[int]) -> Location:
        """Return the location of an element's text nodes, from the first to the last."""
        ranges = [text_range for each in pieces if (text_range := self._source.text_range(each))]
        path = self._paths.path(element)
        if not ranges:
            return Location(path)
        return Location(path, None, min(ranges)[0], max(each.end for each in ranges))

    @cached_property
    def _not_blank(self) -> list[int]:
        """The indices of the text nodes that are not blank."""
        texts = self._flat.pieces.texts
        return [number for number, text in enumerate(texts) if not text.isspace()]

    def _locate_value(self, value: str, near: int) -> Location | None:
        """Find a value in the text nearest to an element, or else in an attribute or a script."""
        if len(value) < MIN_VALUE_CHARACTERS:
            return None
        flat, holders = self._flat, self._source.holders
        numbers, texts, values = self._displayed
        all_pieces = [numbers[each] for each in _texts_with(texts, value)]
        # A longer text may mention the value in passing.
        max_length = MAX_RATIO * len(value)
        pieces = [each for each in all_pieces if len(flat.pieces.texts[each]) <= max_length]
        attribute = next(_texts_with(values, value), None)
        if pieces or (all_pieces and attribute is None):
            piece = min(pieces or all_pieces, key=lambda each: abs(holders[each] - near))
            return self._locate_pieces(holders[piece], [piece])
        if attribute is not None:
            element = int(flat.attributes.owners[attribute])
            name = flat.attributes.distinct[flat.attributes.names[attribute]]
            tag = self._source.tag_range(element) or (None, None)
            return Location(self._paths.path(element), name, *tag)
        for piece, text in enumerate(flat.pieces.texts):
            if value in text:
                value_range = self._source.value_range(piece, value) or (None, None)
                return Location(self._paths.path(holders[piece]), None, *value_range)
        return None

    @cached_property
    def _displayed(self) -> tuple[list[int], str, str]:
        """The indices of the displayed texts, and these texts and all attributes joined by NUL."""
        flat = self._flat
        is_silent = flat.within(without_text(flat))
        numbers: list[int] = np.flatnonzero(~is_silent[flat.pieces.parents]).tolist()
        texts = "\x00".join([flat.pieces.texts[each] for each in numbers])
        return numbers, texts, "\x00".join(flat.attributes.values)


def _texts_with(joined: str, value: str) -> Iterator[int]:
    """Yield the indices of the NUL-separated texts that contain a value between word boundaries."""
    index, counted = 0, 0
    start = joined.find(value)
    for _ in range(MAX_OCCURRENCES):
        if start < 0:
            return
        index += joined.count("\x00", counted, start)
        counted, end = start, start + len(value)
        if not _continues(joined[start - 1 : start]) and not _continues(joined[end : end + 1]):
            yield index
        next_text = joined.find("\x00", start)
        start = joined.find(value, next_text) if next_text >= 0 else -1


def _continues(character: str) -> bool:
    """Return whether a character next to a value shows that the value is part of a longer word."""
    return character.isalnum() and not words.count_unspaced(character)


MAX_QUOTE_CHARACTERS = 200  # quotation in a URL fragment; only the ends of a longer one are quoted
CONTEXT_WORDS = 3  # Number of words on either side of a fragment's quotation, which make it unique
MAX_CONTEXT_CHARACTERS = 60  # context on either side, in scripts without spaces between words


class LocationError(ValueError):
    """The range of text cannot be located in the page."""


class LocatedBlock(NamedTuple):
    """A block: its text, its offset in the article, its XPath and its text nodes' byte ranges."""

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
            _absolute_path(article.xpath, block.xpath),
            [
                ByteRange(text.byte_start, text.byte_end)
                for text in block.texts
                if text.byte_start is not None and text.byte_end is not None
            ],
        )
        for block in article.blocks
        if block.xpath is not None
    ]


def _absolute_path(base: str | None, path: str) -> str:
    """Return an absolute XPath, given one that may be relative to `base`, the article's."""
    return path if path.startswith("/") else f"{base or ''}/{path}".removesuffix("/")


def locate_in_message(
    content: bytes | str, content_type: str | None, message: "ArticleMessage", start: int, end: int
) -> list[Passage]:
    """Locate a range of an article message's text in the stored page.

    Raise `LocationError` as in `locate`, or if the page was rendered or is stored in another form.
    """
    if message.method.startswith("rendered-"):
        raise LocationError("the article was extracted from the page as rendered by a browser")
    blocks = [
        LocatedBlock(
            block.text,
            block.start,
            _absolute_path(message.xpath, block.xpath),
            [
                ByteRange(start, start + length)
                for _, _, start, length, *_ in block.texts
                if start is not None and length is not None
            ],
        )
        for block in message.blocks
        if block.xpath is not None
    ]
    if not blocks:
        raise LocationError(
            "the article has no locations: it comes from a script or an earlier version"
        )
    try:
        return locate(parse_page(content, content_type=content_type), blocks, start, end)
    except PageError as error:
        raise LocationError(f"the page cannot be parsed: {error}") from error


def locate(page: Page, blocks: Sequence[LocatedBlock], start: int, end: int) -> list[Passage]:
    """Return the passages of a page, one per text node, that display a range of an article's text.

    Raise `LocationError` if the range contains no text of the blocks, or the page is another one.
    """
    if not 0 <= start < end:
        raise LocationError(f"{start} to {end} is not a range of characters")
    passages: list[Passage] = []
    texts_below: dict[int, Iterator[int]] = {}
    for block in blocks:
        first, last = max(start - block.start, 0), min(end - block.start, len(block.text))
        if first < last and block.text[first:last].strip():
            passages += _passages_of(page, block, first, last, texts_below)
    if not passages:
        raise LocationError(f"characters {start} to {end} are not part of a block with a location")
    return passages


def _passages_of(
    page: Page, block: LocatedBlock, first: int, last: int, texts_below: dict[int, Iterator[int]]
) -> list[Passage]:
    """Return the passages of a range of a block; `texts_below` is kept between the blocks."""
    element = index_at(page.flat, block.xpath)
    if element is None:
        raise LocationError(f"the page has no element at {block.xpath}")
    passages = _aligned(page, block, _pieces_at(page, block.nodes), first, last)
    if passages is None:
        # Any addition to a page shifts its bytes; if the byte ranges do not match, use the
        # element's texts. An element may contain many blocks, in order, so each continues where
        # the previous one ended.
        if element not in texts_below:
            texts_below[element] = PageSource.of(page).texts_below(element)
        passages = _aligned(page, block, texts_below[element], first, last)
    if passages is None:
        raise LocationError(f"the page has no text {block.text[:40]!r} at {block.xpath}")
    return passages


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
    """Return the passages of part of a block, or None if the pieces do not contain its text.

    Only visible characters are compared, because the article's whitespace is normalised.
    """
    flat, source = page.flat, PageSource.of(page)
    block_offsets = _visible_offsets(block.text)
    wanted = [index for index, offset in enumerate(block_offsets) if first <= offset < last]
    passages: list[Passage] = []
    compared = 0
    for piece in pieces:
        text = flat.pieces.texts[piece]
        text_offsets = _visible_offsets(text)
        next_compared = compared + len(text_offsets)
        characters = [text[offset] for offset in text_offsets]
        expected = [block.text[each] for each in block_offsets[compared:next_compared]]
        if not text_offsets or characters != expected:
            continue
        inside = range(max(wanted[0], compared), min(wanted[-1] + 1, next_compared))
        if inside:
            start, end = text_offsets[inside[0] - compared], text_offsets[inside[-1] - compared] + 1
            path, offset = Paths.of(flat).path(source.holders[piece]), source.own_offset(piece)
            byte_range = source.part_range(piece, start, end) or (None, None)
            offsets = (offset + start, offset + end)
            passages.append(Passage(text[start:end], path, *offsets, *byte_range))
        compared = next_compared
        if compared > wanted[-1]:
            return passages
    return None


def _visible_offsets(text: str) -> list[int]:
    """Return the offsets of the characters that are neither whitespace nor invisible."""
    offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
    if text.isprintable():
        return offsets
    return [offset for offset in offsets if words.visible(text[offset]).strip()]


def text_fragment(url: str, text: str, start: int, end: int) -> str:
    """Return a URL with which a browser highlights a text (``#:~:text=before-,text,-after``)."""
    if not text[start:end].strip():
        return url
    before = text[:start].rpartition("\n")[2].split()[-CONTEXT_WORDS:]
    after = text[end:].partition("\n")[0].split()[:CONTEXT_WORDS]
    lines = [line.split() for line in text[start:end].split("\n") if line.strip()]
    parts = [" ".join(line) for line in lines]
    if len(lines) > 1 or len(parts[0]) > MAX_QUOTE_CHARACTERS:
        first, last = " ".join(lines[0][:CONTEXT_WORDS]), " ".join(lines[-1][-CONTEXT_WORDS:])
        parts = [first[:MAX_CONTEXT_CHARACTERS], last[-MAX_CONTEXT_CHARACTERS:]]
    parts = [*map(_percent_encoded, parts)]
    if before and text[start - 1 : start].isspace():
        parts.insert(0, _percent_encoded(" ".join(before)[-MAX_CONTEXT_CHARACTERS:]) + "-")
    if after and text[end : end + 1].isspace():
        parts.append("-" + _percent_encoded(" ".join(after)[:MAX_CONTEXT_CHARACTERS]))
    return f"{url.partition('#')[0]}#:~:text={','.join(parts)}"


def _percent_encoded(text: str) -> str:
    """Percent-encode a text, including the hyphens and commas that separate a fragment's parts."""
    return quote(text, safe="").replace("-", "%2D")
