"""Parse a page's text into the tree that a browser builds (HTML standard, section 13.2)."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from detourage.html import _markup
from detourage.html.flat import Attributes, FlatDocument, HtmlElement, Pieces
from detourage.html.page_errors import EmptyPageError, FramesetError, NotHtmlError, TooLargeError
from detourage.html.serialisation import OPTIONS, serialise
from detourage.limits import MAX_ATTRIBUTES, MAX_TAGS

MAX_TAGS_IN_PROCESS = 30_000  # ``<`` in a page parsed in this process; 100,000 may take 33 s
MAX_REOPENED = 1_000_000
"""Maximum number of elements that reopened formatting elements may add in this process.

Formatting elements (``<font>``, ``<b>``) that are still open at the end of a block are reopened in
the next one, so 30 kB of markup can produce 3 million elements. The bound is the number of
formatting tags, of which at most three equal ones count, multiplied by the number of all tags.
"""

MAX_COMPARED_ATTRIBUTES = 30_000_000
"""Maximum sum, over the tags of a page parsed in this process, of the squared attribute count.

lexbor compares the attributes of a tag with each other, so a tag with 100,000 takes 18 s. Text in
scripts (``i<n``) may look like a tag with thousands of attributes, and counts as one.
"""

MAX_ROOTS = 50  # ``html`` and ``body`` tags; the attributes of all of them are merged
MAX_NOSCRIPTS = 2_000  # ``noscript`` elements whose content is parsed, which takes 20 µs each


def parse_html(markup: bytes, *, may_cut: bool = True) -> FlatDocument | None:
    """Parse valid UTF-8 without NUL like a browser with scripting; return None if it is empty.

    If parsing may be expensive, it is done in a child process with limited time and memory. The
    parser is spared the contents of long scripts and style sheets, which are half of most pages,
    unless `may_cut` is false.
    """
    shortened, ranges = _markup.cut(markup) if may_cut else (markup, b"")
    # The number of ``<``, the number of ``html`` and ``body`` tags, the sum of the squared numbers
    # of attributes, whether there is a ``plaintext`` tag, and all formatting tags. Text that only
    # looks like a tag counts as well.
    tags, roots, compared_attributes, has_plaintext, formatting_tags = _markup.survey(shortened)
    has_long_tags = compared_attributes > MAX_COMPARED_ATTRIBUTES
    reopened = sum(min(3, number) for number in Counter(formatting_tags).values())
    is_costly = tags > MAX_TAGS_IN_PROCESS or roots > MAX_ROOTS or reopened * tags > MAX_REOPENED
    if not (has_long_tags or is_costly):
        html = serialise(shortened, has_plaintext=has_plaintext)
    else:
        # Pages with long tags are not checked, because libxml2 parses these even more slowly.
        if not has_long_tags:
            from detourage.html.lxml_documents import check_depth

            check_depth(shortened)
        # Imported here because few pages need a child process and the import takes 5 ms.
        from detourage.html import confined_parsing

        html = confined_parsing.serialise(shortened)
    columns = _markup.flatten(html, _noscript_parser(), _SEED, markup, ranges)
    if columns is None:
        # For example, a script in a comment or in SVG was cut.
        return parse_html(markup, may_cut=False)
    return _flat_document(columns, lambda: _document_of(html, markup, ranges))


_SEED = hash(__name__) & 0xFFFF_FFFF_FFFF_FFFF
"""Random seed of hash tables, which has no effect on results."""


def _flat_document(
    columns: tuple[Any, ...], document: Callable[[], HtmlElement]
) -> FlatDocument | None:
    """Return a page's columns as a document, or None if empty; lxml elements are built lazily."""
    tags, names, attributes, pieces, values, *numbers = columns
    if not tags:
        return None
    classes_and_ids = iter(_markup.strings(names))
    columns_of_numbers = [np.frombuffer(column, dtype=np.int64) for column in numbers]
    parents, ends, tag_numbers, name_numbers, text_starts, text_ends = columns_of_numbers[:6]
    shown, piece_parents, after, owners, attribute_names = columns_of_numbers[6:]
    every = np.arange(len(parents))
    return FlatDocument(
        root=cache(document),
        distinct_tags=_markup.strings(tags),
        tag_numbers=tag_numbers,
        distinct_names=[*zip(classes_and_ids, classes_and_ids, strict=True)],
        name_numbers=name_numbers,
        parents=parents,
        ends=ends,
        shown=shown,
        text_parents=piece_parents[shown],
        text_starts=text_starts,
        text_ends=text_ends,
        numbers=every,
        pieces=Pieces(pieces, piece_parents, after),
        attributes=Attributes(_markup.strings(attributes), owners, attribute_names, values),
    )


