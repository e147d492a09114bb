"""A hostile page, shown offline by the inspector and in a frame by `detourage explain`."""

import re
from html import unescape

from lxml.html import HtmlElement, document_fromstring

from detourage.explain.marked_page import to_html
from detourage.html import parse_page
from detourage.reader.article_and_comments import explain_content
from inspector.struck_page import to_struck_html

STORY = "".join(
    f"<p>Nobody had expected so many people to come and speak on day {day}. They did.</p>"
    for day in range(6)
)
HOSTILE = f"""<html dir="rtl"><head><base href="/deep/"><title>The bridge</title>
<meta http-equiv="refresh" content="0;url=//evil.example">
<link rel="preload" href="https://evil.example/p"><link rel="stylesheet" href="/style.css">
<script>alert(1)</script><style>@import "//evil.example/a.css";
body {{ background: url(//evil.example/b.png) }}</style></head>
<body onload="alert(1)" background="//evil.example/c.png" style="background:url(//evil.example/d)">
<div id="menu"><a href="//evil.example/menu" ping="//evil.example">Menu</a></div>
<a href=" java\tscript:alert(3)">Click</a><svg onload=alert(4)><script>alert(5)</script>
<a href="//evil.example"><text>x</text></a><image href="//evil.example/e.png"/></svg>
<form action="javascript:alert(6)"><input><button formaction="//evil.example">Go</button></form>
<iframe src="//evil.example"></iframe><object data="//evil.example"></object>
<video poster="//evil.example/f.png"><source src="//evil.example/g.mp4"></video>
<div id="story"><img src="//evil.example/h.jpg" srcset="//evil.example/i.jpg 2x"
 alt="A &lt;bridge&gt;" onerror="alert(2)">{STORY}</div>
<noscript><p>Please enable scripts in your browser.</p></noscript>
<p>&lt;script src="//evil"&gt;alert(7)&lt;/script&gt; &amp;lt;</p></body></html>"""
PAGE = parse_page(HOSTILE, "https://news.example/bridge")


def explained_html(html: str) -> str:
    page = parse_page(html, "https://news.example/bridge")
    return to_html(explain_content(page), page, 1)


def framed_document(overlay: str) -> HtmlElement:
    [srcdoc] = re.findall(r'srcdoc="([^"]*)"', overlay)
    return document_fromstring(unescape(srcdoc))


def test_a_stored_page_is_shown_without_scripts_links_and_requests() -> None:
    overlay = to_struck_html(explain_content(PAGE), PAGE)
    document: HtmlElement = document_fromstring(overlay)
    assert {element.tag for element in document.iter()} <= {
        *("html", "head", "meta", "title", "style", "body", "div", "p", "span", "a", "form")
    }
    attributes = {name for element in document.iter() for name in element.attrib}
    assert attributes <= {"class", "title", "dir", "lang", "charset", "name", "content"}
    assert "evil.example" not in overlay
    assert "<script" not in overlay
    # The template is struck through, and the article is not.
    kept_texts = document.xpath("//*[@class='detourage-kept']/text()")
    assert sum("Nobody had expected" in text for text in kept_texts) == 6
    assert "Menu" in document.xpath("//*[@class='detourage-dropped']/text()")
    assert re.search(r"\.detourage-dropped \{[^}]*line-through", overlay)
    assert "[picture: A <bridge>]" in document.text_content()


def test_the_page_is_shown_in_a_sandboxed_frame() -> None:
    overlay = explained_html(HOSTILE)
    assert '<iframe sandbox="" ' in overlay
    assert overlay.count("<iframe") == 1
    inner = framed_document(overlay)
    [policy] = inner.xpath("//meta[@http-equiv]/@content")
    assert policy.startswith("default-src 'none'; style-src")
    assert "script-src" not in policy
    assert not inner.xpath("//script | //iframe | //noscript | //object")
    assert not inner.xpath("//@*[starts-with(name(), 'on')]")
    assert not [value for value in inner.xpath("//@*") if "script:" in "".join(value.split())]
    assert inner.xpath("//link/@href") == ["/style.css"]
    assert inner.xpath("//base/@href") == ["https://news.example/deep/"]


def test_kept_and_dropped_lines_are_marked_differently_with_their_roles() -> None:
    inner = framed_document(explained_html(HOSTILE))
    kept_lines = inner.xpath("//span[@class='detourage-kept']")
    texts = [span.text for span in kept_lines]
    paragraphs = re.findall("<p>(N.*?)</p>", STORY)
    assert texts[: len(paragraphs)] == paragraphs
    assert "Menu" not in texts
    assert kept_lines[0].get("title").startswith("kept: paragraph, ")
    assert inner.xpath("//span[@class='detourage-dropped'][1]/text()")[0] == "Menu"
    assert inner.xpath("//div[@id='story']/img/@class") == ["detourage-article"]


def test_the_overlay_of_a_page_without_an_article_gives_the_reason() -> None:
    overlay = explained_html("<html><head><title>Empty</title></head><body><p>--</p></body></html>")
    assert "<dd>no-text: the page shows no text</dd>" in overlay
