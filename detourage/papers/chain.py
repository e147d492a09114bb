"""Chains of methods (Lejeune et al. 2015, section 4.3)."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from detourage.article import BlockType
from detourage.papers.interface import (
    ALONE,
    Extracted,
    Extractor,
    Gives,
    Neighbours,
    Source,
    UnavailableError,
)

_TAG_BY_BLOCK_TYPE: dict[BlockType, str] = {
    "heading": "h2",
    "paragraph": "p",
    "list_item": "li",
    "quote": "blockquote",
    "caption": "p",
    "code": "pre",
    "table": "p",
}


def chain(first: Extractor, second: Extractor) -> Extractor:
    """Return a method that applies `second` to the result of `first`, written as an HTML page."""
    for each in (first, second):
        if Gives.TEXT not in each.gives:
            raise UnavailableError(f"{each.name} extracts no text and cannot be part of a chain")
    return Extractor(
        name=f"{first.name}>{second.name}",
        version=f"{first.version}>{second.version}",
        function=f"{__name__}:extract",
        options={"first": first, "second": second},
        needs=first.needs,
        preparation=f"{__name__}:prepare",
        source=f"{first.source}>{second.source}",
    )


def prepare(first: Extractor, second: Extractor) -> None:
    """Prepare both methods."""
    first.prepare()
    second.prepare()


def extract(
    source: Source, neighbours: Neighbours, first: Extractor, second: Extractor
) -> Extracted:
    """Apply both methods; use the first one's title and metadata if the second finds none."""
    draft = first.extract(source, neighbours)
    if not draft.blocks:
        return draft
    final = second.extract(Source(to_html(draft), source.url), ALONE)
    title, authors = final.title or draft.title, final.authors or draft.authors
    return Extracted(title, final.text, final.blocks, authors, final.date or draft.date)


def to_html(extracted: Extracted) -> bytes:
    """Write a result as an HTML page."""
    title = escape(extracted.title or "")
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{''.join(_elements(extracted))}</body></html>"
    ).encode("utf-8", "replace")


def _elements(extracted: Extracted) -> Iterator[str]:
    for kind, blocks in groupby(extracted.blocks, key=lambda block: block.type):
        tag = _TAG_BY_BLOCK_TYPE[kind]
        html = "".join(f"<{tag}>{escape(block.text)}</{tag}>\n" for block in blocks)
        yield f"<ul>{html}</ul>" if kind == "list_item" else html
