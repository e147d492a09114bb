import pytest

from tests.unit.article.article_pages import by_sentences, page, paragraphs, prose, sentence
from worker.article import NoTextError, extract_article
from worker.text.words import count_sentences

LINKS = "".join(f'<p><a href="/{n}">{sentence(n)} {sentence(n + 1)}</a></p>' for n in range(3))


def text_of(body: str) -> str:
    article = by_sentences(page(body))
    assert article.method == "sentences"
    return article.text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The vote is over. Who won? Nobody! The end…", 4),
        ("Mr. Orme paid 3.5 million to U.S. makers", 2),
        ("He said: “It is late.” She left.", 2),
        ("部长星期三宣布。谁会参加？没有人！", 3),
        ("全国で増え続けている。", 1),
        ("أعلن الوزير القرار. هل سيحضر؟ نعم؛ ربما.", 3),
        ("वह आया। वह गया।", 2),
        ("Ποιος κέρδισε; Κανείς.", 2),
        ("Latin; semicolons; do not count", 0),
        ("Menu item", 0),
    ],
)
def test_sentences_are_counted_in_every_script(text: str, count: int) -> None:
    assert count_sentences(text) == count


@pytest.mark.parametrize("element", ["nav", "header", "footer", "aside", "form"])
def test_irrelevant_sections_are_removed(element: str) -> None:
    assert text_of(f"<{element}>{prose(9, 5)}</{element}><div>{prose(1)}</div>") == "\n\n".join(
        paragraphs(1)
    )


@pytest.mark.parametrize("name", ["footer", "relatedPosts", "top_nav", "addthis_tool", "comments"])
def test_elements_with_irrelevant_names_are_removed(name: str) -> None:
    body = f'<div id="{name}">{prose(9, 5)}</div><div>{prose(1)}</div>'
    assert text_of(body) == "\n\n".join(paragraphs(1))


def test_an_irrelevant_name_on_the_body_itself_is_ignored() -> None:
    assert text_of(f'<div class="single comments-open">{prose(1)}</div>') == "\n\n".join(
        paragraphs(1)
    )


def test_the_packet_with_most_sentences_wins_over_the_longest_text() -> None:
    long_text = "<p>" + " ".join(sentence(5, 40).strip(".") for _ in range(8)) + "</p>"
    assert text_of(f"<div>{long_text}</div><div>{prose(1, 4)}</div>") == "\n\n".join(
        paragraphs(1, 4)
    )


def test_paragraphs_separated_only_by_line_breaks_are_a_packet() -> None:
    lines = paragraphs(1, 4)
    body = f"<table><tr><td>{'<br><br>'.join(lines)}</td><td>{sentence(3)}</td></tr></table>"
    assert text_of(body) == "\n\n".join(lines)


def test_headings_lists_and_quotations_between_paragraphs_are_kept() -> None:
    quoted = sentence(44)
    body = (
        f"<div>{prose(1, 2)}<h2>Short</h2><ul><li>{sentence(41)}</li></ul>"
        f"<blockquote><p>{quoted}</p></blockquote>{prose(2, 2)}</div>"
    )
    text = text_of(body)
    assert text.split("\n\n") == [
        *paragraphs(1, 2),
        "Short",
        sentence(41),
        quoted,
        *paragraphs(2, 2),
    ]


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


def test_link_text_does_not_make_a_packet() -> None:
    assert text_of(f"<div>{LINKS}</div><div><p>{sentence(1)}</p></div>") == sentence(1)


def test_link_text_within_the_body_is_kept() -> None:
    body = f'<div><p>{sentence(1)} <a href="/x">{sentence(2)}</a></p></div>'
    assert text_of(body) == f"{sentence(1)} {sentence(2)}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>Not found</p>", "Not found"),
        ("<nav><p>Only this</p></nav>", "Only this"),
        ('<p><a href="/x">Click here</a></p>', "Click here"),
        ("No markup", "No markup"),
    ],
)
def test_a_page_with_little_text_still_yields_it(body: str, text: str) -> None:
    assert text_of(body) == text


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
