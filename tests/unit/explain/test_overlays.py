import re
from html import unescape

from lxml import html

from detourage.explain.marked_page import to_html
from detourage.html import Page, parse_page
from detourage.reader import explain_article

STORY = "".join(
    f"<p>Nobody had expected so many people to come and speak on day {day}. They did.</p>"
    for day in range(6)
)
HOSTILE = f"""<html><head><base href="/deep/"><meta http-equiv="refresh" content="0;url=//evil">
<link rel="preload" href="https://evil.example/p"><link rel="stylesheet" href="/style.css">
<script>alert(1)</script><title>The bridge</title></head>
<body onload="alert(2)"><div><a href="/menu">Menu</a></div>
<a href=" java\tscript:alert(3)">Click</a><svg onload=alert(4)><script>alert(5)</script></svg>
<iframe src="https://evil.example"></iframe><form action="javascript:alert(6)"><input></form>
<div id="story"><img src="a.jpg" alt="Bridge">{STORY}</div>
<noscript><p>Please enable scripts in your browser.</p></noscript>
<p>&lt;script&gt;alert(7)&lt;/script&gt; &amp;lt;</p></body></html>"""


def parsed(text: str = HOSTILE) -> Page:
    return parse_page(text, "https://news.example/bridge")


def overlay(page: Page) -> str:
    return to_html(explain_article(page, None), page, 1)


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


def test_a_line_without_words_or_numbers_is_left_unchanged() -> None:
    page = parsed(f"<html><body><p>***</p><div>{STORY}</div> tail</body></html>")
    inner = framed(overlay(page))
    [stars] = inner.xpath("//p[text()='***']")
    assert len(stars) == 0
    assert inner.xpath("//body/span/text()") == [" tail"]


def test_the_overlay_of_a_page_without_an_article_gives_the_reason() -> None:
    page = parsed("<html><head><title>Empty</title></head><body><p>--</p></body></html>")
    assert "<dd>no-text: the page shows no text</dd>" in overlay(page)
