import pytest

from benchmarks.extraction import scrolling_pages as pages
from benchmarks.extraction.scrolling_pages import SEEN, SINGLE, UNSEEN, GeneratedPage
from detourage.html import parse_page
from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, paragraphs, prose

THEMES = {**SEEN, **UNSEEN}
HEADLINE = "<h1>Council votes to reopen the old bridge</h1>"
HEAD = "<title>Council votes to reopen the old bridge</title>"


def text_of(body: str) -> str:
    return extract_article(page(body, HEAD), None).text


def text_of_generated(generated: GeneratedPage) -> str:
    return extract_article(parse_page(generated.html, generated.url), None).text


def sections(heading: str) -> str:
    return "".join(
        f"<article><{heading}>Section {n} of the report</{heading}>{prose(n, 3)}</article>"
        for n in (2, 3)
    )


@pytest.mark.parametrize("theme", THEMES)
def test_articles_below_the_main_one_are_not_part_of_it(theme: str) -> None:
    generated = pages.scrolling_page(THEMES[theme], 7)
    text = text_of_generated(generated)
    assert [mark for mark in generated.own if mark not in text] == []
    assert [mark for mark in generated.further if mark in text] == []


@pytest.mark.parametrize("kind", SINGLE)
def test_parts_of_an_article_with_headings_are_kept(kind: str) -> None:
    generated = pages.single_page(SINGLE[kind], 7)
    text = text_of_generated(generated)
    assert [mark for mark in generated.own if mark not in text] == []


@pytest.mark.parametrize(
    ("body", "seeds"),
    [
        (f"<main><article>{HEADLINE}{prose(1)}</article>{sections('h2')}</main>", (1, 2, 3)),
        (f"<main><article>{HEADLINE}<p>In short.</p></article>{sections('h1')}</main>", (2, 3)),
        (
            f"<article>{HEADLINE}{prose(1)}<article><h1>Statement of the mayor</h1>{prose(2, 3)}"
            "</article></article>",
            (1, 2),
        ),
    ],
    ids=["second-level headings", "little text before them", "nested"],
)
def test_further_article_elements_may_be_parts_of_the_article(
    body: str, seeds: tuple[int, ...]
) -> None:
    text = text_of(body)
    assert all(each in text for seed in seeds for each in paragraphs(seed, 3))


def test_teasers_below_are_not_articles() -> None:
    teasers = "".join(
        f'<article class="post"><h2 class="entry-title"><a href="/n/{n}">Ferry {n} runs</a></h2>'
        f"<time>3 May 2024</time>{prose(n, 1)}</article>"
        for n in (2, 3, 4)
    )
    article = f'<article class="post">{HEADLINE}<time>2 May 2024</time>{prose(1)}</article>'
    assert "Item2000" in text_of(article + teasers)
