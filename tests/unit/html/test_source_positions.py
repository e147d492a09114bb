"""Positions of texts and tags in the page as fetched."""

from collections.abc import Callable
from functools import partial

import pytest

from detourage.html import Page, parse_page
from detourage.html.nodes import Paths
from detourage.html.source_positions import PageSource
from tests.counted import MAX_LINEAR_GROWTH, Work, growth


def sources_of_texts(raw: bytes) -> list[bytes]:
    """Return the source of each text of a page, in order; the source is empty if it is unknown."""
    page = parse_page(raw)
    positions = PageSource.of(page)
    texts = enumerate(page.flat.pieces.texts)
    ranges = [positions.text_range(number) for number, text in texts if text.strip()]
    return [raw[slice(*found)] if found else b"" for found in ranges]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<p> one \n <b>two</b>three</p>", ["one", "two", "three"]),
        ("<p>one</p><p>one</p>", ["one", "one"]),
        ("<p>a &amp; b &lt; c &#8211; d &eacute;</p>", ["a &amp; b &lt; c &#8211; d &eacute;"]),
        ("<p>AT&T &nbspone &unknown; x</p>", ["AT&T &nbspone &unknown; x"]),
        ("<p>one<!-- --> <!-- -->two</p>", ["one<!-- --> <!-- -->two"]),
        ("<p>one</b>two</p>", ["one</b>two"]),
        ("<p title='a>b'>one</p>", ["one"]),
        ("<p>one\r\ntwo\rthree</p>", ["one\r\ntwo\rthree"]),
        ("<pre>\none</pre>", ["one"]),
        ("<p>1 < 2</p>", ["1 < 2"]),
        ("<p>one\x01two</p>", ["one\x01two"]),
        ("<table>first<tr><td>second</table>third", ["first", "second", "third"]),
        ("<table><tr><td>second</td></tr>first</table>", ["first", "second"]),
        ("<script>'<p>one</p>'</script><p>one</p>", ["", "one"]),
        ("<script><!-- <script> </script> --></script><p>one</p>", ["", "one"]),
        ("<textarea><p>one</textarea><p>two</p>", ["<p>one", "two"]),
        ("<noscript><p>one</p></noscript><p>two</p>", ["one", "two"]),
        ("<svg><style/><text>one</text></svg><p>two</p>", ["one", "two"]),
        ("<svg><![CDATA[one]]></svg><p>two</p>", ["one", "two"]),
        ("<p>one <![CDATA[two]]></p>", ["one"]),
        ("<p>one</p><plaintext><p>two", ["one", "<p>two</body></html>"]),
        ("<!-- x --!><p>one</p><p>two</p><!-- y --><p>one three", ["one", "two", "one three"]),
        ("<p>&#233; &#x2013; &#150; &copy</p>", ["&#233; &#x2013; &#150; &copy"]),
        ("<p>&#38;#38;</p>", ["&#38;#38;"]),
        ("<p>&fjlig;</p><p>q</p><p>&LT;</p>", ["", "q", "&LT;"]),
    ],
)  # fmt: skip
def test_texts_are_found_in_the_source(markup: str, found: list[str]) -> None:
    raw = f"<html><body>{markup}</body></html>".encode("latin-1")
    assert [each.decode("latin-1") for each in sources_of_texts(raw)] == found


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-16", "Two"),
        ("utf-8", "Dvě věty"),
        ("utf-8-sig", "Dvě věty"),
        ("utf-16", "Dvě věty"),
        ("windows-1250", "Dvě věty"),
        ("gb18030", "两个句子"),
        ("shift_jis", "二つの文"),
        ("euc-kr", "두 문장"),
    ],
)
def test_offsets_are_those_of_the_bytes_in_any_encoding(encoding: str, text: str) -> None:
    label = encoding.removesuffix("-sig")
    raw = f"<meta charset={label}><p>{text}</p><p>x {text} <i>y</i></p>".encode(encoding)
    page = parse_page(raw, content_type=f"text/html; charset={label}")
    ranges = [PageSource.of(page).text_range(number) for number in range(3)]
    found = [raw[slice(*each)] for each in ranges if each]
    encoding_without_mark = label + ("-le" if label == "utf-16" else "")
    assert [each.decode(encoding_without_mark) for each in found] == [text, f"x {text}", "y"]


def test_offsets_are_known_despite_invalid_bytes_but_not_after_a_repair() -> None:
    raw = "<p>áéíóúůěščřžýďť ".encode() + b"\xff\xfe \xe1</p>" + "<p>další</p>".encode()
    assert sources_of_texts(raw)[1].decode() == "další"
    page = parse_page("<p>MontrÃ©al, MontrÃ©al, Ã la carte</p>".encode())
    assert page.flat.texts[0].startswith("Montréal")
    assert PageSource.of(page).text_range(0) is None
    # If a page is given as a string, offsets refer to its UTF-8 encoding.
    html = "<p>é</p><p>two</p>"
    start = html.encode().index(b"two")
    assert PageSource.of(parse_page(html)).text_range(1) == (start, start + len("two"))


def test_part_of_a_text_is_found_despite_markup_in_it() -> None:
    raw = b"<p>one &amp; two<!-- 2 --> three</p>"
    page = parse_page(raw)
    text = page.flat.pieces.texts[0]
    for part in ("one", "& two", "two three", "three"):
        start = text.index(part)
        found = PageSource.of(page).part_range(0, start, start + len(part))
        assert found is not None
        source = raw[slice(*found)]
        assert source.replace(b"&amp;", b"&").replace(b"<!-- 2 -->", b"") == part.encode()


def test_tags_are_found_between_the_texts_around_them() -> None:
    raw = b"<p>one<img src='a>b'><!-- <img> --><IMG SRC=c></p><p>two<img src=d></p>"
    page = parse_page(raw)
    images = [index for index, tag in enumerate(page.flat.tags) if tag == "img"]
    found = [PageSource.of(page).tag_range(index) for index in images]
    assert [raw[slice(*each)] for each in found if each] == [
        b"<img src='a>b'>",
        b"<IMG SRC=c>",
        b"<img src=d>",
    ]


@pytest.mark.parametrize(
    "make_markup",
    [
        lambda size: "<p>" + "<i>a</i>" * 6 * size + "<table>" + "x<tr>" * size,
        lambda size: "<p>x" + "<img>" * 6 * size + "y",
        lambda size: "<p>" + "x<br>" * 6 * size,
        lambda size: "<p>x" + "<!--y--!>" * 6 * size + "<!-- <img> " * 6 * size,
        lambda size: "<p>x<a b='" * 2 * size,
        lambda size: "<p>x</p>" + "<!----> " * 12 * size + "<p>&eacute z</p>" * 3 * size,
        lambda size: "<p>&" + "a" * 100 * size + "</p>" + "<p>y &amp z&" * 2 * size,
    ],
    ids=["inline", "images", "breaks", "comments", "quotes", "blanks", "references"],
)
def test_hostile_pages_take_linear_time(make_markup: Callable[[int], str]) -> None:
    def prepare(size: int) -> Work:
        return partial(locate_all, parse_page(make_markup(size).encode()))

    def locate_all(page: Page) -> None:
        source = PageSource.of(page)
        for number in range(len(page.flat.pieces.texts)):
            source.own_offset(number)
        for element in range(len(page.flat.tags)):
            source.tag_range(element)
            Paths.of(page.flat).path(element)

    assert growth(prepare, 300) < MAX_LINEAR_GROWTH
    # Steps of C code are not counted; at this size, quadratic code would time out.
    prepare(5_000)()
