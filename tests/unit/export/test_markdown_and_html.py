from typing import Any

import lxml.html
import pytest

from detourage.article import Article
from detourage.export.markdown_and_html import to_html, to_markdown
from detourage.reader.article_and_comments import read_content
from detourage.roles import CHOOSABLE_ROLES
from tests.unit.reader.article_pages import page, prose, sentence

URL = "https://news.example/2024/story"
A, B, C = sentence(1), sentence(2), sentence(3)


def extraction(body: str) -> Article:
    head = "<title>Bridge to close - News</title>"
    story = page(f"<div><h1>Bridge to close</h1>{prose(1)}{body}{prose(2)}</div>", head, URL)
    return read_content(story, text_roles=CHOOSABLE_ROLES)


def markdown(body: str) -> str:
    return to_markdown(extraction(body))


def html(body: str) -> Any:
    return lxml.html.fromstring(to_html(extraction(body), URL))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<p>{A} <a href='/b'>The <b>old</b> bridge</a></p>", f"{A} [The **old** bridge]({{}}/b)"),
        (f"<p><b>{A} <a href='/b'>Bridge</a></b> is</p>", f"**{A}** [**Bridge**]({{}}/b) is"),
        (f"<p>{A} <b><i>both</i></b></p>", f"{A} ***both***"),
        (f"<p>{A} <a href='/b(c)'>x1</a></p>", f"{A} [x1](<{{}}/b(c)>)"),
        (f"<p>2*3 [a] {A}</p>", f"2\\*3 \\[a\\] {A}"),
        (f"<p>- {A}</p>", f"\\- {A}"),
        (f"<h4>{A}</h4>", f"#### {A}"),
        (
            f"<ol start='9'><li>{A}<ul><li>{B}</li></ul></li><li><p>{C}</p><p>{A}</p></li></ol>",
            f"9. {A}\n   - {B}\n10. {C}\n\n    {A}",
        ),
        (f"<img src='/a.jpg' alt='A [x]'><p>{A}</p>", f"![A \\[x\\]]({{}}/a.jpg)\n\n{A}"),
        ("<pre><code class='language-c'>a = 1\n b</code></pre>", "```c\na = 1\n b\n```"),
        (
            "<table><tr><th>Town</th><th>Votes</th></tr><tr><td>The town of"
            " <a href='/e'>Ell</a></td><td>1|2</td></tr></table>",
            "| Town | Votes |\n| --- | --- |\n| The town of [Ell]({}/e) | 1\\|2 |",
        ),
        (f"<p>{A}</p><iframe src='https://v.example/1'></iframe>", f"{A}\n\n<https://v.example/1>"),
    ],
)
def test_markdown_preserves_the_structure(markup: str, expected: str) -> None:
    document = markdown(markup)
    assert document.startswith("# Bridge to close\n\n")
    assert f"\n\n{expected.replace('{}', 'https://news.example')}\n\n" in document


def test_html_preserves_the_structure() -> None:
    found = html(
        f"<h3>Next</h3><p>{A} <a href='/b'>The <b>old</b> bridge</a></p>"
        f"<ol start='3'><li>{B}<ul><li>{C}</li></ul></li></ol>"
        "<figure><img src='/a.jpg' alt='Bridge'><figcaption>Seen at dawn</figcaption></figure>"
        "<pre class='language-c'>a = 1</pre>"
        "<table><tr><th>Town</th><th>Votes</th></tr><tr><td>Ell</td><td>12</td></tr></table>"
    )
    assert found.xpath("string(//article/h1)") == "Bridge to close"
    assert found.xpath("string(//h3)") == "Next"
    assert found.xpath("string(//a[@href='https://news.example/b'])") == "The old bridge"
    assert found.xpath("string(//a/strong)") == "old"
    assert found.xpath("string(//ol[@start='3']/li/ul/li)") == C
    assert found.xpath("//figure/img/@src") == ["https://news.example/a.jpg"]
    assert found.xpath("string(//pre/code[@class='language-c'])") == "a = 1"
    assert [cell.text for cell in found.xpath("//tr[2]/td")] == ["Ell", "12"]


HOSTILE = (
    f"<p>&lt;script&gt;x1&lt;/script&gt; {A}</p><p><a href='javascript:x()'>{B}</a></p>"
    f"<img src='/a.jpg\" onerror=\"x()' alt='&quot; onload=x'><p>{C}</p>"
)


def test_hostile_markup_is_escaped_in_html_and_markdown() -> None:
    found = html(HOSTILE)
    names = {str(name) for element in found.iter() for name in element.attrib}
    assert not names & {"onerror", "onload"}
    assert not [element for element in found.iter() if "script" in str(element.tag)]
    assert not [v for element in found.iter() for v in element.values() if "javascript" in v]
    document = markdown(HOSTILE)
    assert "\\<script\\>" in document
    assert "<script" not in document.replace("\\<", "")
    assert "javascript:" not in document


def test_a_block_with_thousands_of_links_keeps_them_all() -> None:
    links = "".join(f"<a href='/{n}'>w{n}</a> <b>b{n}</b> " for n in range(3000))
    document = markdown(f"<p>{A} {links}</p>")
    assert document.count("](https://news.example/") == 3000
