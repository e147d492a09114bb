"""trafilatura (Barbaresi, ACL 2021); `options` such as ``favor_recall`` go to the library."""

from copy import deepcopy
from typing import Any

from lxml.etree import tostring

from detourage.papers.conversion import text_of, typed_texts_of
from detourage.papers.interface import Extracted, Neighbours, ReaderComment, Source

_HTML_NAMES = {
    "head": "h2",
    "list": "ul",
    "item": "li",
    "quote": "blockquote",
    "lb": "br",
    "row": "tr",
    "cell": "td",
    "hi": "span",
    "ref": "span",
    "del": "span",
    "graphic": "img",
}
"""HTML elements by the names of the TEI elements in the library's output, such as ``head``."""


def prepare(**_options: Any) -> None:
    """Import the library before any page is timed."""
    import trafilatura  # noqa: F401


def extract(
    source: Source, _neighbours: Neighbours, *, include_comments: bool = False, **options: bool
) -> Extracted:
    """Extract text and metadata; the library's comments, a single text, become one comment."""
    from trafilatura import bare_extraction

    document = bare_extraction(
        text_of(source),
        url=source.url or None,
        include_comments=include_comments,
        with_metadata=True,
        **options,
    )
    if document is None:
        return Extracted.from_typed_texts(None, [])
    body = deepcopy(document.body)
    for element in body.iter(*_HTML_NAMES):
        element.tag = _HTML_NAMES[element.tag]
    return Extracted.from_typed_texts(
        document.title,
        typed_texts_of(tostring(body, encoding="unicode", method="html"), source.url),
        authors=document.author.split("; ") if document.author else (),
        date=document.date,
        comments=[ReaderComment(document.comments)] if document.comments else (),
    )
