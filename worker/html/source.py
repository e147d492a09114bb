"""Positions of a page's elements and texts in its source."""

import codecs
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from worker.html import _markup
from worker.html.encoding import codec_of
from worker.html.flat import FlatDocument, Integers

if TYPE_CHECKING:
    from worker.html.page import Page

_NOT_PARSED = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
_MARKS = (
    *(codecs.BOM_UTF8, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    *(codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
)
_TAGS = re.compile(rb"<!--.*?(?:-->|\Z)|<(?P<name>[a-zA-Z][^\s/>]*)", re.DOTALL)
_TAG_END = re.compile(rb"<[^\"'>]*+(?:\"[^\"]*+\"[^\"'>]*+|'[^']*+'[^\"'>]*+)*+>")

_POSITIONS = "positions"

MAX_GAP_BYTES = 100_000
"""Maximum number of bytes between two texts that are searched for an element's tag."""


class ByteRange(NamedTuple):
    """Byte offsets into a page as fetched."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A page as fetched, and the text that was parsed.

    `raw` is None for a page given as text, whose offsets are those of its UTF-8 encoding.
    `is_changed` is set if the text was repaired, so that its offsets are not those of the page.
    """

    raw: bytes | None
    text: str
    encoding: str = "utf-8"
    is_changed: bool = False

    @cached_property
    def utf8(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()

    def raw_offsets(self, offsets: Integers) -> Integers | None:
        """Convert sorted offsets into `utf8` to offsets into the page, or return None."""
        if self.is_changed:
            return None
        raw = self.utf8 if self.raw is None else self.raw
        mark = next((len(each) for each in _MARKS if raw.startswith(each)), 0)
        if raw[mark:] == self.utf8:
            return offsets + mark
        is_start = (np.frombuffer(self.utf8, np.uint8) & 0xC0) != 0x80
        characters = np.concatenate([[0], np.cumsum(is_start)])[offsets]
        decode = _utf8_offsets if self.encoding == "utf-8" else self._encoded_offsets
        found = decode(raw[mark:], characters)
        return None if found is None else found + mark

    def _encoded_offsets(self, raw: bytes, characters: Integers) -> Integers | None:
        if len(raw) == len(self.text):
            return characters
        encode = codec_of(self.encoding).encode
        borders = [0, *characters.tolist(), len(self.text)]
        try:
            lengths = [len(encode(self.text[start:end])[0]) for start, end in pairwise(borders)]
        except UnicodeError:
            return None
        return np.cumsum(lengths[:-1], dtype=np.int64) if sum(lengths) == len(raw) else None


def _utf8_offsets(raw: bytes, characters: Integers) -> Integers | None:
    """Return the offsets of characters in UTF-8 with invalid bytes; a run of them is one."""
    text = raw.decode("utf-8", "surrogateescape")
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    is_invalid = (codes >= 0xDC80) & (codes <= 0xDCFF)
    lengths = 1 + (codes >= 0x80) + (codes >= 0x800).astype(np.int64) + (codes >= 0x10000)
    ends = np.cumsum(np.where(is_invalid, 1, lengths))
    is_counted = ~is_invalid
    is_counted[1:] |= ~is_invalid[:-1]
    is_counted[:1] = True
    starts = np.append((ends - np.where(is_invalid, 1, lengths))[is_counted], len(raw))
    return starts[characters] if characters.max(initial=0) < len(starts) else None


class PageSource:
    """Positions of a parsed page's elements and texts.

    Without a source, none is known.
    """

    def __init__(self, flat: FlatDocument, source: Source | None = None) -> None:
        self._flat = flat
        self._source = source

    @classmethod
    def of(cls, page: "Page") -> Self:
        """Return the positions in a page, computed once."""
        memo = page.flat.memo
        if _POSITIONS not in memo:
            memo[_POSITIONS] = cls(page.flat, page.source)
        found: Self = memo[_POSITIONS]
        return found

    def text_range(self, piece: int) -> ByteRange | None:
        """Return where a text stands in the page, without ASCII white space around it."""
        starts, ends = self._ranges
        return ByteRange(starts[piece], ends[piece]) if starts[piece] >= 0 else None

    def part_range(self, piece: int, start: int, end: int) -> ByteRange | None:
        """Return where some characters of a text stand in the page."""
        text = self._flat.pieces.texts[piece]
        first, last = (int(each[piece]) for each in self._offsets)
        if first < 0 or self._source is None:
            return None
        parts = [text[:start], text[start:end], text[end:]]
        starts, ends = _markup.positions(self._source.utf8[first:last], parts)
        places = first + np.array([np.frombuffer(each, np.int64)[1] for each in (starts, ends)])
        raw = self._source.raw_offsets(places) if places[0] >= first else None
        return None if raw is None else ByteRange(*raw.tolist())

    def own_offset(self, piece: int) -> int:
        """Return the number of characters before a text in its parent's own text nodes."""
        return self._own_offsets[piece]

    @cached_property
    def _own_offsets(self) -> list[int]:
        pieces = self._flat.pieces
        lengths = np.fromiter(map(len, pieces.texts), np.int64, len(pieces.texts))
        order = np.argsort(pieces.parents, kind="stable")
        ends = np.cumsum(lengths[order])
        starts = ends - lengths[order]
        ordered = pieces.parents[order]
        is_first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
        offsets = np.empty(len(lengths), dtype=np.int64)
        offsets[order] = starts - np.maximum.accumulate(np.where(is_first, starts, 0))
        found: list[int] = offsets.tolist()
        return found

    def tag_range(self, element: int) -> ByteRange | None:
        """Return where the start tag of an element stands in the page.

        None unless the source has as many tags of this name between the nearest texts as the tree.
        """
        flat, source = self._flat, self._source
        if source is None:
            return None
        first, last = self._gap(element)
        start = int(self._offsets[1][first]) if first >= 0 else 0
        end = int(self._offsets[0][last]) if last < len(flat.pieces.texts) else len(source.utf8)
        if not 0 <= end - start <= MAX_GAP_BYTES:
            return None
        tag = flat.tags[element].encode()
        found = [
            start + match.start()
            for match in _TAGS.finditer(source.utf8[start:end])
            if (match["name"] or b"").lower() == tag
        ]
        after = flat.pieces.after
        low = int(after[first]) + 1 if first >= 0 else 0
        high = int(after[last]) + 1 if last < len(after) else len(flat.tags)
        same = [each for each in range(low, high) if flat.tags[each] == flat.tags[element]]
        if len(found) != len(same):
            return None
        tag_start = found[same.index(element)]
        tag_end = _TAG_END.match(source.utf8, tag_start)
        if tag_end is None:
            return None
        raw = source.raw_offsets(np.array([tag_start, tag_end.end()]))
        return None if raw is None else ByteRange(*raw.tolist())

    def value_range(self, element: int, value: str) -> ByteRange | None:
        """Return where a value stands in a script, None if it is written in another form."""
        flat, source = self._flat, self._source
        pieces = flat.pieces
        piece = int(np.searchsorted(pieces.after, element))
        if source is None or piece == len(pieces.texts) or pieces.parents[piece] != element:
            return None
        script = pieces.texts[piece].encode()
        # A script stands in the source as it is in the tree.
        start = source.utf8.find(script)
        if start < 0 or source.utf8.find(script, start + 1) >= 0:
            return None
        start += script.index(value.encode())
        raw = source.raw_offsets(np.array([start, start + len(value.encode())]))
        return None if raw is None else ByteRange(*raw.tolist())

    def _gap(self, element: int) -> tuple[int, int]:
        """Return the nearest texts before and after an element's start whose position is known."""
        is_known = self._offsets[0] >= 0
        place = int(np.searchsorted(self._flat.pieces.after, element))
        before, behind = np.flatnonzero(is_known[:place]), np.flatnonzero(is_known[place:])
        return (
            int(before[-1]) if len(before) else -1,
            place + int(behind[0]) if len(behind) else len(is_known),
        )

    @cached_property
    def _offsets(self) -> tuple[Integers, Integers]:
        """The offsets of each piece in the parsed text in UTF-8, or -1."""
        pieces = self._flat.pieces
        starts = np.full(len(pieces.texts), -1, dtype=np.int64)
        ends = starts.copy()
        if self._source is not None:
            is_parsed = ~self._flat.having(_NOT_PARSED)[pieces.parents]
            texts = list(compress(pieces.texts, is_parsed.tolist()))
            found = _markup.positions(self._source.utf8, texts)
            starts[is_parsed], ends[is_parsed] = (np.frombuffer(each, np.int64) for each in found)
        return starts, ends

    @cached_property
    def _ranges(self) -> tuple[list[int], list[int]]:
        """The start and end of each piece in the page, or -1."""
        offsets = np.stack(self._offsets)
        is_known = offsets[0] >= 0
        if self._source is not None and is_known.any():
            places, numbers = np.unique(offsets[:, is_known], return_inverse=True)
            raw = self._source.raw_offsets(places)
            offsets[:, is_known] = -1 if raw is None else raw[numbers].reshape(2, -1)
        starts, ends = offsets.tolist()
        return starts, ends
