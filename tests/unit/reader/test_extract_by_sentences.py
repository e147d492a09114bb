import pytest

from detourage.reader import NoTextError, extract_article
from tests.unit.reader.article_pages import by_sentences, page, paragraphs, prose, sentence

LINKS = "".join(f'<p><a href="/{n}">{sentence(n)} {sentence(n + 1)}</a></p>' for n in range(3))
LONG = " ".join(sentence(5, 40).strip(".") for _ in range(8))
MIXED = (
    f"<div>{prose(1, 2)}<h2>Short</h2><ul><li>{sentence(41)}</li></ul>"
    f"<blockquote><p>{sentence(44)}</p></blockquote>{prose(2, 2)}</div>"
)


def text_of(body: str) -> str:
    article = by_sentences(page(body))
    assert article.method == "sentences"
    return article.text


@pytest.mark.parametrize(
    "element",
    [
        *("nav", "header", "footer", "aside", "form"),
        *(f"div id={name}" for name in ("footer", "relatedPosts", "top_nav", "addthis_tool")),
        "div id=comments",
    ],
)
def test_irrelevant_sections_are_removed(element: str) -> None:
    body = f"<{element}>{prose(9, 5)}</{element.split()[0]}><div>{prose(1)}</div>"
    assert text_of(body) == "\n\n".join(paragraphs(1))


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (f'<div class="single comments-open">{prose(1)}</div>', paragraphs(1)),
        (f"<div><p>{LONG}</p></div><div>{prose(1, 4)}</div>", paragraphs(1, 4)),
        (
            f"<table><tr><td>{'<br><br>'.join(paragraphs(1, 4))}</td>"
            f"<td>{sentence(3)}</td></tr></table>",
            paragraphs(1, 4),
        ),
        (MIXED, [*paragraphs(1, 2), "Short", sentence(41), sentence(44), *paragraphs(2, 2)]),
        (f"<div>{LINKS}</div><div><p>{sentence(1)}</p></div>", [sentence(1)]),
        (
            f'<div><p>{sentence(1)} <a href="/x">{sentence(2)}</a></p></div>',
            [f"{sentence(1)} {sentence(2)}"],
        ),
        ("<p>Not found</p>", ["Not found"]),
        ("<nav><p>Only this</p></nav>", ["Only this"]),
        ('<p><a href="/x">Click here</a></p>', ["Click here"]),
        ("No markup", ["No markup"]),
    ],
    ids=[
        *("irrelevant name on the body", "longer text with fewer sentences", "line breaks"),
        *("headings, lists and quotations", "link text is no packet", "link text in the body"),
        *("little text", "only navigation", "only a link", "no markup"),
    ],
)
def test_the_packet_with_most_sentences_is_the_text(body: str, texts: list[str]) -> None:
    assert text_of(body) == "\n\n".join(texts)


def test_other_children_of_the_packet_are_omitted_but_not_their_pictures() -> None:
    body = (
        f'<div>{prose(1, 3)}<div class="pic"><img src="/a.jpg" width="400"> AFP</div>'
        f'<div class="tools">Print</div>'
        f'<div class="more"><a href="/other"><img src="/b.jpg"></a> More</div>'
        f'<div class="zoom"><a href="/big.jpg"><img src="/c.jpg"></a> Zoom</div></div>'
    )
    article = by_sentences(page(body))
    assert article.text == "\n\n".join(paragraphs(1, 3))
    assert [image.url for image in article.images] == [
        "https://news.example/a.jpg",
        "https://news.example/c.jpg",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<div><img src='/a.jpg'></div>",
        "<script>var text = 'Not for readers.';</script>",
        "<noscript>Enable scripts, please.</noscript>",
        "<h1>Only a headline</h1>",
        "<p>— … —</p>",
    ],
)
def test_a_page_without_text_yields_none(body: str) -> None:
    shown = page(f"{body}<form><input value='Send'><button>Send</button></form>")
    with pytest.raises(NoTextError) as caught:
        extract_article(shown, None)
    assert caught.value.outcome == "no-text"
