"""Locations of an article's parts in its page, so that each part can be found there again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from detourage.article import Article, ArticleBlock, ArticleEmbed, ArticleImage, copy_with
from detourage.core import within_lines
from detourage.html import Page, _locations, _markup
from detourage.html.flat import Integers
from detourage.html.locations import Location, TextLocation, ValueLocations
from detourage.html.nodes import Paths, index_at
from detourage.html.source_positions import ByteRange, PageSource
from detourage.html.visible_text import without_text
from detourage.records import record
from detourage.text import words
from detourage.text.token_counts import character_tables

if TYPE_CHECKING:
    from detourage.comments import Comment
    from detourage.messages import ArticleMessage
    from detourage.messages import TextLocation as MessageText

_Medium = TypeVar("_Medium", ArticleImage, ArticleEmbed)

MAX_PATH_CHARACTERS = 200_000  # length of all paths together; further parts have no location
MAX_RATIO = 4  # length of a text relative to a value in it; longer texts may just mention the value
MAX_OCCURRENCES = 50  # occurrences of a value that are compared
MIN_VALUE_CHARACTERS = 3  # length of a value that is searched for; shorter ones occur anywhere


def without_locations(article: Article) -> Article:
    """Return an article without its indices of elements and texts, which refer to another page."""
    return replace(
        article,
        blocks=tuple(copy_with(each, pieces=()) for each in article.blocks),
        images=tuple(copy_with(each, element=None) for each in article.images),
        embeds=tuple(copy_with(each, element=None) for each in article.embeds),
        container=None,
        heading=None,
    )


def with_locations(page: Page, article: Article) -> Article:
    """Return an article with the locations of its parts in the page from which it was extracted."""
    locations = PageLocations(page, article.container)
    # Comments have a separate budget for paths, so that they do not use up the article's.
    comment_locations = PageLocations(page)
    return copy_with(
        article,
        blocks=locations.locate_blocks(article.blocks),
        images=tuple(map(locations.locate_medium, article.images)),
        embeds=tuple(map(locations.locate_medium, article.embeds)),
        comments=tuple(
            replace(each, location=comment_locations.locate_comment(each))
            for each in article.comments
        ),
        locations=locations.locate_values(article),
    )


class PageLocations:
    """Locates parts of a page; paths below the `container` are relative to it."""

    def __init__(self, page: Page, container: int | None = None) -> None:
        self._flat = page.flat
        self._container = container
        self._source = PageSource.of(page)
        self._paths = Paths.of(page.flat)
        self._budget = MAX_PATH_CHARACTERS

    def locate_medium(self, medium: _Medium) -> _Medium:
        """Return an image or embed with the location of its start tag."""
        element = medium.element
        if element is None or (path := self._path_within_budget(element)) is None:
            return medium
        start_tag = self._source.tag_range(element) or (None, None)
        return copy_with(medium, location=Location(path, None, *start_tag))

    def _path_within_budget(self, element: int) -> str | None:
        """Return the XPath of an element, or None if the budget of characters is exhausted."""
        if self._budget < 0:
            return None
        container, ends = self._container, self._flat.ends
        is_inside = container is not None and container <= element < ends[container]
        path = self._paths.path(element, container if container is not None and is_inside else -1)
        self._budget -= len(path)
        return path if self._budget >= 0 else None

    def locate_blocks(self, blocks: Sequence[ArticleBlock]) -> tuple[ArticleBlock, ...]:
        """Return the blocks with their locations."""
        if not blocks or not blocks[0].pieces:  # from a script
            return tuple(blocks)
        found, self._budget = _locations.locate(
            self._paths.tree,
            within_lines(self._flat),
            *self._source.ranges,
            character_tables().traits,
            -1 if self._container is None else self._container,
            self._budget,
            [(each.text, each.start, each.pieces, each.type == "code") for each in blocks],
        )
        return tuple(
            copy_with(block, xpath=location[0], texts=tuple(map(_text_location, location[1])))
            if location is not None
            else block
            for block, location in zip(blocks, found, strict=True)
        )

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
        if comment.element is None or self._path_within_budget(comment.element) is None:
            return None
        return self._locate_pieces(comment.element, map(self._flat.shown.item, comment.texts))

    def _locate_pieces(self, element: int, pieces: Iterable[int]) -> Location:
        """Return the location of an element's text nodes, from the first to the last."""
        text_range = self._source.text_range(*pieces) or (None, None)
        return Location(self._paths.path(element), None, *text_range)

    def _locate_value(self, value: str, near: int) -> Location | None:
        """Find a value in the text nearest to an element, or else in an attribute or a script."""
        if len(value) < MIN_VALUE_CHARACTERS:
            return None
        numbers, texts, starts = self._displayed
        holders = self._flat.pieces.parents
        found = [(int(numbers[each]), text) for each, text in _texts_with(texts, starts, value)]
        # A longer text may mention the value in passing.
        pieces = [piece for piece, text in found if len(text) <= MAX_RATIO * len(value)]
        attributes, attribute = self._flat.attributes, None
        if not pieces:
            values = _texts_with(attributes.utf8, attributes.starts, value)
            attribute = next((each for each, _ in values), None)
        if attribute is None and found:
            pieces = pieces or [piece for piece, _ in found]
            piece = min(pieces, key=lambda each: abs(int(holders[each]) - near))
            return self._locate_pieces(int(holders[piece]), [piece])
        if attribute is not None:
            element = int(attributes.owners[attribute])
            name = attributes.distinct[attributes.names[attribute]]
            tag = self._source.tag_range(element) or (None, None)
            return Location(self._paths.path(element), name, *tag)
        in_script = self._source.value_range(value)
        if in_script is None:
            return None
        script, value_range = in_script
        path = self._paths.path(int(holders[script]))
        return Location(path, None, *(value_range or (None, None)))

    @cached_property
    def _displayed(self) -> tuple[Integers, bytes, bytes]:
        """The displayed texts: indices, NUL-terminated UTF-8, and the offsets in this UTF-8."""
        is_silent = self._flat.within(without_text(self._flat))
        texts = _locations.displayed(self._paths.tree, is_silent)
        return np.flatnonzero(~is_silent[self._flat.pieces.parents]), texts, _markup.starts(texts)


