import base64
from functools import cache

from detourage.article import Article
from detourage.html import parse_page
from detourage.reader.content import read_content
from examples.sample_crawl import SamplePage, generate


@cache
def articles() -> tuple[tuple[SamplePage, Article], ...]:
    pages = [page for page in generate(pages_per_template=3) if page.gold["kind"] == "article"]
    return tuple((page, extracted(page)) for page in pages)


def extracted(page: SamplePage) -> Article:
    html = base64.b64decode(page.message["html_base64"])
    header = page.message["content_type"]
    return read_content(parse_page(html, page.message["url"], content_type=header))


def test_articles_have_their_authors() -> None:
    wrong = [
        page.gold["url"]
        for page, article in articles()
        if list(article.metadata.authors) != page.gold["authors"]
    ]
    # The exception is a column whose comments are longer than its text and are mistaken for it.
    assert len(wrong) <= 1, wrong


def test_every_article_has_the_right_day_and_no_wrong_time() -> None:
    for page, article in articles():
        published = article.metadata.published
        assert published is not None, page.gold["url"]
        written, known = page.gold["published_at"], str(published)
        assert written.startswith(known) or known == written, page.gold["url"]


def test_a_lead_is_correct_or_missing() -> None:
    found = 0
    for page, article in articles():
        lead = article.metadata.lead
        if lead is not None:
            found += 1
            assert lead == " ".join(page.gold["lead"].split()), page.gold["url"]
    assert found > len(articles()) / 2
