import re
from html import unescape

from lxml import html

from detourage.explain.marked_page import to_html
from detourage.html import Page, parse_page
from detourage.reader.content import explain_content
from inspector.offline_page import to_offline_html

STORY = "".join(
    f"<p>Nobody had expected so many people to come and speak on day {day}. They did.</p>"
    for day in range(6)
)
HOSTILE = f"""<html dir="rtl"><head><base href="//evil.example/"><title>The bridge</title>
<meta http-equiv="refresh" content="0;url=//evil.example">
<link rel="stylesheet" href="//evil.example">
<style>@import "//evil.example/a.css";
body {{ background: url(//evil.example/b.png) }}</style></head>
<body onload="alert(1)" background="//evil.example/c.png" style="background:url(//evil.example/d)">
<div id="menu"><a href="//evil.example/menu" ping="//evil.example">Menu</a></div>
<svg><a href="//evil.example"><text>x</text></a><image href="//evil.example/e.png"/></svg>
<form action="//evil.example"><input name="a"><button formaction="//evil.example">Go</button></form>
<iframe src="//evil.example"></iframe><object data="//evil.example"></object>
<video poster="//evil.example/f.png"><source src="//evil.example/g.mp4"></video>
<div id="story"><img src="//evil.example/h.jpg" srcset="//evil.example/i.jpg 2x"
 alt="A &lt;bridge&gt;" onerror="alert(2)">{STORY}</div>
<p>&lt;script src="//evil"&gt;alert(3)&lt;/script&gt;</p></body></html>"""


def read(shown: str) -> html.HtmlElement:
    return html.document_fromstring(shown)


def shown() -> str:
    page = parse_page(HOSTILE, "https://news.example/bridge")
    return to_offline_html(explain_content(page), page)


def test_a_stored_page_has_no_active_content_requests_or_links() -> None:
    document = read(shown())
    assert {element.tag for element in document.iter()} <= {
        *("html", "head", "meta", "title", "style", "body", "div", "p", "span", "a", "form")
    }
    attributes = {name for element in document.iter() for name in element.attrib}
    assert attributes <= {"class", "title", "dir", "lang", "charset", "name", "content"}
    assert "evil.example" not in shown()
    assert "<script" not in shown()


def test_the_template_is_struck_through_and_the_article_is_not() -> None:
    document = read(shown())
    kept = document.xpath("//*[@class='detourage-kept']/text()")
    assert sum("Nobody had expected" in text for text in kept) == 6
    assert "Menu" in document.xpath("//*[@class='detourage-dropped']/text()")
    assert re.search(r"\.detourage-dropped \{[^}]*line-through", shown())
    assert "[picture: A <bridge>]" in document.text_content()


SCRIPTED = f"""<html><head><base href="/deep/"><meta http-equiv="refresh" content="0;url=//evil">
<link rel="preload" href="https://evil.example/p"><link rel="stylesheet" href="/style.css">
<script>alert(1)</script><title>The bridge</title></head>
<body onload="alert(2)"><div><a href="/menu">Menu</a></div>
<a href=" java\tscript:alert(3)">Click</a><svg onload=alert(4)><script>alert(5)</script></svg>
<iframe src="https://evil.example"></iframe><form action="javascript:alert(6)"><input></form>
<div id="story"><img src="a.jpg" alt="Bridge">{STORY}</div>
<noscript><p>Please enable scripts in your browser.</p></noscript>
<p>&lt;script&gt;alert(7)&lt;/script&gt; &amp;lt;</p></body></html>"""


def parsed(text: str = SCRIPTED) -> Page:
    return parse_page(text, "https://news.example/bridge")


def overlay(page: Page) -> str:
    return to_html(explain_content(page), page, 1)


def framed(shown: str) -> html.HtmlElement:
    [srcdoc] = re.findall(r'srcdoc="([^"]*)"', shown)
    return html.document_fromstring(unescape(srcdoc))


def test_the_page_is_shown_in_a_sandboxed_frame() -> None:
    shown = overlay(parsed())
    assert '<iframe sandbox="" ' in shown
    assert shown.count("<iframe") == 1
    inner = framed(shown)
    [policy] = inner.xpath("//meta/@content")
    assert policy.startswith("default-src 'none'; style-src")
    assert "script-src" not in policy
    assert not inner.xpath("//script | //iframe | //noscript | //object")
    assert not inner.xpath("//@*[starts-with(name(), 'on')]")
    assert not [value for value in inner.xpath("//@*") if "script:" in "".join(value.split())]
    assert inner.xpath("//link/@href") == ["/style.css"]
    assert inner.xpath("//base/@href") == ["https://news.example/deep/"]


def test_kept_and_dropped_lines_are_marked_differently_with_their_roles() -> None:
    inner = framed(overlay(parsed()))
    kept = inner.xpath("//span[@class='detourage-kept']")
    texts = [span.text for span in kept]
    told = re.findall("<p>(N.*?)</p>", STORY)
    assert texts[: len(told)] == told
    assert "Menu" not in texts
    assert kept[0].get("title").startswith("kept: paragraph, ")
    assert inner.xpath("//span[@class='detourage-dropped'][1]/text()")[0] == "Menu"
    assert inner.xpath("//img/@class") == ["detourage-article"]


def test_the_overlay_of_a_page_without_an_article_gives_the_reason() -> None:
    page = parsed("<html><head><title>Empty</title></head><body><p>--</p></body></html>")
    assert "<dd>no-text: the page shows no text</dd>" in overlay(page)
