"""The parts of a page that belong to its article; repeated passages; pages with little text."""

import pytest

from detourage.reader import NoTextError, extract_article
from tests.unit.reader.article_pages import article_around, page, paragraphs, prose, sentence

BODY_OF_SEVERAL_ELEMENTS = (
    f"<div>{prose(1, 2)}<h2>Short</h2><ul><li>{sentence(41)}</li></ul>"
    f"<blockquote><p>{sentence(44)}</p></blockquote>{prose(2, 2)}</div>"
)
SHORT_LINE = "This line has more than five words"


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (f'<div class="single comments-open">{prose(1)}</div>', paragraphs(1)),
        (
            BODY_OF_SEVERAL_ELEMENTS,
            [*paragraphs(1, 2), "Short", sentence(41), sentence(44), *paragraphs(2, 2)],
        ),
        (
            f'<div><p>{sentence(1)} <a href="/x">{sentence(2)}</a></p></div>',
            [f"{sentence(1)} {sentence(2)}"],
        ),
        (f"<div class='a'>{prose(1)}</div><div class='b'>{prose(1)}</div>", paragraphs(1)),
        (
            f"<p>{paragraphs(1)[0]}</p><h2>{SHORT_LINE}</h2>{prose(1)}",
            [paragraphs(1)[0], SHORT_LINE, *paragraphs(1)],
        ),
        (f"<p>{SHORT_LINE}</p>" * 4, [SHORT_LINE] * 4),
        (f"<div>{prose(1, 1) * 3}</div>", paragraphs(1, 1) * 3),
        ("<p>Not found</p>", ["Not found"]),
        ("<nav><p>Only this</p></nav>", ["Only this"]),
        ('<p><a href="/x">Click here</a></p>', ["Click here"]),
        ("No markup", ["No markup"]),
    ],
    ids=[
        *("irrelevant name on the body", "headings, lists and quotations", "link in the body"),
        *("repeated passage", "repeated lead", "repeated short lines"),
        "adjacent repeated paragraphs",
        *("little text", "only navigation", "only a link", "no markup"),
    ],
)
def test_the_text_consists_of_the_expected_parts_of_a_page(body: str, texts: list[str]) -> None:
    assert extract_article(page(body), None).text == "\n\n".join(texts)


def test_only_the_article_is_extracted_from_a_layout_table() -> None:
    menu = "".join(f"<tr><td><a href=/{n}>Section {n}</a></td></tr>" for n in range(9))
    cells = f"<td><table>{menu}</table></td><td><h1>A high tide</h1>{prose(1)}</td>"
    found = extract_article(page(f"<table><tr>{cells}</tr></table>"), None)
    assert found.text == "\n\n".join(paragraphs(1))


@pytest.mark.parametrize(
    "body",
    [
        *("", "<div><img src='/a.jpg'></div>", "<script>var text = 'Not for readers.';</script>"),
        *("<noscript>Enable scripts, please.</noscript>", "<h1>Only a headline</h1>"),
        "<p>— … —</p>",
    ],
)
def test_a_page_without_text_raises_an_error(body: str) -> None:
    textless_page = page(f"{body}<form><input value='Send'><button>Send</button></form>")
    with pytest.raises(NoTextError) as caught:
        extract_article(textless_page, None)
    assert caught.value.outcome == "no-text"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<data value='10'>ten years</data> ago, <output>14</output>", "ten years ago, 14"),
        ("The <x-meter><b>gauge</b></x-meter> showed", "The gauge showed"),
        ("<person>Ada Aho</person> (<place>Oulu</place>)?", "Ada Aho (Oulu)?"),
        ("Norlane <stock-ticker>NOR</stock-ticker>'s shares", "Norlane NOR's shares"),
        ("<ruby>竹取<rp>（</rp><rt>たけとり</rt><rp>）</rp></ruby>さんは", "竹取さんは"),
        ("初日に\n  二百人が", "初日に二百人が"),
        ("한국의\n  기자", "한국의 기자"),
        ("two\n  lines", "two lines"),
    ],
)
def test_a_sentence_stays_whole(markup: str, text: str) -> None:
    for tag in ("p", "div"):
        paragraph = f"<{tag}>{sentence(4)} {markup} {sentence(5)}</{tag}>"
        blocks = [block.text for block in article_around(paragraph).blocks]
        assert f"{sentence(4)} {text} {sentence(5)}" in blocks


HEAD = "<title>Bridge reopens | Post</title><meta property='og:type' content='article'>"
MENU = "<nav><ul><li><a href='/a'>News</a></li><li><a href='/b'>Sports</a></li></ul></nav>"


def test_a_newspaper_article_has_a_higher_confidence_than_short_notes() -> None:
    body = f"{MENU}<main><article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article></main>"
    article_confidence = extract_article(page(body, HEAD), None).confidence
    assert article_confidence > 0.9
    cards = "".join(
        f"<div class='card'><a href='/{seed}'>{sentence(seed, 4)}</a>"
        f"<span>{sentence(seed + 100, 5)}</span><button>Buy</button></div>"
        for seed in range(30)
    )
    short_notes = page(f"{MENU}<div class='grid'>{cards}</div>", "<title>Offers</title>")
    assert extract_article(short_notes, None).confidence < article_confidence
