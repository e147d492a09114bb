"""Lines that stand on all pages of a template are not the article's, in whatever text."""

import zlib

import pytest

from detourage import Page, Site
from detourage.html import parse_page
from detourage.reader.outline import Outline
from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages
from tests.pages import article_html, paragraphs

NOTICE = "If you buy something through a link in this article, we may earn a commission."


def _html(seed: int, *added: str) -> str:
    """Return a page with paragraphs added after the first one of its article."""
    first = paragraphs(seed)[0]
    more = "".join(f"</p><p>{each}" for each in added)
    return article_html(seed).replace(first, f"{first}{more}")


def _texts(htmls: list[str], host: str = "news.example") -> list[str]:
    """Return the texts of the pages of a site, in order."""
    pages = [Page(html, f"https://{host}/{place}") for place, html in enumerate(htmls)]
    return [each.article.text if each.article else "" for each in Site(pages).read()]


@pytest.mark.parametrize("count", [3, 4, 12])
def test_a_notice_amid_every_article_is_left_out(count: int) -> None:
    texts = _texts([_html(seed, NOTICE) for seed in range(count)])
    if count == 3:  # Three pages are no evidence.
        assert all(NOTICE in text for text in texts)
    else:
        assert texts == ["\n\n".join(paragraphs(seed)) for seed in range(count)]


def test_a_notice_with_a_date_is_left_out() -> None:
    notices = [f"Prices and availability as of {day} May 2026, 12:{day}." for day in range(1, 9)]
    texts = _texts([_html(seed, notice) for seed, notice in enumerate(notices)])
    assert not any("availability" in text for text in texts)


def test_sentences_with_other_numbers_are_kept() -> None:
    sentences = [f"On Monday, shares of the company rose to {price} dollars." for price in range(8)]
    texts = _texts([_html(seed, sentence) for seed, sentence in enumerate(sentences)])
    assert all(sentence in text for sentence, text in zip(sentences, texts, strict=True))


def test_a_sentence_that_some_pages_quote_is_kept() -> None:
    quoted = paragraphs(0)[1]
    texts = _texts(
        [
            article_html(0),
            *(_html(seed, quoted) for seed in range(1, 6)),
            *(article_html(seed) for seed in range(6, 10)),
        ]
    )
    assert all(quoted in text for text in texts[:6])


def test_copies_of_one_article_are_no_evidence() -> None:
    wire = [
        _html(0, f"Our {place} correspondent contributed.") for place in ("Rome", "Oslo", "Bern")
    ]
    texts = _texts([*wire, *wire, article_html(1), article_html(2)])
    assert all(each in text for each in paragraphs(0) for text in texts[:6])


def test_pages_of_other_hosts_are_no_evidence() -> None:
    pages = [Page(article_html(0), "https://victim.letters.example/p")]
    for seed in range(1, 8):
        copy = _html(seed, paragraphs(0)[1])
        pages.append(Page(copy, f"https://evil{seed % 2}.letters.example/{seed}"))
    article = Site(pages).extract("https://victim.letters.example/p")
    assert article is not None
    assert article.text == "\n\n".join(paragraphs(0))


def test_a_notice_that_is_the_article_is_kept() -> None:
    notice = [_replaced(article_html(99), paragraphs(99), (NOTICE, NOTICE.upper()))]
    texts = _texts([*(_html(seed, NOTICE) for seed in range(8)), *notice])
    assert NOTICE in texts[-1]
    assert not any(NOTICE in text for text in texts[:-1])


def _replaced(html: str, old: list[str], new: tuple[str, ...]) -> str:
    for place, each in enumerate(old):
        html = html.replace(f"<p>{each}</p>", f"<p>{new[place]}</p>" if place < len(new) else "")
    return html


def test_the_order_of_the_pages_does_not_matter() -> None:
    htmls = [_html(seed, NOTICE) if seed % 9 else article_html(seed) for seed in range(10)]
    pages = [Page(html, f"https://news.example/{place}") for place, html in enumerate(htmls)]
    texts = [
        {each.url: each.article and each.article.text for each in Site(order).read()}
        for order in (pages, pages[::-1])
    ]
    assert texts[0] == texts[1]


def test_lines_are_stored_and_damage_is_noticed() -> None:
    urls = [f"https://news.example/{seed}" for seed in range(6)]
    lines = {
        url: PageLines.of(Outline.of(parse_page(_html(seed, NOTICE), url).flat))
        for seed, url in enumerate(urls)
    }
    assert sorted(counted_pages(urls)) == urls
    again = {url: PageLines.from_bytes(each.to_bytes()) for url, each in lines.items()}
    assert again == lines
    shared = SharedLines.of(lines)
    assert SharedLines.from_bytes(shared.to_bytes()) == shared
    for data in (b"", b"x", zlib.compress(b"[]"), zlib.compress(b'{"a":{}}')):
        with pytest.raises(ValueError, match="shared lines"):
            SharedLines.from_bytes(data)
    for data in (b"\xff\xff", lines[urls[0]].to_bytes()[:-3]):
        with pytest.raises(ValueError, match=r"truncated|multiple"):
            PageLines.from_bytes(data)
