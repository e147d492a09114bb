"""Positions of a page's elements and texts in its source."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from detourage.html import _markup
from detourage.html.encoding import BYTE_ORDER_MARKS, codec_of
from detourage.html.flat import FlatDocument, Integers

if TYPE_CHECKING:
    from detourage.html.page import Page

# Elements whose text is no markup; a comment or the beginning of a start tag; a whole start tag
_RAW_TEXT = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
_START_TAG = re.compile(rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?P<name>[a-zA-Z][^\s/>]*)", re.DOTALL)
_WHOLE_TAG = re.compile(rb"<[^\"'>]*+(?:\"[^\"]*+\"[^\"'>]*+|'[^']*+'[^\"'>]*+)*+>")
MANY_TEXTS = 50  # number of texts above which they are compared with NumPy instead of one by one
MAX_GAP_BYTES = 100_000  # bytes between two texts that are searched for the tags between them


class ByteRange(NamedTuple):
    """Byte offsets into a page as fetched."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A page as fetched, and the text that was parsed, in UTF-8.

    `raw` is None for a page given as text, whose offsets are those of `utf8`. `encoding` is None if
    `raw` equals `utf8` apart from a byte order mark. If `is_changed` is true, the text was
    repaired, so offsets are unknown.
    """

    raw: bytes | None
    utf8: bytes
    encoding: str | None = None
    is_changed: bool = False

    @cached_property
    def _mark_length(self) -> int:
        """The length of the byte order mark, or 0."""
        raw = self.raw or b""
        return next((len(mark) for mark, _ in BYTE_ORDER_MARKS if raw.startswith(mark)), 0)

    def raw_offsets(self, offsets: Integers) -> Integers | None:
        """Convert offsets into `utf8` to offsets into the page as fetched, or return None."""
        if self.is_changed:
            return None
        if self.raw is None:
            return offsets
        if self.encoding is None:
            return offsets + self._mark_length
        if self._raw_starts is None:
            return None
        return self._raw_starts[self._characters_before[offsets]] + self._mark_length

    @cached_property
    def _characters_before(self) -> Integers:
        """The number of characters before each offset into `utf8`."""
        is_start = (np.frombuffer(self.utf8, np.uint8) & 0xC0) != 0x80
        return np.concatenate([[0], np.cumsum(is_start)])

    @cached_property
    def _raw_starts(self) -> Integers | None:
        """The offset of each character in `raw` after the mark, or None if that is unknown."""
        raw = (self.raw or b"")[self._mark_length :]
        text = self.utf8.decode()
        if self.encoding == "utf-8":
            lengths = _utf8_lengths(raw)
        elif len(raw) == len(text):
            return np.arange(len(raw) + 1)
        else:
            # A character that cannot be encoded has length 0.
            encode = codec_of(self.encoding or "").encode
            distinct, numbers = np.unique(_code_points(text), return_inverse=True)
            distinct_lengths = [len(encode(chr(code), "ignore")[0]) for code in distinct.tolist()]
            lengths = np.array(distinct_lengths, dtype=np.int64)[numbers]
        if len(lengths) != len(text) or lengths.sum() != len(raw):
            return None
        return np.concatenate([[0], np.cumsum(lengths)])


def _utf8_lengths(raw: bytes) -> Integers:
    """Return the number of bytes of each character, where a run of invalid bytes counts as one."""
    text = raw.decode("utf-8", "surrogateescape")
    codes = _code_points(text)
    is_invalid = (codes >= 0xDC80) & (codes <= 0xDCFF)
    lengths = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000).astype(np.int64)
    lengths[is_invalid] = 1
    is_first = ~is_invalid
    is_first[1:] |= ~is_invalid[:-1]
    is_first[:1] = True
    return np.add.reduceat(lengths, np.flatnonzero(is_first)) if len(lengths) else lengths


def _code_points(text: str) -> Integers:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)


class PageSource:
    """Positions of a parsed page's elements and texts, all of which are unknown without a source.

    A text is identified by its index in `FlatDocument.pieces`.
    """

    def __init__(self, flat: FlatDocument, source: Source | None = None) -> None:
        self._flat = flat
        self._source = source
        self._after: list[int] = flat.pieces.after.tolist()
        self.holders: list[int] = flat.pieces.parents.tolist()  # the parent of each text
        self._last_own_offsets: dict[int, tuple[int, int]] = {}
        self._tag_offsets: dict[tuple[int, int], dict[int, int]] = {}

    @classmethod
    def of(cls, page: "Page") -> Self:
        """Return the positions in a page, computed once."""
        return page.flat.once("positions", lambda: cls(page.flat, page.source))

    def text_range(self, piece: int) -> ByteRange | None:
        """Return the range of a text in the page, without ASCII white space around it."""
        starts, ends = self.ranges
        return ByteRange(starts[piece], ends[piece]) if starts[piece] >= 0 else None

    def part_range(self, piece: int, start: int, end: int) -> ByteRange | None:
        """Return the range in the page of the characters `start` to `end` of a text."""
        text = self._flat.pieces.texts[piece]
        text_start, text_end = (int(offsets[piece]) for offsets in self._offsets)
        if text_start < 0 or self._source is None:
            return None
        parts = [text[:start], text[start:end], text[end:]]
        positions = _markup.positions(self._source.utf8[text_start:text_end], parts, False)
        part = text_start + np.array([np.frombuffer(each, np.int64)[1] for each in positions])
        raw = self._source.raw_offsets(part) if part[0] >= text_start else None
        return None if raw is None else ByteRange(*raw.tolist())

    def own_offset(self, piece: int) -> int:
        """Return the number of characters before a text in its parent's own text nodes."""
        parent = self.holders[piece]
        # Texts are usually requested in order, so counting continues at the last one requested.
        last, offset = self._last_own_offsets.get(parent, (piece + 1, 0))
        if last > piece:
            last, offset = bisect_left(self._after, parent), 0
        between: Iterable[int] = range(last, piece)
        if piece - last > MANY_TEXTS:
            is_own = self._flat.pieces.parents[last:piece] == parent
            between = (np.flatnonzero(is_own) + last).tolist()
        for text in between:
            if self.holders[text] == parent:
                offset += len(self._flat.pieces.texts[text])
        self._last_own_offsets[parent] = piece, offset
        return offset

    def tag_range(self, element: int) -> ByteRange | None:
        """Return the range of an element's start tag, or None if it is uncertain.

        It is certain if, between the nearest texts with known positions, the source has as many
        tags with this name as the tree, so that they correspond in order.
        """
        if self._source is None:
            return None
        next_text = bisect_left(self._after, element)
        gap = int(self._known_before[next_text]), int(self._known_after[next_text])
        if gap not in self._tag_offsets:
            self._tag_offsets[gap] = self._tags_between(*gap)
        start = self._tag_offsets[gap].get(element)
        match = _WHOLE_TAG.match(self._source.utf8, start) if start is not None else None
        if match is None:
            return None
        raw = self._source.raw_offsets(np.array(match.span()))
        return None if raw is None else ByteRange(*raw.tolist())

    def _tags_between(self, first: int, last: int) -> dict[int, int]:
        """Return the certain offsets in the source of the elements that start between two texts."""
        flat, source = self._flat, self._source
        count = len(flat.pieces.texts)
        start = int(self._offsets[1][first]) if first >= 0 else 0
        end = int(self._offsets[0][last]) if last < count else len(source.utf8) if source else 0
        if source is None or not 0 <= end - start <= MAX_GAP_BYTES:
            return {}
        tag_offsets: dict[str, list[int]] = {}
        for match in _START_TAG.finditer(source.utf8, start, end):
            if match["name"]:
                name = match["name"].decode("utf-8", "replace").lower()
                tag_offsets.setdefault(name, []).append(match.start())
        first_element = self._after[first] + 1 if first >= 0 else 0
        end_element = self._after[last] + 1 if last < count else len(flat.tags)
        elements_by_tag: dict[str, list[int]] = {}
        for element in range(first_element, end_element):
            elements_by_tag.setdefault(flat.tags[element], []).append(element)
        return {
            element: offset
            for tag, elements in elements_by_tag.items()
            if len(elements) == len(tag_offsets.get(tag, ()))
            for element, offset in zip(elements, tag_offsets[tag], strict=True)
        }

    @cached_property
    def _known_before(self) -> Integers:
        """For each text, the last text before it whose position is known, or -1."""
        known = np.where(self._offsets[0] >= 0, np.arange(len(self._after)), -1)
        return np.maximum.accumulate(np.concatenate([[-1], known]))

    @cached_property
    def _known_after(self) -> Integers:
        """For each text, itself or the next one with a known position, or the number of texts."""
        count = len(self._after)
        known = np.where(self._offsets[0] >= 0, np.arange(count), count)
        return np.minimum.accumulate(np.append(known, count)[::-1])[::-1]

    def value_range(self, piece: int, value: str) -> ByteRange | None:
        """Return the range of a value in a script, or None if the script does not contain it."""
        source = self._source
        if source is None:
            return None
        script = self._flat.pieces.texts[piece].encode()
        offset_in_script = script.find(value.encode())
        # A script is written in the same way in the source and in the tree.
        start = source.utf8.find(script)
        if offset_in_script < 0 or start < 0 or source.utf8.find(script, start + 1) >= 0:
            return None
        start += offset_in_script
        raw = source.raw_offsets(np.array([start, start + len(value.encode())]))
        return None if raw is None else ByteRange(*raw.tolist())

    def texts_below(self, element: int) -> Iterator[int]:
        """Yield the indices of the texts below an element."""
        end = int(self._flat.ends[element])
        first, last = bisect_left(self._after, element), bisect_left(self._after, end)
        return (text for text in range(first, last) if element <= self.holders[text] < end)

    @cached_property
    def text_at(self) -> dict[int, int]:
        """The index of each text by the offset of its start in the page."""
        return {start: number for number, start in enumerate(self.ranges[0]) if start >= 0}

    @cached_property
    def _offsets(self) -> tuple[Integers, Integers]:
        """The start and end of each text in the source's `utf8`, or -1 if unknown."""
        pieces = self._flat.pieces
        starts = np.full(len(pieces.texts), -1, dtype=np.int64)
        ends = starts.copy()
        if self._source is not None:
            is_parsed = ~self._flat.having(_RAW_TEXT)[pieces.parents]
            texts = list(compress(pieces.texts, is_parsed.tolist()))
            positions = _markup.positions(self._source.utf8, texts, True)
            starts[is_parsed], ends[is_parsed] = (np.frombuffer(p, np.int64) for p in positions)
        return starts, ends

    @cached_property
    def ranges(self) -> tuple[list[int], list[int]]:
        """The start and end of each text in the page, without white space around it, or -1."""
        offsets = np.stack(self._offsets)
        is_known = offsets[0] >= 0
        if self._source is not None and is_known.any():
            raw = self._source.raw_offsets(offsets[:, is_known])
            offsets[:, is_known] = -1 if raw is None else raw
        starts, ends = offsets.tolist()
        return starts, ends
