from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, paragraphs, prose, sentence

HEAD = "<title>Bridge reopens | Post</title><meta property='og:type' content='article'>"
MENU = "<nav><ul><li><a href='/a'>News</a></li><li><a href='/b'>Sports</a></li></ul></nav>"


def test_a_newspaper_article_has_high_confidence_and_short_notes_have_less() -> None:
    body = f"{MENU}<main><article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article></main>"
    of_article = extract_article(page(body, HEAD), None).confidence
    assert of_article > 0.9
    cards = "".join(
        f"<div class='card'><a href='/{seed}'>{sentence(seed, 4)}</a>"
        f"<span>{sentence(seed + 100, 5)}</span><button>Buy</button></div>"
        for seed in range(30)
    )
    scraps = page(f"{MENU}<div class='grid'>{cards}</div>", "<title>Offers</title>")
    assert extract_article(scraps, None).confidence < of_article


def test_an_article_that_the_page_does_not_display_has_a_confidence() -> None:
    text = " ".join(paragraphs(1))
    head = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bridge reopens",'
        f' "articleBody": "{text}"}}</script><title>Bridge reopens</title>'
    )
    article = extract_article(page("<p>Please enable JavaScript.</p>", head), None)
    assert article.method == "articleBody"
    assert 0 <= article.confidence <= 1
