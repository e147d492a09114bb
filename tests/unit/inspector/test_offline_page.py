import re

from lxml import html

from detourage.html import parse_page
from detourage.reader import explain_article
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
    return to_offline_html(explain_article(page, None), page)


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
