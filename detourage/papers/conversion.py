"""Conversion of pages to the input of methods, and of the methods' findings to results."""

import re
from collections.abc import Iterable
from functools import lru_cache

from detourage.article import BlockType
from detourage.comments import Comment
from detourage.html import Page, parse_page
from detourage.html.encoding import decode
from detourage.papers.interface import Extracted, Neighbours, NoPivotError, ReaderComment, Source
from detourage.reader.article_from_body import article_of
from detourage.reader.blocks import blocks_of
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles

CACHED_PAGES = 16
"""Number of parsed pages cached per process, so that a group's pivot is not parsed repeatedly."""

_XML_DECLARATION = re.compile(r"\s*+<\?xml\b[^>]*+(?<=\?)>")


@lru_cache(maxsize=CACHED_PAGES)
def page_of(source: Source) -> Page:
    """Parse a page as the service does; the result is shared and must not be modified."""
    return parse_page(source.html, source.url, content_type=source.content_type)


@lru_cache(maxsize=CACHED_PAGES)
def outline_of(source: Source) -> Outline:
    """Return the outline of a page, from a cache if the page is compared with several others."""
    return Outline.of(page_of(source).flat)


def pivot_of(neighbours: Neighbours) -> Source:
    """Return the page to compare with; raise NoPivotError for an outlier, as in Deturck (2015)."""
    if neighbours.pivot is None:
        raise NoPivotError("there is no page to compare this one with")
    return neighbours.pivot


def text_of(source: Source) -> str:
    """Decode a page as the service does, and remove any XML declaration, which lxml rejects."""
    html = source.html
    text = decode(html, source.content_type).text if isinstance(html, bytes) else html
    text = text.replace("\x00", "").removeprefix("\ufeff")
    declaration = _XML_DECLARATION.match(text)
    return text if declaration is None else text[declaration.end() :]


def typed_texts_of(fragment: str, url: str = "") -> list[tuple[BlockType, str]]:
    """Divide an HTML fragment into blocks, as pairs of type and text."""
    if not fragment.strip():
        return []
    return typed_texts_in(Outline.of(parse_page(fragment, may_be_blank=True).flat), 0, url)


def typed_texts_in(page: Outline, container: int, url: str) -> list[tuple[BlockType, str]]:
    """Divide an element into blocks, as pairs of type and text."""
    blocks, _ = blocks_of(page, FoundBody("fragment", container), url)
    return [(block.type, block.text) for block in blocks]


def extract_body(
    source: Source, page: Outline, body: FoundBody, pivot: Outline | None = None
) -> Extracted:
    """Return the text of `body`, with the headline unless the page `pivot` has the same one."""
    pivot_titles = () if pivot is None else (Titles.of(pivot),)
    article = article_of(source.url, page, pivot_titles, body)
    return Extracted(article.title, article.text, article.blocks)


def to_reader_comments(comments: Iterable[Comment]) -> tuple[ReaderComment, ...]:
    """Convert comments to the type used in a method's result."""
    dated = ((each, str(each.date) if each.date else None) for each in comments)
    return tuple(
        ReaderComment(each.text, each.author, each.written_date, each.parent, published)
        for each, published in dated
    )
