"""Layout of an article message for display, with images and embeds in their places.

Messages are read as stored, so messages written by earlier releases may lack fields.
"""

import ipaddress
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

Values = Mapping[str, Any]

LEADING_BLOCKS: Final = 3
"""Number of blocks at the beginning that may contain the lead."""

WORDED: Final = ("paragraph", "heading", "quote")
"""Block types that may be the lead."""

SHORTEST_LEAD: Final = 20
"""Minimum length of a lead that may be the beginning of a block; a shorter one must be all of
it."""

DEEPEST_LIST: Final = 8
"""Maximum indentation level of a list item."""

_HOST: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
"""Pattern of host names that a content security policy can contain. They must have a dot, so that
local names never match."""

_NAMES_OF_NETWORKS: Final = (
    *(".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp"),
    *(".private", ".home.arpa"),
)


class Run(NamedTuple):
    """A stretch of a block's text with the same markup throughout."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool


class Item(NamedTuple):
    """A list item; an item without a marker continues the previous one."""

    runs: Sequence[Run]
    marker: str
    level: int


class Figure(NamedTuple):
    """An image, with its source if it may be loaded."""

    url: str
    source: str | None
    alt: str
    caption: str

    @property
    def name(self) -> str:
        """The text shown in place of the image."""
        is_distinct = self.alt and _plain(self.alt) != _plain(self.caption)
        return self.alt if is_distinct else (self.source or self.url).partition("://")[2]


class Part(NamedTuple):
    """A displayed part of an article.

    The kind is a block type, ``lead`` for the paragraph that is the lead, ``list`` for a list of
    items, ``image`` or ``embed``. The value is the level of a heading, the rows of a table, the
    items of a list, the figure, or the embed.
    """

    kind: str
    runs: Sequence[Run] = ()
    value: Any = None


@dataclass(frozen=True)
class ArticleParts:
    """An article in reading order. The lead is empty if one of the parts is the lead."""

    lead: str
    parts: Sequence[Part]

    @property
    def sources(self) -> list[str]:
        """Distinct sources of the article's images, each consisting of a scheme and a host."""
        figures = (part.value for part in self.parts if part.kind == "image")
        return list(dict.fromkeys(each.source for each in figures if each.source))


def article_parts(message: Values) -> ArticleParts:
    """Lay out an article message."""
    blocks: list[Values] = list(message.get("blocks") or ())
    lead = message.get("lead") or ""
    leading = _leading(blocks, lead)
    media = _by_place(message, len(blocks), first=0 if lead and leading is None else 1)
    # Texts that are already shown above the article or below an image.
    shown = {
        "heading": {_plain(message.get("title") or "")},
        "caption": {_plain(image.get("caption") or "") for image in message.get("images") or ()},
    }
    pieces: list[Part | Item] = []
    for number, block in enumerate(blocks):
        pieces += media.get(number, ())
        is_repeated = _plain(block["text"]) in shown.get(block["type"], ())
        if not is_repeated or (block["type"] == "heading" and number):
            pieces.append(_piece(block, is_lead=number == leading))
    pieces += media.get(len(blocks), ())
    parts: list[Part] = []
    for is_list, several in groupby(pieces, lambda piece: isinstance(piece, Item)):
        if is_list:
            parts.append(Part("list", value=list(several)))
        else:
            parts += (piece for piece in several if isinstance(piece, Part))
    return ArticleParts("" if leading is not None else lead, parts)


def source_of(url: str) -> str | None:
    """Return the scheme and host of an image URL, as written in a content security policy.

    Returns None if the image must not be loaded: a page may refer to a URL in the reader's own
    network, or to one that has another meaning in a policy.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return None
    try:
        if not ipaddress.ip_address(host).is_global:
            return None
    except ValueError:
        if host.endswith(_NAMES_OF_NETWORKS) or host.rpartition(".")[2].isdigit():
            return None
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}"


def _piece(block: Values, *, is_lead: bool) -> Part | Item:
    kind = "lead" if is_lead else block["type"]
    if kind == "table":
        return Part(kind, value=[row.split("\t") for row in block["text"].split("\n")])
    runs = list(_runs(block))
    if kind != "list_item":
        return Part(kind, runs, block.get("level"))
    # Messages without levels have no markers either. In all other messages, an item without a
    # marker continues the previous item.
    marker = block.get("marker") or ("" if "level" in block else "-")
    level = min(max(block.get("level") or 1, 1), DEEPEST_LIST)
    return Item(runs, "•" if marker == "-" else marker, level)


def _runs(block: Values) -> Iterator[Run]:
    """Yield a block's text, split where links or emphasis start or end."""
    text, start = block["text"], block["start"]
    emphasis = block.get("emphasis") or ()
    links = _Spans(start, block.get("links") or ())
    bold, italic = (
        _Spans(start, [each for each in emphasis if each["kind"] == kind])
        for kind in ("bold", "italic")
    )
    borders = {0, len(text), *links.borders, *bold.borders, *italic.borders}
    for begin, end in pairwise(sorted(each for each in borders if 0 <= each <= len(text))):
        link = links.around(begin)
        yield Run(
            text[begin:end],
            link["url"] if link else None,
            bold.around(begin) is not None,
            italic.around(begin) is not None,
        )


class _Spans:
    """Ordered, non-overlapping stretches of a block, which can be looked up by offset."""

    def __init__(self, start: int, spans: Sequence[Values]) -> None:
        self._spans = spans
        self._begins = [span["start"] - start for span in spans]
        self._ends = [span["end"] - start for span in spans]
        self.borders = (*self._begins, *self._ends)

    def around(self, offset: int) -> Values | None:
        """Return the stretch that contains the character at ``offset``, if any."""
        place = bisect_right(self._begins, offset) - 1
        return self._spans[place] if place >= 0 and offset < self._ends[place] else None


def _by_place(message: Values, blocks: int, first: int) -> Mapping[int, list[Part]]:
    """Group images and embeds by the number of the block that they precede.

    If the positions of images are unknown, the first image is placed where pages usually show it,
    and all other images at the end.
    """
    placed: defaultdict[int, list[Part]] = defaultdict(list)
    is_first = True
    for image in message.get("images") or ():
        place = image.get("block")
        if place is None:
            place, is_first = (first if is_first else blocks), False
        url = image["url"]
        figure = Figure(url, source_of(url), image.get("alt") or "", image.get("caption") or "")
        placed[min(place, blocks)].append(Part("image", value=figure))
    for embed in message.get("embeds") or ():
        place = embed.get("block")
        placed[min(blocks if place is None else place, blocks)].append(Part("embed", value=embed))
    return placed


def _leading(blocks: Sequence[Values], lead: str) -> int | None:
    """Return the number of the block at which the lead begins, or None."""
    plain_lead = _plain(lead)
    for number, block in enumerate(blocks[:LEADING_BLOCKS]):
        several = blocks[number : number + LEADING_BLOCKS]
        text = _plain(" ".join(each["text"] for each in several))
        if block["type"] not in WORDED or not plain_lead:
            continue
        if plain_lead == _plain(block["text"]) or _is_cut(plain_lead, text):
            return number
    return None


def _is_cut(plain_lead: str, text: str) -> bool:
    """Return whether a text begins with a lead, which may be cut off anywhere."""
    return len(plain_lead) >= SHORTEST_LEAD and text.startswith(plain_lead)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .…")
