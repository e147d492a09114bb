import gzip
import io
import zipfile

import pytest
from lxml import etree

from detourage import read
from detourage.html import (
    EmptyPageError,
    FramesetError,
    NotHtmlError,
    PageError,
    TooDeepError,
    TooLargeError,
    parse_page,
)
from detourage.html.visible_text import paragraphs, visible_text
from detourage.limits import MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_HTML_BYTES, MAX_TAGS
from tests.trees import format_brackets

XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr">'
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
DOCTYPE = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n'
)


def tree_of_page(html: bytes | str, content_type: str | None = None) -> str:
    return format_brackets(parse_page(html, content_type=content_type).tree)


def zip_archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("index.html", "<p>text</p>")
    return target.getvalue()


@pytest.mark.parametrize(
    "html",
    [
        "<html><body><p>a</p></body></html><p>b</p>c",
        "<html><body><p>a</p></BODY ></HTML\n><div>b</div><div>c</div>",
        "<html><body><p>a</p></body></html><html><body><p>b</p>c</body></html>",
        "<html><body/><p>a</p><p>b</p>c</html>",
        "<html lang='en'/><p>a</p>b<p>c</p>",
        "<html><head/><body><p>a</p>b<div>c</div>",
    ],
)
def test_nothing_is_lost_after_the_end_of_the_page(html: str) -> None:
    document = parse_page(html).document
    body = document.find("body")
    assert body is not None
    assert visible_text(body) == "a\nb\nc"


@pytest.mark.parametrize("rest", ["", "<title>Tides</title", "<svg><title/></svg>"])
def test_a_title_that_is_never_closed_does_not_swallow_the_page(rest: str) -> None:
    sentences = "<p>The tide was higher than in any year since the harbour was built.</p>" * 3
    head = "<html><head><TITLE>High tides - Harbo<script>start()</script></head>"
    page = f"{head}<body>{sentences}{rest}"
    article = read(page.replace("</title", ""), "https://harbour.example/tides").article
    assert article is not None
    assert article.text.startswith("The tide was higher")
    assert article.title == "High tides"


def test_null_and_control_characters_are_harmless() -> None:
    document = parse_page("<p>a\x00b\x01</p><p>&#0;c&#xD800;</p>").document
    first, second = document.findall(".//p")
    assert first.text == "ab"
    assert second.text == "\ufffdc\ufffd"


def test_surrogates_are_joined_or_replaced() -> None:
    document = parse_page("<p>\ud83d\ude00 \ud800</p>").document
    assert document.findtext(".//p") == "\U0001f600 \ufffd"


def test_a_byte_order_mark_is_not_text() -> None:
    assert tree_of_page("\ufeff<html><head><title>t</title></head></html>") == (
        "{html{head{title}}{body}}"
    )


@pytest.mark.parametrize("content_type", [None, "application/xhtml+xml; charset=utf-8"])
def test_self_closed_elements_of_xhtml_do_not_contain_the_rest(content_type: str | None) -> None:
    page = f"{XML * (content_type is None)}{DOCTYPE}{XHTML}<head><title/><script src='a'/></head>"
    tree = tree_of_page(f"{page}<body><p>a&nbsp;b</p></body></html>", content_type)
    assert tree == "{html{head{title}{script}}{body{p}}}"


