import pytest

from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, paragraphs, prose

DEEP = 480
MANY = 8_000


def nested(element: str, inner: str) -> str:
    return f"<{element} class='a'>" * DEEP + inner + f"</{element}>" * DEEP


@pytest.mark.parametrize("element", ["div", "span", "blockquote", "figure", "section"])
def test_a_deep_page_yields_its_article(element: str) -> None:
    shown = page(nested(element, prose(1)))
    other = page(nested(element, prose(2)))
    for pivot in (None, other):
        assert extract_article(shown, pivot).text == "\n\n".join(paragraphs(1))


@pytest.mark.parametrize(
    "repeated",
    [
        "<img src='/a.jpg'>",
        "<noscript><img src='/a.jpg'></noscript>",
        "<figure><img src='/a.jpg'></figure>",
        "<h1>Again</h1>",
        "<i></i>",
        "<br>",
        "<p class='caption'></p>",
    ],
)
def test_a_page_with_very_many_elements_yields_its_article(repeated: str) -> None:
    shown = page(f"<div>{prose(1)}{repeated * MANY}{prose(2)}</div>")
    text = extract_article(shown, None).text
    assert text.startswith(paragraphs(1)[0])
    assert text.endswith(paragraphs(2)[-1])


@pytest.mark.parametrize("run", ["." * 200_000, "? " * 100_000, " " * 200_000, "-" * 200_000])
def test_long_runs_of_one_character_are_harmless(run: str) -> None:
    shown = page(f"<div>{prose(1)}<p>{run}</p></div>", f"<title>{run}</title>")
    assert extract_article(shown, None).text == "\n\n".join(paragraphs(1))


def test_a_very_long_source_set_is_harmless() -> None:
    shown = page(f"<div>{prose(1)}<img srcset='{'a' * 500_000} b c {'d,' * 100_000}'></div>")
    assert extract_article(shown, None).text == "\n\n".join(paragraphs(1))


def test_attributes_and_elements_with_odd_names_are_harmless() -> None:
    body = f"<fb:like></fb:like><o:p>x</o:p><div =x '> onclick=\"a\" 1='2'>{prose(2)}</div>"
    assert paragraphs(2)[0] in extract_article(page(body), page(prose(3))).text
