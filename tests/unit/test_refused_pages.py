"""Title and metadata of pages without an article."""

from datetime import UTC, datetime
from unittest.mock import patch

import pytest

import detourage
from tests.pages import article_html
from tests.unit.reader.article_pages import sentence

URL = "https://news.example/refused"
HEAD = """<title>Bridge opens</title>
<meta property="article:published_time" content="2024-05-31T09:30:00Z">
<meta name="author" content="Ann Doe"><meta property="og:image" content="/bridge.jpg">"""
TEASERS = "".join(
    f'<li><h3><a href="/{n}">{sentence(n, 9)}</a></h3><span>2 March 2021</span></li>'
    for n in range(40)
)


def page(body: str, head: str = HEAD) -> str:
    return f'<html lang="en"><head>{head}</head><body>{body}</body></html>'


MOVING = '<p>In 3 seconds we <a href="/new">take you</a> there.</p>'
MOVING += '<meta http-equiv="Refresh" content="3; URL=/new">'


@pytest.mark.parametrize(
    ("body", "outcome"),
    [("", "no-text"), (MOVING, "no-text"), (f"<ul>{TEASERS}</ul>", "menu")],
    ids=["blank", "redirect", "menu"],
)
def test_a_refused_page_has_the_metadata_that_it_declares(body: str, outcome: str) -> None:
    result = detourage.read(page(body), URL)
    assert (result.article, result.outcome, result.title) == (None, outcome, "Bridge opens")
    assert result.metadata is not None
    assert result.metadata.published is not None
    assert result.metadata.published.instant == datetime(2024, 5, 31, 9, 30, tzinfo=UTC)
    assert result.metadata.authors == ("Ann Doe",)
    assert result.metadata.image == "https://news.example/bridge.jpg"


def test_a_page_without_text_has_the_metadata_that_it_declares() -> None:
    head = '<meta property="article:published_time" content="2024-05-31">'
    result = detourage.read(page("", head), URL)
    assert (result.outcome, result.title) == ("empty", None)
    assert result.metadata is not None
    assert str(result.metadata.published) == "2024-05-31"


def test_a_menu_page_does_not_get_the_date_and_authors_of_a_teaser() -> None:
    result = detourage.read(page(f"<ul>{TEASERS}</ul>", "<title>News</title>"), URL)
    assert (result.outcome, result.title) == ("menu", "News")
    assert result.metadata is not None
    assert (result.metadata.published, result.metadata.authors) == (None, ())


def test_a_page_that_is_not_parsed_has_neither_title_nor_metadata() -> None:
    result = detourage.read(b"%PDF-1.7 ...", URL)
    assert (result.outcome, result.title, result.metadata) == ("not-html", None, None)


def test_the_metadata_of_an_article_is_in_the_article() -> None:
    result = detourage.read(article_html(1), URL)
    assert result.article is not None
    assert (result.title, result.metadata) == (None, None)


def test_a_bug_in_the_metadata_does_not_change_the_outcome() -> None:
    with patch("detourage.page_extraction.declared_by", side_effect=RuntimeError("bug")):
        result = detourage.read(page(""), URL)
    assert (result.outcome, result.title, result.metadata) == ("no-text", None, None)