OTHER_FORMATS = (
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    b"\xff\xd8\xff\xe0\x00\x10JFIF",
    b"GIF89a\x01\x00\x01\x00",
    b"{\\rtf1\\ansi text}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
    gzip.compress(b"<p>text</p>"),
    zip_archive(),
)
FEEDS = (
    '<?xml version="1.0"?>\n<rss version="2.0"><channel><title>t</title></channel></rss>',
    '<!-- feed --><feed xmlns="http://www.w3.org/2005/Atom"><title>t</title></feed>',
    "<?xml version='1.0'?><!DOCTYPE x><rdf:RDF><title>t</title></rdf:RDF>",
    "<urlset><url><loc>http://example.com/</loc></url></urlset>",
)
OTHER_TYPES = ("application/pdf", "image/svg+xml", "application/json; charset=utf-8", "TEXT/CSS")
EMPTY = (
    *("", " \r\n\t", "plain text, not a tag", "<!-- <p>text</p> -->", "<?xml version='1.0'?>"),
    *("</p></div>", "<html><body></body></html>", "<p>&nbsp; \u3000</p>"),
    "<img src='a.png' alt='b'>",
    "<style>p {color: red}</style><script>document.write('text')</script>",
)
FRAMESETS = (
    f"<html><head>{title}</head><frameset><frame src=a>{inside}</frameset>"
    for title in ("", "<title>t</title>")
    for inside in ("", "<noframes><p>Your browser shows no frames.")
)
ATTRIBUTES = [f"a{number}='>'" for number in range(MAX_ATTRIBUTES + 1)]
MARKUP = "<p>a<script>{}</script>"


@pytest.mark.parametrize(
    ("html", "content_type", "error"),
    [
        *((content, "text/html", NotHtmlError) for content in OTHER_FORMATS),
        *(("<p>a</p>", each, NotHtmlError) for each in OTHER_TYPES),
        *((feed, "text/xml", NotHtmlError) for feed in FEEDS),
        (" ", "text/plain", EmptyPageError),
        *((html, None, EmptyPageError) for html in EMPTY),
        *((html.encode(), None, EmptyPageError) for html in EMPTY),
        *((html, None, FramesetError) for html in FRAMESETS),
        ("<div>" * (MAX_DEPTH - 1) + "a", None, TooDeepError),
        ("<p>a" * (MAX_ELEMENTS - 2), None, TooLargeError),
        (MARKUP.format("<" * (MAX_TAGS - 2)), None, TooLargeError),
        (f"<p {' '.join(ATTRIBUTES)}>a</p>", None, TooLargeError),
        ("<p>" + "a" * (MAX_HTML_BYTES - 2), None, TooLargeError),
        (b"<p>" + b"a" * (MAX_HTML_BYTES - 2), None, TooLargeError),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_unusable_content_raises_the_error_that_names_the_problem(
    html: bytes | str, content_type: str | None, error: type[PageError]
) -> None:
    with pytest.raises(error):
        parse_page(html, content_type=content_type)


def test_plain_text_without_a_tag_is_not_html() -> None:
    with pytest.raises(NotHtmlError, match="plain text"):
        parse_page("1 < 2, says the teacher.", content_type="text/plain; charset=utf-8")


def test_the_largest_pages_are_parsed() -> None:
    assert len(parse_page("<div>" * (MAX_DEPTH - 2) + "a").tree) == MAX_DEPTH + 1
    assert len(parse_page("<p>a" * (MAX_ELEMENTS - 3)).tree) == MAX_ELEMENTS
    assert parse_page(MARKUP.format("<" * (MAX_TAGS - 3)))
    paragraph = parse_page(f"<p {' '.join(ATTRIBUTES[:-1])}>a</p>").document.find(".//p")
    assert paragraph is not None
    assert len(paragraph.attrib) == MAX_ATTRIBUTES
    assert parse_page("<p>" + "a" * (MAX_HTML_BYTES - 3))


@pytest.mark.parametrize("html", ["<h1>ftyp</h1>", "RIFF raff<p>a", "ID3 tags<p>a", "BM<p>a"])
def test_text_that_only_looks_like_another_format_is_a_page(html: str) -> None:
    assert parse_page(html.encode())


@pytest.mark.parametrize(
    "content_type",
    [
        *(None, "", "text/html", "text/html, text/html; charset=utf-8", "application/xml"),
        *("text/plain", "application/octet-stream", "no type at all"),
    ],
)
def test_declared_types_that_may_be_html_are_accepted(content_type: str | None) -> None:
    assert tree_of_page(b"<p>a</p>", content_type) == "{html{head}{body{p}}}"


STANDARD = (
    *("<!DOCTYPE html>", "<!DOCTYPE html [<!ENTITY a 'b'>]>"),
    "<!-- a --><!doctype html SYSTEM 'about:legacy-compat'>",
)
QUIRKS = (
    *("", "<!-- <!DOCTYPE html> -->"),
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">',
)


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<svg><foreignObject><p>a</svg>b", "<svg><foreignobject><p>ab</p></foreignobject></svg>"),
        ("a<b>b<p>c</b>d", "a<b>b</b><p><b>c</b>d</p>"),
        ("<table>a<tr><td>b</table>", "a<table><tbody><tr><td>b</td></tr></tbody></table>"),
        ("<p>a<plaintext>b<p>c", "<p>a</p>b&lt;p&gt;c"),
        # Content that browsers with scripts do not display is still parsed.
        ("<p>a<noscript><img src=b><p>c</noscript>",
         "<p>a<noscript><img src=\"b\"/><p>c</p></noscript></p>"),
        ("<p>a<template><td>b</td></template>", "<p>a<template><td>b</td></template></p>"),
        ("<noscript>&lt;b&gt;</noscript>a", "<noscript>&lt;b&gt;</noscript>a"),
        # Names that are invalid in XML.
        ("<p @click=a :b=c d:e=f xmlns=g a'b=h i=j>k", '<p d:e="f" i="j">k</p>'),
        ("<fb:like>a</fb:like><a:b:c>d", "<fb:like>a</fb:like><a_b_c>d</a_b_c>"),
        ("<IMG SRC=a ALT='b\tc'><p>d", '<img src="a" alt="b&#9;c"/><p>d</p>'),
        ("a&nbsp;b&#13;c&#1;d&notin;&copy", "a\xa0b&#13;cd∉©"),
        # A document type decides where a paragraph ends.
        *((f"{each}<body><p>a<table></table>", "<p>a</p><table/>") for each in STANDARD),
        *((f"{each}<body><p>a<table></table>", "<p>a<table/></p>") for each in QUIRKS),
    ],
)  # fmt: skip
def test_a_body_is_parsed_as_in_a_browser(html: str, body: str) -> None:
    page = html if "<body>" in html else f"<!DOCTYPE html><body>{html}"
    found = parse_page(page).document.find("body")
    assert found is not None
    assert etree.tostring(found, encoding="unicode", with_tail=False) == f"<body>{body}</body>"


