import pytest

from detourage.html import parse_page
from detourage.html.text import paragraphs, visible_text

HIDDEN = (
    "<script>1</script><style>2</style><noscript>3</noscript><template>4</template>"
    "<iframe>5</iframe><p hidden>6</p><p style='color: red; display:none'>"
    "7<b>8</b></p><span style='VISIBILITY : hidden'>9</span><dialog>10</dialog>"
    "<object>11</object><video>12</video>"
)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("a<b>b</b> c<p>d <i>e</i><div>f</div>g<ul><li>h<li>i</ul>j", "ab c|d e|f|g|h|i|j"),
        ("<p>a<br>b<br/><br/>c</p>", "a|b|c"),
        ("<p>\n  a\t b&nbsp;&nbsp;c  <b> d</b>e&shy;f\u200bg </p>", "a b c defg"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a|b"),
        (f"a{HIDDEN}b", "ab"),
        ("<p style='display: block'>a</p><dialog open>b</dialog>", "a|b"),
    ],
)
def test_blocks_and_line_breaks_separate_the_visible_paragraphs(html: str, shown: str) -> None:
    document = parse_page(f"<title>t</title><body>{html}</body>").document
    assert "|".join(paragraphs(document)) == shown


def test_the_text_of_an_element_excludes_what_follows() -> None:
    document = parse_page("<div><p>a<b>b</b>c</p>tail</div>").document
    paragraph = document.find(".//p")
    assert paragraph is not None
    assert (visible_text(paragraph), visible_text(document)) == ("abc", "abc\ntail")
