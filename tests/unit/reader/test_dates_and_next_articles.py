"""Dates that are stated in rare ways, and headings that do or do not begin another article."""

import pytest

from tests.unit.reader.multilingual import TEXTS, news_page, read_article

PATHS = {
    "/news/29-10-2021": "2021-10-29",
    "/news/bridge-29.10.2021.html": "2021-10-29",
    "/news/05-05-2021/bridge": "2021-05-05",
    "/news/05-06-2021/bridge": "",
    "/news/29-13-2021": "",
    "/news/129-10-2021": "",
}
"""Paths of URLs with the date that each contains, if day and month are unambiguous."""
MOMENT = "2024-05-03T08:00:00"
EMPTY_TIMES = {
    # A date without text may belong to another article.
    f'<p class="updated"><time datetime="{MOMENT}Z"></time></p>': "",
    f'<a href="/other"><time datetime="{MOMENT}Z"></time></a>': "",
}
DECLARED = (
    '<script type="application/ld+json">{"@type": "NewsArticle", '
    '"datePublished": "2024-05-03T23:40:00+01:00"}</script>'
)
SHOWN_TIMES = {
    "May 4, 2024, 00:10": "2024-05-03T23:40:00+01:00",
    "May 3, 2024, 18:40": "2024-05-03T18:40:00-04:00",
    "May 4, 2024, 04:10": "2024-05-04T04:10:00+05:30",
}
"""Times displayed next to the declared one; the first is that of an update."""


@pytest.mark.parametrize(
    ("path", "markup", "head", "written"),
    [
        *((path, "", "", day) for path, day in PATHS.items()),
        *(("/bridge", markup, "", moment) for markup, moment in EMPTY_TIMES.items()),
        *(
            ("/bridge", f'<p class="meta">{shown}</p>', DECLARED, moment)
            for shown, moment in SHOWN_TIMES.items()
        ),
    ],
)
def test_a_date_may_be_in_the_path_or_in_a_time_zone_that_exists(
    path: str, markup: str, head: str, written: str
) -> None:
    page = news_page("en", markup, after=0, head=head)
    published = read_article(page, f"https://news.example{path}").published_at
    found = published.isoformat() if published is not None else ""
    assert (found[:10] if len(written) == 10 else found) == written


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
    text = read_article(page).text
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
    text = read_article(page).text
    assert [each for each in TEXTS["en"][1:] if each not in text] == []
    assert [each for each in TEXTS[language] if each in text] == []
