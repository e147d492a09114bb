"""Confidence in the articles of generated pages."""

import pytest

from tests.unit.article.article_pages import page, paragraphs, prose, sentence
from worker.article import Extraction, explain_article, extract_article
from worker.html import Page

HEAD = "<title>Bridge reopens | Post</title><meta property='og:type' content='article'>"
MENU = "<nav><ul><li><a href='/a'>News</a></li><li><a href='/b'>Sports</a></li></ul></nav>"


def news_page() -> Page:
    body = f"{MENU}<main><article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article></main>"
    return page(body, HEAD)


def page_of_scraps() -> Page:
    """Return a page of short notes, none of which clearly is its main content."""
    cards = "".join(
        f"<div class='card'><a href='/{seed}'>{sentence(seed, 4)}</a>"
        f"<span>{sentence(seed + 100, 5)}</span><button>Buy</button></div>"
        for seed in range(30)
    )
    return page(f"{MENU}<div class='grid'>{cards}</div>", "<title>Offers</title>")


def extracted(shown: Page) -> Extraction:
    return extract_article(shown, None)


def test_a_newspaper_article_has_high_confidence() -> None:
    assert extracted(news_page()).confidence > 0.9


def test_short_notes_get_lower_confidence_than_an_article() -> None:
    assert extracted(page_of_scraps()).confidence < extracted(news_page()).confidence


def test_an_article_that_the_page_does_not_display_has_a_confidence() -> None:
    text = " ".join(paragraphs(1))
    head = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bridge reopens",'
        f' "articleBody": "{text}"}}</script><title>Bridge reopens</title>'
    )
    article = extracted(page("<p>Please enable JavaScript.</p>", head))
    assert article.method == "articleBody"
    assert 0 <= article.confidence <= 1


@pytest.mark.parametrize("shown", [news_page(), page_of_scraps()], ids=["article", "scraps"])
def test_the_explanation_has_the_same_confidence(shown: Page) -> None:
    explained = explain_article(shown, None).article
    assert explained is not None
    assert explained.confidence == extracted(shown).confidence
    assert explained.metadata.kind == extracted(shown).metadata.kind
