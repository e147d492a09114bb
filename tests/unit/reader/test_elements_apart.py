from detourage.html import Page
from detourage.reader import extract_article
from tests.unit.reader.article_pages import by_sentences, page, paragraphs, prose


def _told(told: str) -> Page:
    return page(f"<div><div class='text'>{prose(1)}</div><div id='told'>{told}</div></div>")


def test_excluded_elements_are_not_in_the_text() -> None:
    shown = _told(prose(2, 1))
    assert paragraphs(2, 1)[0] in extract_article(shown, None).text
    apart = shown.document.xpath("//*[@id='told']")
    for article in (extract_article(shown, None, apart), by_sentences(shown, apart)):
        assert article.text == "\n\n".join(paragraphs(1))


def test_an_article_is_kept_even_if_excluded() -> None:
    shown = _told("<p>Short.</p>")
    apart = shown.document.xpath("//div[@class='text']")
    assert extract_article(shown, None, apart=apart) == extract_article(shown, None)
