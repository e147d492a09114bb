"""Locations of an article's parts in its page, so that each part can be found there again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import numpy as np

from detourage.article import Article, ArticleBlock, ArticleMetadata
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
MAX_AROUND = 4  # length of a text relative to a value in it; a longer text may merely mention it
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
    # Another locator, because the limit on the article's paths must not depend on the comments.
    other = PageLocations(page)
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
            replace(each, location=other.locate_comment(each)) for each in article.comments
        ),
        locations=locations.locate_values(article),
    )


@dataclass(frozen=True)
class PageLocations:
    """Locator of elements, texts and values; `budget` is the length left for further paths."""

    page: Page
    budget: list[int] = field(default_factory=lambda: [MAX_PATH_CHARACTERS])

    def _can_afford(self, paths: Iterable[str]) -> bool:
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
            is_short = self._can_afford([path, *(text.xpath for text in texts)])
            yield replace(block, xpath=path, texts=texts) if is_short else block

    def locate_values(self, article: Article) -> ValueLocations:
        """Return the locations of the title, lead, authors and dates."""
        near = article.heading if article.heading is not None else article.container or 0
        metadata: ArticleMetadata = article.metadata

        def found(value: str | None) -> Location | None:
            return self._locate_value(words.clean(value), near) if value else None

        published, modified = metadata.published, metadata.modified
        title = article.heading
        return ValueLocations(
            title=found(article.title)
            if title is None
            else self._locate_pieces(title, self._source.texts_below(title)),
            lead=found((metadata.lead or "").partition("\n")[0]),
            authors=tuple(map(found, metadata.authors)),
            published=found(published.written) if published is not None else None,
            modified=found(modified.written) if modified is not None else None,
        )

    def locate_comment(self, comment: Comment) -> Location | None:
        """Return the location of a comment's text."""
        if comment.element is None:
            return None
        if not self._can_afford([self._paths.path(comment.element)]):
            return None
        texts = [self._shown[each] for each in comment.texts]
        return self._locate_pieces(comment.element, texts)

    def _path(self, element: int, container: int | None) -> str:
        if container is not None and container <= element < self._flat.ends[container]:
            return self._paths.path(element, container)
        return self._paths.path(element)

    def _element_around(self, pieces: Sequence[int]) -> int:
        """Return the innermost element around text nodes, except elements within sentences."""
        is_inline, above, ends = self._columns
        parents = [self._source.holders[each] for each in pieces]
        element, last = min(parents), max(parents)
        while (last >= ends[element] or is_inline[element]) and above[element] >= 0:
            element = above[element]
        return element

    @cached_property
    def _columns(self) -> tuple[list[bool], list[int], list[int]]:
        """Whether each element is within a line, its parent, and the end of its descendants."""
        flat = self._flat
        return within_sentences(flat).tolist(), flat.parents.tolist(), flat.ends.tolist()

    def _texts_of(self, block: ArticleBlock, element: int) -> Iterator[TextLocation]:
        starts, ends = self._source.ranges
        source, pieces, is_code = self._source, self._flat.pieces, block.type == "code"
        at = 0
        for piece in block.pieces:
            raw = pieces.texts[piece]
            text = words.clean_verbatim(raw).strip() if is_code else words.clean(raw)
            while at < len(block.text) and block.text[at].isspace():
                at += 1
            if not text or not block.text.startswith(text, at):
                continue
            start, at = at, at + len(text)
            parent, from_byte = source.holders[piece], starts[piece]
            yield TextLocation(
                block.start + start,
                block.start + at,
                self._paths.path(parent, element),
                source.own_offset(piece) + raw.index(text[0]),
                from_byte if from_byte >= 0 else None,
                ends[piece] if from_byte >= 0 else None,
            )

    def _locate_pieces(self, element: int, pieces: Iterable[int]) -> Location:
        ranges = [found for each in pieces if (found := self._source.text_range(each))]
        path = self._paths.path(element)
        if not ranges:
            return Location(path)
        return Location(path, None, min(ranges)[0], max(each.end for each in ranges))

    @cached_property
    def _shown(self) -> list[int]:
        """The indices of the text nodes that are not blank."""
        texts = self._flat.pieces.texts
        return [number for number, text in enumerate(texts) if not text.isspace()]

    def _locate_value(self, value: str, near: int) -> Location | None:
        """Find a value in the text nearest to an element, or else in an attribute or a script."""
        if len(value) < MIN_VALUE_CHARACTERS:
            return None
        flat, holders = self._flat, self._source.holders
        numbers, texts, values = self._displayed
        shown = [numbers[each] for each in _holding(texts, value)]
        # A longer text may mention the value in passing.
        own = [each for each in shown if len(flat.pieces.texts[each]) <= MAX_AROUND * len(value)]
        attribute = next(_holding(values, value), None)
        if own or (shown and attribute is None):
            piece = min(own or shown, key=lambda each: abs(holders[each] - near))
            return self._locate_pieces(holders[piece], [piece])
        if attribute is not None:
            element = int(flat.attributes.owners[attribute])
            name = flat.attributes.distinct[flat.attributes.names[attribute]]
            tag = self._source.tag_range(element) or (None, None)
            return Location(self._paths.path(element), name, *tag)
        for piece, text in enumerate(flat.pieces.texts):
            if value in text:
                within = self._source.value_range(piece, value) or (None, None)
                return Location(self._paths.path(holders[piece]), None, *within)
        return None

    @cached_property
    def _displayed(self) -> tuple[list[int], str, str]:
        """The indices of the displayed texts, and these texts and all attributes joined by NUL."""
        flat = self._flat
        silent = flat.within(without_text(flat))
        numbers: list[int] = np.flatnonzero(~silent[flat.pieces.parents]).tolist()
        texts = "\x00".join([flat.pieces.texts[each] for each in numbers])
        return numbers, texts, "\x00".join(flat.attributes.values)


