"""Lines that all pages of a template share are not part of an article."""

import zlib

import pytest

from detourage import Page, Site
from detourage.html import parse_page
from detourage.reader.outline import Outline
from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages
from tests.pages import article_html, paragraphs

NOTICE = "The prices in this article include the tax, and they may change at any time."


def _page_html(seed: int, *added: str) -> str:
    """Return a page with paragraphs added after the first one of its article."""
    first = paragraphs(seed)[0]
    added_paragraphs = "".join(f"</p><p>{each}" for each in added)
    return article_html(seed).replace(first, f"{first}{added_paragraphs}")


def _texts_of_site(htmls: list[str], host: str = "news.example") -> list[str]:
    pages = [Page(html, f"https://{host}/{number}") for number, html in enumerate(htmls)]
    return [each.article.text if each.article else "" for each in Site(pages).read()]


@pytest.mark.parametrize("count", [3, 4, 12])
def test_a_notice_inside_every_article_is_left_out_but_a_heading_stays(count: int) -> None:
    texts = _texts_of_site([_page_html(seed, NOTICE, "Key points") for seed in range(count)])
    if count == 3:  # Three pages are not enough evidence.
        assert all(NOTICE in text for text in texts)
    else:
        articles = [[first, "Key points", *rest] for first, *rest in map(paragraphs, range(count))]
        assert texts == ["\n\n".join(each) for each in articles]


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        ("Prices and availability as of {} May 2026, 12:{}.", False),
        ("This page was copied from the system on {} May 2026 at 1{}:15.", False),
        ("On Monday, shares of the company rose to {} dollars.", True),
    ],
    ids=["notice with a date", "notice with date and time", "sentences with other numbers"],
)
def test_shared_lines_may_differ_only_in_dates(line: str, is_kept: bool) -> None:
    lines = [line.format(number, number) for number in range(1, 9)]
    texts = _texts_of_site([_page_html(seed, each) for seed, each in enumerate(lines)])
    assert [each in text for each, text in zip(lines, texts, strict=True)] == [is_kept] * 8


def test_a_sentence_that_some_pages_quote_is_kept() -> None:
    quoted = paragraphs(0)[1]
    quoting = [_page_html(seed, quoted) for seed in range(1, 6)]
    texts = _texts_of_site([article_html(0), *quoting, *map(article_html, range(6, 10))])
    assert all(quoted in text for text in texts[:6])


def test_copies_of_one_article_are_not_evidence() -> None:
    places = ("Rome", "Oslo", "Bern")
    copies = [_page_html(0, f"Our {place} correspondent contributed.") for place in places]
    texts = _texts_of_site([*copies, *copies, article_html(1), article_html(2)])
    assert all(each in text for each in paragraphs(0) for text in texts[:6])


def test_pages_of_other_hosts_are_not_evidence() -> None:
    pages = [Page(article_html(0), "https://victim.letters.example/p")]
    for seed in range(1, 8):
        copy = _page_html(seed, paragraphs(0)[1])
        pages.append(Page(copy, f"https://evil{seed % 2}.letters.example/{seed}"))
    article = Site(pages).extract("https://victim.letters.example/p")
    assert article is not None
    assert article.text == "\n\n".join(paragraphs(0))


def test_a_notice_that_is_the_article_is_kept() -> None:
    body = "".join(f"<p>{text}</p>" for text in paragraphs(99))
    notice = article_html(99).replace(body, f"<p>{NOTICE}</p><p>{NOTICE.upper()}</p>")
    texts = _texts_of_site([*(_page_html(seed, NOTICE) for seed in range(8)), notice])
    assert NOTICE in texts[-1]
    assert not any(NOTICE in text for text in texts[:-1])


def test_the_order_of_the_pages_does_not_matter() -> None:
    htmls = [_page_html(seed, NOTICE) if seed % 9 else article_html(seed) for seed in range(10)]
    pages = [Page(html, f"https://news.example/{number}") for number, html in enumerate(htmls)]
    texts = [
        {each.url: each.article and each.article.text for each in Site(order).read()}
        for order in (pages, pages[::-1])
    ]
    assert texts[0] == texts[1]


def test_lines_survive_serialisation_and_damage_is_detected() -> None:
    urls = [f"https://news.example/{seed}" for seed in range(6)]
    lines = {
        url: PageLines.of(Outline.of(parse_page(_page_html(seed, NOTICE), url).flat))
        for seed, url in enumerate(urls)
    }
    assert sorted(counted_pages(urls)) == urls
    restored = {url: PageLines.from_bytes(each.to_bytes()) for url, each in lines.items()}
    assert restored == lines
    shared = SharedLines.of(lines)
    assert SharedLines.from_bytes(shared.to_bytes()) == shared
    for damaged in (b"", b"x", zlib.compress(b"[]"), zlib.compress(b'{"a":{}}')):
        with pytest.raises(ValueError, match="shared lines"):
            SharedLines.from_bytes(damaged)
    for damaged in (b"\xff\xff", lines[urls[0]].to_bytes()[:-3]):
        with pytest.raises(ValueError, match=r"truncated|multiple"):
            PageLines.from_bytes(damaged)
