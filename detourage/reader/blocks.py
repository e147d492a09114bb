"""Division of a body into blocks of text, images and embeds."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from detourage import core
from detourage.article import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
    copy_with,
)
from detourage.html.nodes import Node
from detourage.html.urls import absolute
from detourage.reader import media
from detourage.reader.captions import caption_mask
from detourage.reader.found_body import FoundBody
from detourage.reader.leading_images import is_teaser
from detourage.reader.outline import Outline
from detourage.roles import ALL_ROLES
from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern

MAX_BLOCKS_TO_TITLE = 3  # number of first blocks that are left out if they repeat the headline
PROBABILITY_DIGITS = 3  # Number of decimal places in the probability of a role

_CODE_LANGUAGE = lazy_pattern(  # "language-python", "highlight-source-shell" or "brush: js"
    r"(?:^|\s)(?:(?:highlight-source|highlight|language|lang)-|brush:\s?)"
    r"(?!default\b|none\b)([a-z][\w+#.]{0,20})(?![\w+#.])",
    re.IGNORECASE,
)
_CODE_ATTRIBUTES = ("data-lang", "data-language")
MAX_CLASS_CHARACTERS = 200  # length of a class attribute that is searched for the language of code


def blocks_of(
    page: Outline, body: FoundBody, base: str, title: str | None = None
) -> tuple[list[ArticleBlock], list[ArticleImage | ArticleEmbed]]:
    """Divide a body into blocks; return them and the body's images and embeds, in document order.

    A block ends at the border of a block element or at two line breaks (``br``), but not at a
    single one. A block has the type of the nearest enclosing element with a type. A table of short
    cells is one block, with a line per row and tabs between cells; any other table is treated as
    layout. Of the first `MAX_BLOCKS_TO_TITLE` blocks, those that repeat the `title` are left out.
    Relative URLs are resolved against `base`.
    """
    numbers, roles = page.flat.numbers, body.roles
    found, places = core.blocks(
        page.document,
        *(page.flat.shown, page.text_lines, page.text_sizes),
        int(numbers[body.container]),
        *(numbers[[*elements]] for elements in (body.dropped, body.muted)),
        numbers[caption_mask(page)],
        None if body.lines is None else np.array([*body.lines], np.int64),
        np.array([*roles], np.int64),
        np.array([ALL_ROLES.index(each.role) for each in roles.values()], np.int64),
        np.array([each.probability for each in roles.values()], np.float64),
    )
    title_tokens = words.tokens(title or "")
    repeated = {
        place
        for place, (_, text, *_) in enumerate(found[:MAX_BLOCKS_TO_TITLE])
        if all(map(text.lower().__contains__, title_tokens)) and words.tokens(text) == title_tokens
    }
    kept: list[ArticleBlock] = []
    for place, block in enumerate(found):
        if place not in repeated:
            start = kept[-1].end + 2 if kept else 0
            kept.append(_article_block(page, block, start, base))
    return kept, _images_and_embeds(page, places, repeated, base)


def _article_block(page: Outline, found: Sequence[Any], start: int, base: str) -> ArticleBlock:
    """Return a `Block` of ``blocks.hpp`` at an offset; `found` has -1 for no code or role."""
    kind, text, spans, pieces, level, marker, code, role, probability = found
    links: list[ArticleLink] = []
    emphasis: list[ArticleEmphasis] = []
    for begin, end, mark in spans:
        if not isinstance(mark, int):
            emphasis.append(ArticleEmphasis(start + begin, start + end, mark))
        elif (url := absolute(Node(page.document, mark).get("href"), base)) is not None:
            links.append(ArticleLink(start + begin, start + end, url))
    # Equivalent to calling the class, but three times as fast.
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


def _images_and_embeds(
    page: Outline,
    places: Iterable[tuple[str, int, int, str | None, int, int]],
    left_out: Collection[int],
    base: str,
) -> list[ArticleImage | ArticleEmbed]:
    """Return the images and embeds at the given places, each URL once.

    A place consists of the kind of medium, its element, the number of blocks before it, its
    caption, the muted element around it (see `FoundBody`) or -1, and, in a muted element, the link
    around it or -1.
    """
    found: dict[str, ArticleImage | ArticleEmbed] = {}
    parents_with_image: set[int] = set()
    for kind, index, block, caption, muted, link in places:
        element, parent = Node(page.document, index), int(page.document.parents[index])
        if kind == "noscript" and parent in parents_with_image:
            continue
        # In a muted element, a linked image, or an image next to many links, is a teaser.
        if link >= 0 and not media.is_image_url(Node(page.document, link).get("href")):
            continue
        around = int(page.flat.numbers.searchsorted(muted)) if muted >= 0 else -1
        if around >= 0 and element.tag != "audio" and is_teaser(page, around):
            continue
        here: list[ArticleImage | ArticleEmbed | None]
        if kind in {"embed", "post"}:
            here = [media.embed_of(element, base)]
        else:
            images = element.iter("img") if kind == "noscript" else (element,)
            here = [media.image_of(image, base, caption) for image in images]
        place = block - sum(each < block for each in left_out)
        for medium in here:
            if isinstance(medium, ArticleImage):
                parents_with_image.add(parent)
            if medium is not None:
                found.setdefault(medium.url, copy_with(medium, block=place))
    return [*found.values()]