def test_a_page_with_more_tags_than_one_chunk_is_parsed_the_same() -> None:
    paragraph = "<p>a <b>b</b> &amp; é"
    short_tree = parse_page(paragraph * 100).tree
    long_tree = parse_page(paragraph * 10_001).tree
    # Each tree also has the nodes html, head and body.
    assert len(long_tree) - 3 == (len(short_tree) - 3) // 100 * 10_001


HIDDEN = (
    "<script>1</script><style>2</style><noscript>3</noscript><template>4</template>"
    "<iframe>5</iframe><p hidden>6</p><p style='color: red; display:none'>"
    "7<b>8</b></p><span style='VISIBILITY : hidden'>9</span><dialog>10</dialog>"
    "<object>11</object><video>12</video>"
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<b>b</b> c<p>d <i>e</i><div>f</div>g<ul><li>h<li>i</ul>j", "ab c|d e|f|g|h|i|j"),
        ("<p>a<br>b<br/><br/>c</p>", "a|b|c"),
        ("<p>\n  a\t b&nbsp;&nbsp;c  <b> d</b>e&shy;f\u200bg </p>", "a b c defg"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a|b"),
        (f"a{HIDDEN}b", "ab"),
        ("<p style='display: block'>a</p><dialog open>b</dialog>", "a|b"),
    ],
)
def test_blocks_and_line_breaks_separate_the_visible_paragraphs(html: str, expected: str) -> None:
    document = parse_page(f"<title>t</title><body>{html}</body>").document
    assert "|".join(paragraphs(document)) == expected


def test_the_text_of_an_element_excludes_what_follows() -> None:
    document = parse_page("<div><p>a<b>b</b>c</p>tail</div>").document
    paragraph = document.find(".//p")
    assert paragraph is not None
    assert (visible_text(paragraph), visible_text(document)) == ("abc", "abc\ntail")
