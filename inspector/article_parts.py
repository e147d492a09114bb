"""Layout of an article message for display, with images and embeds in their places.

Fields that earlier releases did not write have their defaults.
"""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from detourage.messages import ArticleMessage, Block
from detourage.reader.documents import Run, runs

LEADING_BLOCKS: Final = 3
"""Number of blocks at the beginning that may contain the lead."""

_HOST: Final = re.compile(r"[a-z0-9-]++(?:\.[a-z0-9-]++)++")
"""Pattern of host names allowed in a content security policy; requiring a dot excludes local
names."""

_LOCAL_DOMAINS: Final = (
    *(".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp"),
    *(".private", ".home.arpa"),
)


class Item(NamedTuple):
    """A list item; an item without a marker continues the previous one."""

    runs: Sequence[Run]
    marker: str
    level: int


class Figure(NamedTuple):
    """An image, with its `source` (see `source_of`)."""

    url: str
    source: str | None
    alt: str
    caption: str

    @property
    def name(self) -> str:
        """The text shown instead of the image."""
        is_distinct = self.alt and _plain(self.alt) != _plain(self.caption)
        return self.alt if is_distinct else (self.source or self.url).partition("://")[2]


class Part(NamedTuple):
    """A part of an article: a block, a whole ``list``, the ``lead``, an ``image`` or an ``embed``.

    The value is a heading's level, a table's rows, a list's items, a figure or an embed.
    """

    kind: str
    runs: Sequence[Run] = ()
    value: Any = None


@dataclass(frozen=True)
class ArticleParts:
    """An article in reading order. `lead` is empty if the lead is one of the `parts`."""

    lead: str
    parts: Sequence[Part]

    @property
    def sources(self) -> list[str]:
        """Distinct sources of the article's images, each consisting of a scheme and a host."""
        figures = (part.value for part in self.parts if part.kind == "image")
        return list(dict.fromkeys(each.source for each in figures if each.source))


def article_parts(message: ArticleMessage) -> ArticleParts:
    """Lay out an article message."""
    blocks, lead = message.blocks, message.lead or ""
    leading = _leading(blocks, lead)
    media = _by_place(message, len(blocks), first=0 if lead and leading is None else 1)
    # Texts that are already shown above the article or below an image.
    shown = {
        "heading": {_plain(message.title or "")},
        "caption": {_plain(image.caption or "") for image in message.images},
    }
    pieces: list[Part | Item] = []
    for number, block in enumerate(blocks):
        pieces += media.get(number, ())
        is_repeated = _plain(block.text) in shown.get(block.type, ())
        if not is_repeated or (block.type == "heading" and number):
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
    """Return the scheme and host of an image URL for a content security policy.

    Return None if the image must not be loaded: its URL may point into the reader's own network, or
    have another meaning in a policy.
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
        if host.endswith(_LOCAL_DOMAINS) or host.rpartition(".")[2].isdigit():
            return None
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}"


def _piece(block: Block, *, is_lead: bool) -> Part | Item:
    kind = "lead" if is_lead else block.type
    if kind == "table":
        return Part(kind, value=[row.split("\t") for row in block.text.split("\n")])
    if kind != "list_item":
        return Part(kind, list(runs(block)), block.level)
    # Messages without levels have no markers either. In all other messages, an item without a
    # marker continues the previous item.
    marker = block.marker or ("" if "level" in block.model_fields_set else "-")
    level = min(block.level or 1, 8)
    return Item(list(runs(block)), "•" if marker == "-" else marker, level)


def _by_place(message: ArticleMessage, blocks: int, first: int) -> Mapping[int, list[Part]]:
    """Group images and embeds by the number of the block that they precede.

    The first image without a position precedes the block `first`; the others are at the end.
    """
    placed: defaultdict[int, list[Part]] = defaultdict(list)
    is_first = True
    for image in message.images:
        place = image.block
        if place is None:
            place, is_first = (first if is_first else blocks), False
        figure = Figure(image.url, source_of(image.url), image.alt or "", image.caption or "")
        placed[min(place, blocks)].append(Part("image", value=figure))
    for embed in message.embeds:
        place = blocks if embed.block is None else min(embed.block, blocks)
        placed[place].append(Part("embed", value=embed))
    return placed


def _leading(blocks: Sequence[Block], lead: str) -> int | None:
    """Return the number of the block at which the lead begins, or None."""
    plain_lead = _plain(lead)
    for number, block in enumerate(blocks[:LEADING_BLOCKS]):
        several = blocks[number : number + LEADING_BLOCKS]
        text = _plain(" ".join(each.text for each in several))
        if block.type not in ("paragraph", "heading", "quote") or not plain_lead:
            continue
        if plain_lead == _plain(block.text) or (
            # A lead may be cut off anywhere, but a short one would match by accident.
            len(plain_lead) >= 20 and text.startswith(plain_lead)
        ):
            return number
    return None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .…")
