"""Layout of an article for display, with images and embeds at their positions."""

import ipaddress
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from detourage.export.markdown_and_html import Run, runs
from detourage.messages import ArticleMessage, Block

LEADING_BLOCKS: Final = 3
"""Number of blocks at the start in which a lead may begin, and maximum number that it spans."""

MAX_LEVEL: Final = 8
"""Maximum indentation level of list items."""

_HOST: Final = re.compile(r"[a-z0-9-]++(?:\.[a-z0-9-]++)++")
"""Pattern of host names allowed in a content security policy; requiring a dot excludes local
names."""

_LOCAL_DOMAINS: Final = (
    *(".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp"),
    *(".private", ".home.arpa"),
)
"""Domains of local networks."""


class Item(NamedTuple):
    """A list item or, if its `marker` is empty, a further block of the previous item."""

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
    """A part of an article: a block, a whole list, the lead, an image or an embed.

    `kind` is the type of a block, or ``list``, ``lead``, ``image`` or ``embed``. `value` is a
    heading's level, a table's rows, a list's items, a figure or an embed.
    """

    kind: str
    runs: Sequence[Run] = ()
    value: Any = None


@dataclass(frozen=True)
class ArticleLayout:
    """An article in reading order. `lead` is empty if the lead is one of the `parts`."""

    lead: str
    parts: Sequence[Part]

    @property
    def sources(self) -> list[str]:
        """Distinct sources of the article's images, each consisting of a scheme and a host."""
        figures = (part.value for part in self.parts if part.kind == "image")
        return list(dict.fromkeys(each.source for each in figures if each.source))


def lay_out_article(message: ArticleMessage) -> ArticleLayout:
    """Arrange the blocks, images and embeds of an article message in reading order."""
    blocks, lead = message.blocks, message.lead or ""
    lead_block = _lead_block(blocks, lead)
    media = _media_by_block(message, len(blocks), first=0 if lead and lead_block is None else 1)
    # Texts that are already shown above the article or below an image.
    shown_texts = {
        "heading": {_plain(message.title or "")},
        "caption": {_plain(image.caption or "") for image in message.images},
    }
    parts_and_items: list[Part | Item] = []
    for number, block in enumerate(blocks):
        parts_and_items += media.get(number, ())
        is_repeated = _plain(block.text) in shown_texts.get(block.type, ())
        if not is_repeated or (block.type == "heading" and number):
            parts_and_items.append(_part_or_item(block, is_lead=number == lead_block))
    parts_and_items += media.get(len(blocks), ())
    parts: list[Part] = []
    for is_list, run in groupby(parts_and_items, lambda each: isinstance(each, Item)):
        if is_list:
            parts.append(Part("list", value=list(run)))
        else:
            parts += (each for each in run if isinstance(each, Part))
    return ArticleLayout("" if lead_block is not None else lead, parts)


def source_of(url: str) -> str | None:
    """Return the scheme and host of an image URL for a content security policy.

    Return None if the image must not be loaded, because its URL may point into the user's own
    network, or would have another meaning in a policy.
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


def _part_or_item(block: Block, *, is_lead: bool) -> Part | Item:
    """Return a block for display; successive items are combined into lists later."""
    kind = "lead" if is_lead else block.type
    if kind == "table":
        return Part(kind, value=[row.split("\t") for row in block.text.split("\n")])
    if kind != "list_item":
        return Part(kind, list(runs(block)), block.level)
    # Messages without levels have no markers either. In all other messages, an item without a
    # marker continues the previous item.
    marker = block.marker or ("" if "level" in block.model_fields_set else "-")
    level = min(block.level or 1, MAX_LEVEL)
    return Item(list(runs(block)), "•" if marker == "-" else marker, level)


def _media_by_block(message: ArticleMessage, blocks: int, first: int) -> Mapping[int, list[Part]]:
    """Group images and embeds by the number of the block that they precede.

    The first image without a position precedes the block `first`; the others are at the end, after
    the given number of `blocks`.
    """
    media: defaultdict[int, list[Part]] = defaultdict(list)
    is_first = True
    for image in message.images:
        block = image.block
        if block is None:
            block, is_first = (first if is_first else blocks), False
        figure = Figure(image.url, source_of(image.url), image.alt or "", image.caption or "")
        media[min(block, blocks)].append(Part("image", value=figure))
    for embed in message.embeds:
        block = blocks if embed.block is None else min(embed.block, blocks)
        media[block].append(Part("embed", value=embed))
    return media


def _lead_block(blocks: Sequence[Block], lead: str) -> int | None:
    """Return the number of the block at which the lead begins; None if the text lacks the lead."""
    plain_lead = _plain(lead)
    for number, block in enumerate(blocks[:LEADING_BLOCKS]):
        following = blocks[number : number + LEADING_BLOCKS]
        text = _plain(" ".join(each.text for each in following))
        if block.type not in ("paragraph", "heading", "quote") or not plain_lead:
            continue
        if plain_lead == _plain(block.text) or (
            # A lead may be cut off anywhere, but a short one would match by accident.
            len(plain_lead) >= 20 and text.startswith(plain_lead)
        ):
            return number
    return None


def _plain(text: str) -> str:
    """Return a text for comparisons: in lower case, with single spaces and no final dots."""
    return " ".join(text.casefold().split()).rstrip(" .…")
