"""A fetched and parsed page, and article texts stored outside its markup."""

import json
import re
from dataclasses import field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from detourage.html.content_type import check_content_type, check_signature, media_type
from detourage.html.dom import encode_repaired, has_text, parse_document
from detourage.html.encoding import DecodedPage, decode
from detourage.html.flat import FlatDocument, HtmlElement
from detourage.html.page_errors import EmptyPageError, PageError, TooDeepError, TooLargeError
from detourage.html.source_positions import Source
from detourage.html.tree import Tree
from detourage.html.visible_text import paragraphs, unescape
from detourage.limits import MAX_DEPTH, MAX_ELEMENTS, MAX_HTML_BYTES, MAX_URL_CHARACTERS
from detourage.records import record
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.mojibake import may_need_repair, repair


class Response(NamedTuple):
    """Metadata of the HTTP response as reported by the crawler; None for missing values.

    `final_url` is the URL after redirects.
    """

    status: int | None = None
    final_url: str | None = None

    @classmethod
    def of(cls, extra: str) -> Self:
        """Read a page message's extra keys; ignore invalid values, which old releases stored."""
        if extra == "{}":
            return cls()
        values = json.loads(extra)
        status, final_url = values.get("status"), values.get("final_url")
        is_status = type(status) is int and 100 <= status <= 599
        is_url = (
            isinstance(final_url, str)
            and len(final_url) <= MAX_URL_CHARACTERS
            and final_url.lower().startswith(("http://", "https://"))
        )
        return cls(status if is_status else None, final_url if is_url else None)


NO_RESPONSE = Response()  # value for a page whose HTTP response metadata is unknown


@record
class Page:
    """A parsed page.

    `flat`, which is read-only, starts at the root element, ``html``, and has no comments or
    processing instructions. `encoding` is a name in the Encoding Standard; ``utf-8`` for a page
    given as text. `source` is None if the tree was not parsed from the page as fetched.
    """

    url: str
    flat: FlatDocument
    encoding: str
    response: Response = NO_RESPONSE
    source: Source | None = field(default=None, repr=False)

    def __del__(self) -> None:
        # The cached values refer back to the document. Without this, only the garbage collector
        # would free them.
        self.flat.memo.clear()

    @property
    def document(self) -> HtmlElement:
        """The root element; building the elements takes as long as all parsing before it."""
        return self.flat.root()

    @cached_property
    def tree(self) -> Tree:
        """The tree of all elements, without text, labelled with lower-case local names."""
        flat = self.flat
        starts = np.arange(len(flat.parents))
        postorder = np.lexsort((-starts, flat.ends))
        labels = tuple(map(flat.tags.__getitem__, postorder.tolist()))
        sizes = (flat.ends - starts)[postorder].astype(np.int32)
        sizes.setflags(write=False)
        return Tree(labels, sizes)


def parse_page(
    html: bytes | str,
    url: str = "",
    *,
    content_type: str | None = None,
    response: Response = NO_RESPONSE,
    may_be_blank: bool = False,
) -> Page:
    """Parse a page as fetched, and repair mojibake.

    Encoding declarations in a page given as text are ignored. Raise `PageError` if the page is
    unusable, has no text (unless `may_be_blank`), or is far larger than any real page.
    """
    check_content_type(content_type)
    check_signature(html)
    if len(html) > MAX_HTML_BYTES:
        unit = "bytes" if isinstance(html, bytes) else "characters"
        raise TooLargeError(f"the page is longer than {MAX_HTML_BYTES} {unit}")
    if isinstance(html, bytes):
        decoded = decode(html, content_type)
    else:
        decoded = DecodedPage(html.removeprefix("\ufeff"), "utf-8", None)
    text, utf8, is_lossless = decoded.text, decoded.utf8, True
    if utf8 is None:
        # A page given as text may have lone surrogates, which UTF-8 cannot express.
        utf8, is_lossless = encode_repaired(text)
    if b"\x00" in utf8:
        text = text.replace("\x00", "")
        utf8, is_lossless = encode_repaired(text)
    if may_need_repair(utf8) and (repaired := repair(text)) != text:
        text, (utf8, is_lossless) = repaired, encode_repaired(repaired)
    declared = media_type(content_type) or ""
    is_xhtml = declared.endswith("xhtml+xml") or _XHTML in text[:MAX_START]
    if is_xhtml and (closed := _closed(text)) != text:
        text, (utf8, is_lossless) = closed, encode_repaired(closed)
    if not _END_OF_TITLE.search(utf8) and _OPEN_TITLE.search(text):
        # An unclosed title would contain the rest of the page.
        utf8, is_lossless = encode_repaired(text := _OPEN_TITLE.sub(r"\g<0></title>", text))
    raw = html if isinstance(html, bytes) else None
    is_changed = not is_lossless or text != (html if raw is None else decoded.text)
    source = Source(raw, utf8, decoded.encoding if decoded.utf8 is None else None, is_changed)
    flat = parse_document(text, utf8, is_plain=declared == "text/plain")
    if flat.depths.max() >= MAX_DEPTH:
        raise TooDeepError(f"elements are nested deeper than {MAX_DEPTH}")
    if len(flat.parents) > MAX_ELEMENTS:
        raise TooLargeError(f"the page has more than {MAX_ELEMENTS} elements")
    if not may_be_blank and not has_text(flat):
        raise EmptyPageError("the page has no text")
    return Page(url, flat, decoded.encoding, response, source)


_END_OF_TITLE = re.compile(b"</title", re.IGNORECASE)
_OPEN_TITLE = lazy_pattern(r"<title\b[^<>]*+(?<!/)>[^<]*+", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
MAX_START = 2_000  # characters of a page searched for the namespace of XHTML
_TEXT_ELEMENTS = ("title", "script", "style", "iframe", "textarea", "noscript")
_SELF_CLOSED = lazy_pattern(rf"<({'|'.join(_TEXT_ELEMENTS)})(?=[\s/])[^<>]*+(?<=/)>")


def _closed(text: str) -> str:
    """Close self-closed elements that, for an HTML parser, would contain the rest of the page."""
    ends = {name: text.rfind(f"</{name}") for name in _TEXT_ELEMENTS}
    return _SELF_CLOSED.sub(
        lambda tag: tag[0] if ends[tag[1]] > tag.start() else f"{tag[0]}</{tag[1]}>", text
    )


_MARKUP = lazy_pattern(
    r"</?(?:p|br|div|h[1-6]|li|ul|blockquote|figure|section|a|strong|em)\b[^<>]*>"
)
_ESCAPED_MARKUP = lazy_pattern(r"&lt;/?(?:p|br|div|h[1-6])\b", re.IGNORECASE)


def to_html(text: str) -> str:
    """Convert a string to HTML with a paragraph per line, unless it already contains tags."""
    if _ESCAPED_MARKUP.search(text):
        text = unescape(text)
    if _MARKUP.search(text):
        return text
    from html import escape

    lines = (line.strip() for line in unescape(text).splitlines())
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def plain_paragraphs(text: str) -> list[str]:
    """Return the visible, non-empty paragraphs of a string."""
    try:
        return paragraphs(parse_page(f"<html><body>{to_html(text)}</body></html>").document)
    except PageError:
        return []