def _holding(joined: str, value: str) -> Iterator[int]:
    """Yield the indices of the NUL-separated texts that contain a value between word boundaries."""
    number, counted = 0, 0
    at = joined.find(value)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return
        number += joined.count("\x00", counted, at)
        counted = at
        if not _continues(joined[at - 1 : at]) and not _continues(
            joined[at + len(value) : at + len(value) + 1]
        ):
            yield number
        after = joined.find("\x00", at)
        at = joined.find(value, after) if after >= 0 else -1


def _continues(character: str) -> bool:
    """Return whether a character next to a value shows that the value is part of a longer word."""
    return character.isalnum() and not words.count_unspaced(character)


MAX_QUOTE = 200  # length of a quotation in a URL fragment; only the ends of a longer one are quoted
CONTEXT_WORDS = 3  # Number of words on either side of a fragment's quotation, which make it unique
MAX_CONTEXT = 60  # length of the context on either side, for scripts without spaces between words


class LocationError(ValueError):
    """The range of text cannot be located in the page."""


class LocatedBlock(NamedTuple):
    """A block of an article, its offset in the text, absolute XPath, and its texts' byte ranges."""

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
            _absolute(article.xpath, block.xpath),
            [
                ByteRange(text.byte_start, text.byte_end)
                for text in block.texts
                if text.byte_start is not None and text.byte_end is not None
            ],
        )
        for block in article.blocks
        if block.xpath is not None
    ]


def _absolute(base: str | None, path: str) -> str:
    """Return an absolute path, given one that may be relative to `base`, the article's path."""
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
            _absolute(message.xpath, block.xpath),
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
    """Locate a range of an article's text, in characters, in its page: a passage per text node.

    Raise `LocationError` if the range contains no text of the blocks, or the page is another one.
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
    """Return a URL that makes a browser highlight a range of a text (``#:~:text=``)."""
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
