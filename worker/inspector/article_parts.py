"""An article message laid out for its reader: blocks, and images and embeds in their places.

Messages are read as they are stored: keys that an earlier version did not write are absent.
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
"""Blocks among which a lead stands that the text begins with."""

WORDED: Final = ("paragraph", "heading", "quote")
"""Types of the blocks that may be the lead."""

SHORTEST_LEAD: Final = 20
"""Characters of a lead that is known by the beginning of a text, not by a whole block of it."""

DEEPEST_LIST: Final = 8
"""Levels that items of lists are indented by."""

_HOST: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
"""A name with a dot, of letters that a content security policy may have: none of this network."""

_NAMES_OF_NETWORKS: Final = (
    *(".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp"),
    *(".private", ".home.arpa"),
)


class Run(NamedTuple):
    """A stretch of a block's text that is marked in one way."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool


class Item(NamedTuple):
    """An item of a list; one without a marker continues the item before it."""

    runs: Sequence[Run]
    marker: str
    level: int


class Figure(NamedTuple):
    """An image, and where it comes from if it may be shown."""

    url: str
    source: str | None
    alt: str
    caption: str

    @property
    def name(self) -> str:
        """What it is called where it is not shown."""
        is_told = self.alt and _plain(self.alt) != _plain(self.caption)
        return self.alt if is_told else (self.source or self.url).partition("://")[2]


class Part(NamedTuple):
    """What stands below what goes before.

    Attributes
    ----------
    kind
        Type of a block; ``lead`` of the paragraph that is the article's lead, ``list`` of items,
        ``image`` and ``embed``.
    runs
        Its text.
    value
        Level of a heading, rows of a table, items of a list, the figure, or the embed.
    """

    kind: str
    runs: Sequence[Run] = ()
    value: Any = None


@dataclass(frozen=True)
class ArticleParts:
    """An article in the order of its reader.

    Attributes
    ----------
    lead
        The lead where it is not one of the parts, else empty.
    parts
        What the article is made of.
    """

    lead: str
    parts: Sequence[Part]

    @property
    def sources(self) -> list[str]:
        """Where its images come from: schemes and hosts, each once."""
        figures = (part.value for part in self.parts if part.kind == "image")
        return list(dict.fromkeys(each.source for each in figures if each.source))


def article_parts(message: Values) -> ArticleParts:
    """Lay out an article message."""
    blocks: list[Values] = list(message.get("blocks") or ())
    lead = message.get("lead") or ""
    leading = _leading(blocks, lead)
    media = _by_place(message, len(blocks), first=0 if lead and leading is None else 1)
    # What stands there already, above the text or below an image.
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
    """Return scheme and host of an image as a content security policy names them.

    Returns
    -------
    str or None
        None where it must not be loaded: a page may name an address of the network that its
        reader is in, or one that says something else within a policy.
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
    # Before there were levels, there were no markers; an item without one continues another.
    marker = block.get("marker") or ("" if "level" in block else "-")
    level = min(max(block.get("level") or 1, 1), DEEPEST_LIST)
    return Item(runs, "•" if marker == "-" else marker, level)


def _runs(block: Values) -> Iterator[Run]:
    """Yield a block's text, cut where a link or an emphasis begins or ends."""
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
    """Stretches of a block that do not overlap, in order; found by where they begin."""

    def __init__(self, start: int, spans: Sequence[Values]) -> None:
        self._spans = spans
        self._begins = [span["start"] - start for span in spans]
        self._ends = [span["end"] - start for span in spans]
        self.borders = (*self._begins, *self._ends)

    def around(self, offset: int) -> Values | None:
        """Return the stretch that a character is in."""
        place = bisect_right(self._begins, offset) - 1
        return self._spans[place] if place >= 0 and offset < self._ends[place] else None


def _by_place(message: Values, blocks: int, first: int) -> Mapping[int, list[Part]]:
    """Return images and embeds by the number of the block that they stand before.

    Of images of unknown place the first stands where a page shows its own, the others at the end.
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
    """Return the number of the block that the lead begins with; None where the text has it not."""
    said = _plain(lead)
    for number, block in enumerate(blocks[:LEADING_BLOCKS]):
        several = blocks[number : number + LEADING_BLOCKS]
        text = _plain(" ".join(each["text"] for each in several))
        if block["type"] not in WORDED or not said:
            continue
        if said == _plain(block["text"]) or _is_cut(said, text):
            return number
    return None


def _is_cut(said: str, text: str) -> bool:
    """Tell whether a lead that ends anywhere is the beginning of a text."""
    return len(said) >= SHORTEST_LEAD and text.startswith(said)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .…")
