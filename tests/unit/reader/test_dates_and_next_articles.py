"""Dates that are stated in rare ways, and headings that do or do not begin another article."""

from datetime import date, datetime

import pytest

from tests.unit.reader.multilingual import TEXTS, article_of, told


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/news/29-10-2021", date(2021, 10, 29)),
        ("/news/bridge-29.10.2021.html", date(2021, 10, 29)),
        ("/news/05-05-2021/bridge", date(2021, 5, 5)),
        ("/news/05-06-2021/bridge", None),
        ("/news/29-13-2021", None),
        ("/news/129-10-2021", None),
    ],
)
def test_a_path_may_hold_a_date_that_begins_with_the_day(path: str, day: date | None) -> None:
    published = article_of(told("en"), f"https://news.example{path}").published_at
    assert (published and published.date()) == day


@pytest.mark.parametrize(
    ("markup", "is_published"),
    [
        ('<p><time class="entry-date" datetime="2024-05-03T08:00:00Z"></time></p>', True),
        ('<p class="updated"><time datetime="2024-05-03T08:00:00Z"></time></p>', False),
        ('<a href="/other"><time datetime="2024-05-03T08:00:00Z"></time></a>', False),
    ],
)
def test_a_date_without_text_may_be_of_something_else(markup: str, is_published: bool) -> None:
    written = datetime.fromisoformat("2024-05-03T08:00:00+00:00")
    published = article_of(told("en", markup, after=0)).published_at
    assert published == (written if is_published else None)


@pytest.mark.parametrize(
    ("shown", "published"),
    [
        ("May 4, 2024, 00:10", "2024-05-03T23:40:00+01:00"),
        ("May 3, 2024, 18:40", "2024-05-03T18:40:00-04:00"),
        ("May 4, 2024, 04:10", "2024-05-04T04:10:00+05:30"),
    ],
    ids=["of an update", "four hours behind", "half an hour"],
)
def test_a_time_is_in_a_time_zone_that_exists(shown: str, published: str) -> None:
    head = (
        '<script type="application/ld+json">{"@type": "NewsArticle", '
        '"datePublished": "2024-05-03T23:40:00+01:00"}</script>'
    )
    page = told("en", f'<p class="meta">{shown}</p>', after=0, head=head)
    found = article_of(page).published_at
    assert found is not None
    assert found.isoformat() == published


@pytest.mark.parametrize("section", ["By the numbers", "Words for water", "From bank to bank"])
def test_a_section_may_begin_like_the_name_of_an_author(section: str) -> None:
    headline, *paragraphs = TEXTS["en"]
    byline = '<p class="byline">By <a rel="author" href="/p">Jo Brandt</a></p>'
    page = (
        f"<html><head><title>{headline}</title></head><body><main><article><h1>{headline}</h1>{byline}"
        + "".join(f"<p>{text}</p>" for text in paragraphs)
        + f"<h1>{section}</h1>"
        + "".join(f"<p>Then again: {text}</p>" for text in paragraphs)
        + "</article></main></body></html>"
    )
    text = article_of(page).text
    assert section in text
    assert [each for each in paragraphs if f"Then again: {each}" not in text] == []


def _post(language: str, kicker: str = "") -> str:
    headline, *paragraphs = TEXTS[language]
    text = "".join(f"<p>{each}</p>" for each in paragraphs)
    return (
        f'<div class="post-head">{kicker}<h1>{headline}</h1><div class="meta">By <a rel="author" '
        f'href="/p">Jo Brandt</a> <time datetime="2024-05-03">May 3, 2024</time></div></div>'
        f'<div class="post-text">{text}</div>'
    )


@pytest.mark.parametrize("language", ["de", "es", "zh"])
@pytest.mark.parametrize(
    "markup",
    [
        '<div class="content">{own}<div class="next"><div class="post">{other}</div></div></div>',
        "<article>{own}</article><article>{other}</article>",
    ],
    ids=["in a box", "below the name of its section"],
)
def test_the_next_article_is_not_part_of_the_text(language: str, markup: str) -> None:
    kicker = '<h3 class="cat"><a href="/coast/">Coast</a></h3>' if "article" in markup else ""
    body = markup.format(own=_post("en"), other=_post(language, kicker))
    page = (
        f"<html><head><title>{TEXTS['en'][0]}</title></head><body><main>{body}</main></body></html>"
    )
    text = article_of(page).text
    assert [each for each in TEXTS["en"][1:] if each not in text] == []
    assert [each for each in TEXTS[language] if each in text] == []
