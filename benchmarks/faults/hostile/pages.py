"""Kinds of valid messages with hostile pages."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from benchmarks.faults.hostile.sent import FORGED_LINE, Draw, Kind, Make, Sent
from tests.hostile_pages import MARKUP, TEXTS

COPIES = 4  # number of pages of each kind; no two of them have the same size

MAX_PAGE_BYTES = 1_000_000  # size in bytes of the largest page of each kind

TEXT_BYTES = 300_000
"""Size of the texts that pages repeat, in bytes; some pages contain such a text seven times."""

Page = Callable[[int], str | bytes]
TextPage = Callable[[int], str]  # function that returns a page of about the given number of bytes


def kinds() -> Iterator[Kind]:
    """Yield all kinds of this module."""
    for name, page in {**_PAGES, **MARKUP}.items():
        yield Kind("pages", name, _page_message(page), COPIES)
    for place, texts in TEXTS.items():
        yield Kind("pages", f"texts: {place}", _text_message(list(texts.values())), len(texts))


def _page_message(page: Page) -> Make:
    """Return a function that sends a page in various sizes, alone or inside an article."""

    def make(draw: Draw) -> Sent:
        size = draw.one_of((MAX_PAGE_BYTES, MAX_PAGE_BYTES // 10, MAX_PAGE_BYTES // 3, 1_000))
        content = page(size)
        if isinstance(content, str) and draw.number % 2:
            # Insert the hostile markup into an article with the same template as the site's other
            # pages.
            content = draw.html.replace("</p>", f"</p>{content}", 1)
        return draw.send_page(content)

    return make


def _text_message(pages: Sequence[TextPage]) -> Make:
    """Return a function that makes messages from the given pages in turn."""

    def make(draw: Draw) -> Sent:
        return draw.send_page(draw.one_of(pages)(TEXT_BYTES))

    return make


def _repeat(*pieces: str) -> TextPage:
    """Return a function that repeats the pieces until the page has the requested size."""
    piece = "".join(pieces)
    return lambda size: piece * (size // len(piece.encode("utf-8", "surrogatepass")) + 1)


def _repeat_between(start: str, piece: str, end: str = "") -> TextPage:
    """Return a function that repeats a piece after a start and before an end."""
    return lambda size: start + piece * (size // len(piece.encode()) + 1) + end


def _repeat_numbered(piece: str) -> TextPage:
    """Return a function that repeats a piece, in which ``%`` is replaced with a running number."""
    return lambda size: "".join(piece.replace("%", str(n)) for n in range(size // len(piece) + 1))


def _linked_data(value: Callable[[int], str]) -> TextPage:
    """Return a function that makes pages with JSON-LD of about the given size."""
    return lambda size: (
        f'<script type="application/ld+json">{value(size)}</script>'
        "<h1>A headline of the page</h1><p>The council met to decide about the bridge.</p>"
    )


def _article(**more: object) -> Callable[[int], str]:
    return lambda _size: json.dumps({"@type": "NewsArticle", "headline": "A headline", **more})


@cache
def _zip_bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("bomb", bytes(10_000_000))
    return stream.getvalue()


def _png(size: int) -> bytes:
    """Return a PNG of 100,000 by 100,000 pixels without their data."""
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 6, 0, 0, 0)
    chunk = b"IHDR" + header
    checked = struct.pack(">I", len(header)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return b"\x89PNG\r\n\x1a\n" + checked + b"\x00" * size


def _in_other_charset(declared: str, actual: str) -> Page:
    """Return a function that makes pages whose declared and actual encodings differ."""
    text = "<p>\u0413\u043e\u0440\u043e\u0434 r\u00e9solu \u4e2d\u6587 &eacute; and they met.</p>"
    return lambda size: (f'<meta charset="{declared}">' + text * (size // 100 + 1)).encode(
        actual, "replace"
    )


_PLAIN_PARAGRAPH = "<p>The council met on Tuesday to decide about the bridge.</p>"

_PAGES: dict[str, Page] = {
    "nested blocks of many names": _repeat("<section><ul><li><table><tr><td>"),
    "nested formatting": _repeat("<b><i><a href=x>"),
    "formatting closed in another order": _repeat("<b><p></b><i></p>x"),
    "formatting in formatting": _repeat("<b>", "<font color=a>x<p>"),
    "only less-than signs": _repeat("<"),
    "only ampersands": _repeat("&"),
    "end tags": _repeat("</b></p></body></html></x>"),
    "entities": _repeat("&notit;&#x110000;&#0;&#xd800;&ampamp;&CounterClockwiseContourIntegral;"),
    "a numeric character reference": _repeat_between("<p>&#", "9", ";"),
    "an unclosed comment": _repeat_between(_PLAIN_PARAGRAPH + "<!--", "- -!> --"),
    "comments": _repeat("<!-- a --><!--->"),
    "an unclosed CDATA section": _repeat_between("<svg><![CDATA[", "]] >"),
    "an unclosed script": _repeat_between(_PLAIN_PARAGRAPH + "<script>", "<!--<script>a</scrip "),
    "an unclosed style": _repeat_between("<style>", "a{}/*"),
    "an unclosed title": _repeat_between("<title>", "Title "),
    "an unclosed textarea": _repeat_between("<textarea>", "a\n"),
    "plaintext": _repeat_between("<plaintext>", "<p>text</p>"),
    "the same attribute": _repeat_between("<p ", "a=b ", ">text</p>"),
    "an unclosed attribute": _repeat_between("<p title='", "<p>text</p>"),
    "an unclosed tag": _repeat_between("<p ", "a/ = < "),
    "element names": _repeat_numbered("<x-% y%>a</x-%>"),
    "an element name of a megabyte": _repeat_between("<x", "y", ">text"),
    "frames": _repeat_between("<frameset>", "<frame src=a>", "<noframes><p>a</noframes>"),
    "a table of many rows": _repeat_between("<table>", "<tr><td>a<td>b", "</table>"),
    "a table of many columns": _repeat_between("<table><tr>", "<td colspan=65534 rowspan=65534>a"),
    "text misplaced in tables": _repeat_between("<table>", "a<tr>b<p>c"),
    "nested tables": _repeat("<table><tr><td>a<table>"),
    "hidden texts": _repeat("<p style='display:none'>hidden</p><p hidden>x</p>"),
    "styles of hostile forms": _repeat("<p style='display:/**/n\\6f ne;x:url((((;'>t</p>"),
    "select elements": _repeat_between("<select>", "<option>a<optgroup>b"),
    "forms and buttons": _repeat("<form><button><input><label>"),
    "svg and mathml": _repeat("<svg><foreignObject><math><mi><p>a"),
    "headlines": _repeat_numbered(
        "<li><h3><a href='/story/%'>The council decides about bridge %</a></h3><p>On Tuesday, again"
    ),
    "headlines with dead links": _repeat_numbered(
        "<h2><a href='javascript:alert(%)'>Story % of the council</a></h2>"
        "<h2><a href='//u:p@[::%/'>Story % of the bridge</a></h2>"
        "<h2><a href='/%\x1b[2J&#0;&#xd800;&#10;x'>Story\x07 % &#xd800;of the\ncouncil</a></h2>"
    ),
    "headlines with long addresses": _repeat_numbered(
        f"<h2><a href='/{'a' * 8_000}%'>Story % of the council</a></h2>"
    ),
    "data URLs": _repeat("<img src='data:image/png;base64,", "QUJD" * 1000, "'><p>a"),
    "whitespace": _repeat("<p> \t\n\u00a0\u2003"),
    "combining characters": _repeat_between("<p>a", "\u0301\u0489"),
    "bidirectional control characters": _repeat("<p>\u202eabc\u2066def\u200f "),
    "control characters": _repeat("<p>\x1b[2J\x07\x08\x0b\x7f\x85 text"),
    "NUL bytes": _repeat("<p>a\x00b<\x00p>"),
    "lone surrogates": lambda size: ("<p>\ud800 text</p>" * (size // 20)).encode(
        "utf-8", "surrogatepass"
    ),
    "random bytes": lambda size: bytes(zlib.crc32(b"%d" % n) & 0xFF for n in range(size)),
    "forged lines": _repeat(
        f"<title>\n{FORGED_LINE}</title><h1>\r\n{FORGED_LINE}</h1><p>\n{FORGED_LINE}</p>"
    ),
    "URLs in the head": _repeat_between(
        "<base href='https://u:p@[::1/'><link rel=canonical href='https://[v'>",
        "<meta http-equiv=refresh content='0;url=http://['><link rel=amphtml href='//:x'>",
        _PLAIN_PARAGRAPH,
    ),
    "metadata with extreme dates": _repeat_between(
        "<meta property='article:published_time' content='9999-12-31T23:59:59-23:59'>",
        "<meta name=date content='0001-01-01T00:00:00+23:59'><time datetime='-1-99-99T99'>x</time>",
        _PLAIN_PARAGRAPH,
    ),
    "keywords": lambda size: (
        "<meta name=keywords content='" + _repeat_numbered("k%,")(size) + f"'>{_PLAIN_PARAGRAPH}"
    ),
    "deep JSON-LD, closed": _linked_data(
        lambda size: '{"@graph":[' * (size // 20) + "]}" * (size // 20)
    ),
    "JSON-LD of braces": _linked_data(lambda size: "{}" * (size // 2)),
    "JSON-LD of numbers": _linked_data(
        lambda size: '{"@type":"NewsArticle","wordCount":' + "9" * size + "}"
    ),
    "JSON-LD of lone surrogates": _linked_data(_article(author="\ud800", articleBody="\udfff a")),
    "JSON-LD of wrong types": _linked_data(
        _article(author=[[{"name": {"a": [1]}}]], datePublished=10**30, image=[None, {"url": [7]}])
    ),
    "JSON-LD with extreme dates": _linked_data(
        _article(datePublished="9999-12-31T23:59:59-23:59", dateModified="0001-01-01T00:00+23:59")
    ),
    "JSON-LD of many comments": lambda size: _linked_data(
        _article(comment=[{"@type": "Comment", "text": "I agree."}] * (size // 40))
    )(size),
    "JSON-LD of many articles": lambda size: _linked_data(
        lambda size: (
            "["
            + ",".join(['{"@type":"NewsArticle","headline":"A","author":"Ann Lee"}'] * (size // 60))
            + "]"
        )
    )(size),
    "JSON-LD of many authors": lambda size: _linked_data(
        _article(author=[{"name": f"Ann Number{n}"} for n in range(size // 25)])
    )(size),
    "nested microdata": _repeat("<div itemscope itemprop=author itemtype='a'>"),
    "dates": _repeat(
        "<p class=date>31/12/99999 25:61 il y a 99999999999999 ans 30 f\u00e9v 0000</p>"
    ),
    "author names": _repeat("<p class=author>By Ann, Bob and By By By and, and and </p>"),
    "a script that would fill the page": _repeat_between(
        "<div id=root></div><noscript>Enable JavaScript</noscript><script>", "window.a=1;"
    ),
    "a zip file": lambda _size: _zip_bomb(),
    "a PDF": lambda size: b"%PDF-1.7\n1 0 obj<</Length 9>>stream\n" + b"\xfa\x00" * (size // 2),
    "a PNG": _png,
    "a GIF that is HTML": lambda size: b"GIF89a" + b"<script>a()</script>" * (size // 20),
    "a page that is still compressed": lambda size: gzip.compress(b"<p>text</p>" * size),
    "declared UTF-8, encoded in UTF-16": _in_other_charset("utf-8", "utf-16"),
    "declared UTF-16, encoded in UTF-8": _in_other_charset("utf-16", "utf-8"),
    "declared UTF-7": _in_other_charset("utf-7", "utf-7"),
    "declared ISO-2022-JP": _in_other_charset("iso-2022-jp", "iso2022_jp"),
    "declared GB18030, encoded in KOI8-R": _in_other_charset("gb18030", "koi8-r"),
    "declared an unknown encoding": _in_other_charset("x-no-such", "cp1252"),
    "feeds and other XML": _repeat_between(
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "&b;&b;">]><rss>', "<item>&b;</item>"
    ),
}
