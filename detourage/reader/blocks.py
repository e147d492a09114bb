"""Division of a body into blocks of text, images and embeds."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from detourage import core
from detourage.article import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
    BlockType,
    EmphasisKind,
)
from detourage.html.nodes import Node
from detourage.html.urls import absolute
from detourage.reader import illustrations, media
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.roles import ALL_ROLES
from detourage.text import words
from detourage.text.patterns import lazy_pattern

MAX_BLOCKS_TO_TITLE = 3  # blocks at the start, of which one that repeats the headline is left out
PROBABILITY_DIGITS = 3  # Number of decimal places in the probability of a role

_CODE_LANGUAGE = lazy_pattern(  # "language-python", "highlight-source-shell" or "brush: js"
    r"(?:^|\s)(?:(?:highlight-source|highlight|language|lang)-|brush:\s?)"
    r"(?!default\b|none\b)([a-z][\w+#.]{0,20})(?![\w+#.])",
    re.IGNORECASE,
)
_CODE_ATTRIBUTES = ("data-lang", "data-language")
MAX_CLASS_CHARACTERS = 200  # length of a class attribute that is searched for the language of code


@dataclass
class BodyBlocks:
    """The blocks of text and the images and embeds of a body, in document order."""

    blocks: list[ArticleBlock] = field(default_factory=list)
    media: list[ArticleImage | ArticleEmbed] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, with a blank line between blocks."""
        return "\n\n".join(block.text for block in self.blocks)


_Block = tuple[
    BlockType,
    str,
    Sequence[tuple[int, int, int | EmphasisKind]],
    tuple[int, ...],
    int | None,
    str | None,
    int,
    int,
    float,
]
"""A block found by the core: type, text, spans, pieces, level, marker, code, role and probability.

A span consists of its start and end and the element of a link or a kind of emphasis. `code` is the
element of code, and `role` an index; -1 for none.
"""


class _Place(NamedTuple):
    """Where an image or embed is: the number of blocks before it, and the elements around it.

    `muted` is the element around it of which the text is left out, and `link` a link in that
    element; -1 for none.
    """

    medium: str
    element: int
    block: int
    caption: str | None
    muted: int
    link: int


def blocks_of(page: Outline, body: FoundBody, base: str, title: str | None = None) -> BodyBlocks:
    """Divide a body into blocks; relative URLs are resolved against `base`.

    A block ends at the border of a block element or at two line breaks (``br``), but not at a
    single one. Its type is that of the nearest enclosing element that has a type. A table of short
    cells is one block, with a line per row and tabs between cells; any other table is treated as
    layout. A block that repeats the `title` is left out if it is one of the first.
    """
    numbers, roles = page.flat.numbers, body.roles
    found, places = core.blocks(
        page.document,
        *(page.flat.shown, page.text_lines, page.text_sizes),
        int(numbers[body.container]),
        *(numbers[[*elements]] for elements in (body.dropped, body.muted)),
        numbers[illustrations.captions_of(page)],
        None if body.lines is None else np.array([*body.lines], np.int64),
        np.array([*roles], np.int64),
        np.array([ALL_ROLES.index(each.role) for each in roles.values()], np.int64),
        np.array([each.probability for each in roles.values()], np.float64),
    )
    title_tokens = words.tokens(title or "")
    repeated = {
        place
        for place, (_, text, *_) in enumerate(found[:MAX_BLOCKS_TO_TITLE])
        if words.tokens(text) == title_tokens
    }
    kept: list[ArticleBlock] = []
    for place, block in enumerate(found):
        if place not in repeated:
            start = kept[-1].end + 2 if kept else 0
            kept.append(_article_block(page, block, start, base))
    return BodyBlocks(kept, _media_at(page, map(_Place._make, places), repeated, base))


def _article_block(page: Outline, block: _Block, start: int, base: str) -> ArticleBlock:
    """Return a block that starts at an offset into the article's text."""
    kind, text, spans, pieces, level, marker, code, role, probability = block
    links: list[ArticleLink] = []
    emphasis: list[ArticleEmphasis] = []
    for begin, end, mark in spans:
        if not isinstance(mark, int):
            emphasis.append(ArticleEmphasis(start + begin, start + end, mark))
        elif (url := absolute(Node(page.document, mark).get("href"), base)) is not None:
            links.append(ArticleLink(start + begin, start + end, url))
    # The same as a call of the class, which takes three times as long.
    made = object.__new__(ArticleBlock)
    made.__dict__.update(
        type=kind,
        text=text,
        start=start,
        end=start + len(text),
        role=ALL_ROLES[role] if role >= 0 else None,
        role_probability=round(probability, PROBABILITY_DIGITS) if role >= 0 else None,
        level=level,
        marker=marker,
        links=tuple(links),
        emphasis=tuple(emphasis),
        language=_code_language(Node(page.document, code)) if code >= 0 else None,
        xpath=None,
        texts=(),
        pieces=pieces,
    )
    return made


def _code_language(code: Node) -> str | None:
    """Return the language named by a code block, its first child, parent or grandparent."""
    for node in (code, *islice(code.iterchildren(), 1), *islice(code.iterancestors(), 2)):
        declared = next(filter(None, map(node.get, _CODE_ATTRIBUTES)), None)
        if declared and re.fullmatch(r"[\w+#.-]{1,30}", declared):
            return declared.lower()
        named = _CODE_LANGUAGE.search((node.get("class") or "")[:MAX_CLASS_CHARACTERS])
        if named:
            return named[1].lower()
    return None


def _media_at(
    page: Outline, places: Iterable[_Place], left_out: Collection[int], base: str
) -> list[ArticleImage | ArticleEmbed]:
    """Return the images and embeds at the given places, each URL once."""
    found: dict[str, ArticleImage | ArticleEmbed] = {}
    parents_with_image: set[int] = set()
    for place in places:
        parent = int(page.document.parents[place.element])
        is_fallback = place.medium == "noscript"
        if _is_of_other_page(page, place) or (is_fallback and parent in parents_with_image):
            continue
        block = place.block - sum(each < place.block for each in left_out)
        for medium in _media_of(Node(page.document, place.element), place, base):
            if isinstance(medium, ArticleImage):
                parents_with_image.add(parent)
            found.setdefault(medium.url, replace(medium, block=block))
    return [*found.values()]


def _media_of(element: Node, place: _Place, base: str) -> Iterator[ArticleImage | ArticleEmbed]:
    """Yield the image or embed that an element displays, or the images in a ``noscript``."""
    if place.medium in {"embed", "post"}:
        embed = media.embed_of(element, base)
        if embed is not None:
            yield embed
        return
    for image in element.iter("img") if place.medium == "noscript" else (element,):
        found = media.image_of(image, base, place.caption)
        if found is not None:
            yield found


def _is_of_other_page(page: Outline, place: _Place) -> bool:
    """Return whether an image or embed belongs to a teaser of another page."""
    if place.link >= 0 and not media.is_image_url(Node(page.document, place.link).get("href")):
        return True
    if place.muted < 0 or page.document.tags[place.element] == "audio":
        return False
    return illustrations.is_teaser(page, int(np.searchsorted(page.flat.numbers, place.muted)))
