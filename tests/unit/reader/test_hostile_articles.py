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