def _document_of(html: bytes, page: bytes, ranges: bytes) -> HtmlElement:
    """Build the lxml document of a serialised page with the cut ranges of the page."""
    from detourage.html.lxml_documents import parse_repaired

    return parse_repaired(_markup.to_xml(html, _noscript_parser(), page, ranges))


def _noscript_parser() -> Callable[[bytes], bytes]:
    """Return a function that parses and serialises the content of ``noscript`` elements."""
    parsed_so_far = count()

    def parse_noscript(content: bytes) -> bytes:
        if next(parsed_so_far) >= MAX_NOSCRIPTS:
            return b""
        fragment = LexborHTMLParser(content, is_fragment=True, options=OPTIONS, scripting=True)
        return (fragment.html or "").encode()

    return parse_noscript


_TAG = re.compile("<[a-zA-Z]")
# Whitespace, processing instructions, comments and document types before the root element.
_PROLOG = re.compile(
    r"(?:\s|<\?[^>]*>|<!--(?:-?>|.*?(?:--!?>|\Z))|<!DOCTYPE\b[^>\[]*(?:\[[^\]]*\]\s*)?>)*+",
    re.DOTALL | re.IGNORECASE,
)
# A comment, or the document type, which selects quirks mode. The group leaves out the definitions
# of entities, because pages use them only to attack parsers.
_DOCTYPE = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|(<!DOCTYPE\b[^>\[]*)", re.DOTALL | re.IGNORECASE
)
_FOREIGN_ROOT = re.compile(r"<(rss|feed|rdf:RDF|urlset|sitemapindex|opml|svg)[\s>]")
_SCRIPTED = frozenset({"script", "style"})
_STRUCTURED_DATA = "application/ld+json"


def parse_document(text: str, utf8: bytes, *, is_plain: bool = False) -> FlatDocument:
    """Parse a page, given as decoded text and in UTF-8, ignoring its encoding declarations.

    A page served as plain text (`is_plain`) is parsed as well, unless it has no tag.
    Raise `PageError` if the page is unusable. The caller must check the depth, because libxml2
    silently drops elements nested more than 2,048 levels deep.
    """
    match = _PROLOG.match(text)
    prolog = match[0] if match else ""
    start = len(prolog)
    foreign = _FOREIGN_ROOT.match(text, start)
    if foreign:
        raise NotHtmlError(f"the page is an XML document of type {foreign[1]}")
    if not _TAG.search(text, start):
        if is_plain and text[start:].strip():
            raise NotHtmlError("the page is plain text")
        raise EmptyPageError("the page has no element")
    if len(utf8) > MAX_TAGS and utf8.count(b"<") > MAX_TAGS:
        raise TooLargeError(f"the page has more than {MAX_TAGS} tags")
    prolog_length = len(encode_repaired(prolog)[0])
    doctype = next(filter(None, (each[1] for each in _DOCTYPE.finditer(prolog))), None)
    new_prolog = encode_repaired(f"{doctype}>")[0] if doctype else b""
    document = parse_html(b"".join((new_prolog, memoryview(utf8)[prolog_length:])))
    if document is None:
        raise EmptyPageError("the page has no element")
    if np.bincount(document.attributes.owners, minlength=1).max() > MAX_ATTRIBUTES:
        raise TooLargeError(f"an element has more than {MAX_ATTRIBUTES} attributes")
    if "frameset" in document.distinct_tags and "body" not in document.distinct_tags:
        raise FramesetError("the page arranges other pages in frames")
    return document


def has_text(document: FlatDocument) -> bool:
    """Return whether a document has any text, even if only in its title or in structured data."""
    if not document.having(_SCRIPTED)[document.text_parents].all():
        return True
    kinds = document.values("type")
    return any(kinds.get(parent) == _STRUCTURED_DATA for parent in document.text_parents.tolist())


def encode_repaired(text: str) -> tuple[bytes, bool]:
    """Return a text in UTF-8, with surrogates joined or replaced, and whether none were found."""
    try:
        return text.encode(), True
    except UnicodeEncodeError:
        paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return paired.encode(), False