_text_location = partial(tuple.__new__, TextLocation)  # faster than TextLocation._make


def _texts_with(utf8: bytes, starts: bytes, value: str) -> Iterator[tuple[int, str]]:
    """Yield the NUL-terminated texts that contain a value as whole words, with their indices."""
    wanted, offsets = value.encode("utf-8", "surrogatepass"), np.frombuffer(starts, np.int64)
    start = utf8.find(wanted)
    for _ in range(MAX_OCCURRENCES):
        if start < 0:
            return
        index = int(offsets.searchsorted(start, side="right")) - 1
        text_end = utf8.index(b"\x00", start)
        text = utf8[offsets.item(index) : text_end].decode()
        first = text.index(value)
        last = first + len(value)
        if not _continues(text[first - 1 : first]) and not _continues(text[last : last + 1]):
            yield index, text
        start = utf8.find(wanted, text_end)


def _continues(character: str) -> bool:
    """Return whether a character next to a value shows that the value is part of a longer word."""
    return character.isalnum() and not words.count_unspaced(character)


class LocationError(ValueError):
    """The range of text cannot be located in the page."""


class LocatedBlock(NamedTuple):
    """A block: its text, its offset in the article, its XPath and its text nodes' byte ranges."""

    text: str
    start: int
    xpath: str
    nodes: Sequence[ByteRange] = ()


@record
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


def located_blocks(article: Article | ArticleMessage) -> list[LocatedBlock]:
    """Return the blocks of an article or its message that have a location."""
    return [
        LocatedBlock(
            block.text,
            block.start,
            # It may be relative to the article's.
            path if path.startswith("/") else f"{article.xpath or ''}/{path}".removesuffix("/"),
            [*filter(None, map(_bytes_of, block.texts))],
        )
        for block in article.blocks
        if (path := block.xpath) is not None
    ]


def _bytes_of(text: TextLocation | MessageText) -> ByteRange | None:
    """Return the byte range of a text; messages contain the range's length instead of its end."""
    if isinstance(text, TextLocation):
        start, end = text.byte_start, text.byte_end
    else:
        start, length = text[2:4]
        end = None if start is None or length is None else start + length
    return None if start is None or end is None else ByteRange(start, end)


def locate(page: Page, blocks: Sequence[LocatedBlock], start: int, end: int) -> list[Passage]:
    """Return the passages of a page, one per text node, that display a range of an article's text.

    Raise `LocationError` if the range contains no text of the blocks, or the page lacks the text.
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
    """Return the passages of a range of a block; all blocks of the page share `texts_below`."""
    element = index_at(page.flat, block.xpath)
    if element is None:
        raise LocationError(f"the page has no element at {block.xpath}")
    passages = _aligned(page, block, _pieces_at(page, block.nodes), first, last)
    if passages is None:
        # Any addition to a page shifts its bytes; if the byte ranges do not match, use the
        # element's texts. An element may contain many blocks, in order, so each continues where
        # the previous one ended.
        if element not in texts_below:
            texts_below[element] = iter(PageSource.of(page).texts_below(element))
        passages = _aligned(page, block, texts_below[element], first, last)
    if passages is None:
        raise LocationError(f"the page has no text {block.text[:40]!r} at {block.xpath}")
    return passages


def _pieces_at(page: Page, nodes: Sequence[ByteRange]) -> list[int]:
    """Return the text nodes at the given byte ranges; empty unless all of them exist."""
    source = PageSource.of(page)
    ends = source.ranges[1].tolist()
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
            holder = int(flat.pieces.parents[piece])
            path, offset = Paths.of(flat).path(holder), source.own_offset(piece)
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
