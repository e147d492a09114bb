"""Positions of a page's elements and texts in its source."""

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from detourage.html import _locations, _markup
from detourage.html.encoding import BYTE_ORDER_MARKS, codec_of
from detourage.html.flat import FlatDocument, Integers, joined_strings
from detourage.html.nodes import Paths
from detourage.records import record

if TYPE_CHECKING:
    from detourage.html.page import Page

# Elements whose content is not parsed as markup
_RAW_TEXT = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
_WHOLE_TAG = re.compile(rb"<[^\"'>]*+(?:\"[^\"]*+\"[^\"'>]*+|'[^']*+'[^\"'>]*+)*+>")
MAX_GAP_BYTES = 100_000  # bytes between two texts in which start tags are searched for


class ByteRange(NamedTuple):
    """Byte offsets into a page as fetched."""

    start: int
    end: int


@record
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
        if self.raw is None or self.encoding is None:
            return offsets + self._mark_length if self._mark_length else offsets
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
        self._source = None if source is None or source.is_changed else source
        self._start_tags: dict[int, tuple[int, Integers]] = {}

    @classmethod
    def of(cls, page: "Page") -> Self:
        """Return the positions in a page, computed once."""
        return page.flat.once("positions", lambda: cls(page.flat, page.source))

    def text_range(self, *pieces: int) -> ByteRange | None:
        """Return the range in the page from the first to the last of the given texts.

        The range excludes ASCII whitespace at both ends. Texts with unknown positions are ignored.
        """
        starts, ends = self.ranges
        known = [each for each in pieces if starts.item(each) >= 0]
        if not known:
            return None
        return ByteRange(min(map(starts.item, known)), max(map(ends.item, known)))

    def part_range(self, piece: int, start: int, end: int) -> ByteRange | None:
        """Return the range in the page of the characters `start` to `end` of a text."""
        text = self._flat.pieces.texts[piece]
        text_start, text_end = (int(offsets[piece]) for offsets in self._offsets)
        if text_start < 0 or self._source is None:
            return None
        source = self._source.utf8[text_start:text_end]
        parts = joined_strings([text[:start], text[start:end], text[end:]])
        positions = _markup.positions(source, parts, np.zeros(3, dtype=np.bool_), False)
        part = text_start + np.array([np.frombuffer(each, np.int64)[1] for each in positions])
        raw = self._source.raw_offsets(part) if part[0] >= text_start else None
        return None if raw is None else ByteRange(*raw.tolist())

    def own_offset(self, piece: int) -> int:
        """Return the number of characters before a text in its parent's own text nodes."""
        return _locations.own_offset(Paths.of(self._flat).tree, piece)

    def tag_range(self, element: int) -> ByteRange | None:
        """Return the range of an element's start tag, or None if it is uncertain.

        The range is certain if, between the nearest texts with known positions, the source has as
        many tags with this name as the tree has elements, so that they correspond in order.
        """
        if self._source is None:
            return None
        known = self._known
        place = int(known.searchsorted(self._flat.pieces.after.searchsorted(element)))
        if place not in self._start_tags:
            self._start_tags[place] = self._tags_between(*known[place - 1 : place + 1].tolist())
        first, offsets = self._start_tags[place]
        start = int(offsets[element - first]) if len(offsets) else -1
        match = _WHOLE_TAG.match(self._source.utf8, start) if start >= 0 else None
        if match is None:
            return None
        raw = self._source.raw_offsets(np.array(match.span()))
        return None if raw is None else ByteRange(*raw.tolist())

    def _tags_between(self, first: int, last: int) -> tuple[int, Integers]:
        """Return the first element between two texts, and the offsets of the start tags there."""
        flat, count = self._flat, len(self._flat.pieces.after)
        utf8 = self._source.utf8 if self._source is not None else b""
        start = int(self._offsets[1][first]) if first >= 0 else 0
        end = int(self._offsets[0][last]) if last < count else len(utf8)
        first_element = int(flat.pieces.after[first]) + 1 if first >= 0 else 0
        end_element = int(flat.pieces.after[last]) + 1 if last < count else len(flat.parents)
        if not 0 <= end - start <= MAX_GAP_BYTES:
            return first_element, np.empty(0, np.int64)
        tree = Paths.of(flat).tree
        tags = _locations.start_tags(tree, utf8, start, end, first_element, end_element)
        return first_element, np.frombuffer(tags, np.int64)

    @cached_property
    def _known(self) -> Integers:
        """Indices of the texts with known positions, preceded by -1, followed by their number."""
        starts = self._offsets[0]
        return np.concatenate([[-1], np.flatnonzero(starts >= 0), [len(starts)]])

    def value_range(self, value: str) -> tuple[int, ByteRange | None] | None:
        """Return the first text that contains a value, and the value's range; None if none does.

        The range is None unless the source has the text exactly once and, as in scripts, unescaped.
        """
        pieces, source = self._flat.pieces.utf8, self._source
        offset = pieces.find(wanted := value.encode("utf-8", "surrogatepass"))
        if offset < 0:
            return None
        start, end = pieces.rfind(b"\0", 0, offset) + 1, pieces.index(b"\0", offset)
        piece = pieces.count(b"\0", 0, start)
        # The text of a script is the same in the source as in the tree.
        script = pieces[start:end]
        place = source.utf8.find(script) if source is not None else -1
        if source is None or place < 0 or source.utf8.find(script, place + 1) >= 0:
            return piece, None
        place += offset - start
        raw = source.raw_offsets(np.array([place, place + len(wanted)]))
        return piece, None if raw is None else ByteRange(*raw.tolist())

    def texts_below(self, element: int) -> list[int]:
        """Return the indices of the texts below an element."""
        pieces, end = self._flat.pieces, int(self._flat.ends[element])
        first, last = pieces.after.searchsorted((element, end))
        parents = pieces.parents[first:last]
        found: list[int] = (np.flatnonzero((parents >= element) & (parents < end)) + first).tolist()
        return found

    @cached_property
    def text_at(self) -> dict[int, int]:
        """The index of each text by the offset of its start in the page."""
        starts = enumerate(self.ranges[0].tolist())
        return {start: number for number, start in starts if start >= 0}

    @cached_property
    def _offsets(self) -> tuple[Integers, Integers]:
        """The start and end of each text in the source's `utf8`, or -1 if unknown."""
        pieces = self._flat.pieces
        if self._source is None:
            unknown = np.full(len(pieces.parents), -1, dtype=np.int64)
            return unknown, unknown
        is_raw = self._flat.having(_RAW_TEXT)[pieces.parents]
        starts, ends = _markup.positions(self._source.utf8, pieces.utf8, is_raw, True)
        return np.frombuffer(starts, np.int64), np.frombuffer(ends, np.int64)

    @cached_property
    def ranges(self) -> tuple[Integers, Integers]:
        """The start and end of each text in the page, without whitespace around it, or -1."""
        starts, ends = self._offsets
        known = self._known[1:-1]
        if self._source is None or not len(known):
            return starts, ends
        offsets = np.concatenate([starts[known], ends[known]])
        raw = self._source.raw_offsets(offsets)
        if raw is offsets:  # a page in UTF-8 without a byte order mark
            return starts, ends
        starts, ends = np.full((2, len(starts)), -1, dtype=np.int64)
        if raw is not None:
            starts[known], ends[known] = raw.reshape(2, -1)
        return starts, ends
