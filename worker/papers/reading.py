"""Parsing of pages and fragments, the same for every method."""

import re
from functools import lru_cache

from lxml.html import HtmlElement, HTMLParser, document_fromstring

from worker.article.finding import Finding
from worker.article.outline import Outline
from worker.article.rendering import render
from worker.article.result import BlockType
from worker.html import Page, parse_page
from worker.html.encoding import decode
from worker.papers.interface import Neighbours, NoPivotError, Source

CACHED_PAGES = 16
"""Number of parsed pages cached per process: a group's pivot is parsed once for a run of pages."""

_XML_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*\?>")


@lru_cache(maxsize=CACHED_PAGES)
def page_of(source: Source) -> Page:
    """Parse a page as the service does; treat the result as read-only."""
    return parse_page(source.html, source.url, content_type=source.content_type)


@lru_cache(maxsize=CACHED_PAGES)
def outline_of(source: Source) -> Outline:
    """Return the outline of a page, cached for all that are compared with it."""
    return Outline.of(page_of(source).flat)


def pivot_of(neighbours: Neighbours) -> Source:
    """Return the page that another is compared with.

    Raises
    ------
    NoPivotError
        If there is none: Deturck (2015) leaves outliers untreated.
    """
    if neighbours.pivot is None:
        raise NoPivotError("no page to compare it with")
    return neighbours.pivot


def text_of(source: Source) -> str:
    """Decode a page as the service does.

    Every peer is given this text, so that extraction is compared, not decoding: some would read
    every page as UTF-8. The XML declaration is removed, as lxml rejects text with one.
    """
    html = source.html
    text = decode(html, source.content_type).text if isinstance(html, bytes) else html
    return _XML_DECLARATION.sub("", text.replace("\x00", "").removeprefix("\ufeff"), count=1)


def stretches_of(fragment: str | HtmlElement, url: str = "") -> list[tuple[BlockType, str]]:
    """Render an HTML fragment as pairs of block type and text."""
    if isinstance(fragment, str):
        if not fragment.strip():
            return []
        parser = HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
        fragment = document_fromstring(
            fragment.encode("utf-8", "replace"), parser, ensure_head_body=True
        )
    rendering = render(Outline.of(fragment), Finding("fragment", container=0), url)
    return [(stretch.type, stretch.text) for stretch in rendering.stretches]
