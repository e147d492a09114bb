from detourage.html import parse_page
from detourage.html.text import paragraphs, visible_text


def shown(html: str) -> list[str]:
    return paragraphs(parse_page(f"<title>t</title><body>{html}</body>").document)


def test_blocks_separate_paragraphs_and_inline_elements_do_not() -> None:
    assert shown("a<b>b</b> c<p>d <i>e</i><div>f</div>g<ul><li>h<li>i</ul>j") == [
        "ab c",
        "d e",
        "f",
        "g",
        "h",
        "i",
        "j",
    ]


def test_line_breaks_separate_paragraphs() -> None:
    assert shown("<p>a<br>b<br/><br/>c</p>") == ["a", "b", "c"]


def test_white_space_is_normalised() -> None:
    assert shown("<p>\n  a\t b&nbsp;&nbsp;c  <b> d</b>e&shy;f\u200bg </p>") == ["a b c defg"]


def test_invisible_text_is_omitted() -> None:
    hidden = (
        "<script>1</script><style>2</style><noscript>3</noscript><template>4</template>"
        "<iframe>5</iframe><p hidden>6</p><p style='color: red; display:none'>"
        "7<b>8</b></p><span style='VISIBILITY : hidden'>9</span><dialog>10</dialog>"
        "<object>11</object><video>12</video>"
    )
    assert shown(f"a{hidden}b") == ["ab"]


def test_the_text_of_an_element_excludes_what_follows() -> None:
    document = parse_page("<div><p>a<b>b</b>c</p>tail</div>").document
    paragraph = document.find(".//p")
    assert paragraph is not None
    assert visible_text(paragraph) == "abc"
    assert visible_text(document) == "abc\ntail"
