from dataclasses import replace
from datetime import UTC, datetime

import pytest

from detourage.article import ArticleMetadata
from detourage.reader import TemplateKnowledge, extract_article
from detourage.reader.article_and_comments import read_content
from tests.unit.reader.article_pages import ADDRESS as URL
from tests.unit.reader.article_pages import TITLE, json_ld, page, paragraphs, prose, sentence, story

BODY = f"<div class='story'>{prose(1)}</div>"


def metadata(*arguments: str, **options: str) -> ArticleMetadata:
    return story(*arguments, **options).metadata


def test_declared_metadata_is_read() -> None:
    found = metadata(
        head=json_ld(
            author=[{"name": "Jane Doe"}, {"name": "John Roe"}],
            publisher={"@type": "Organization", "name": "The Harbour Post"},
            datePublished="2024-05-31T09:30:00+02:00",
            dateModified="2024-06-01T08:00:00+02:00",
            articleSection="Politics",
            keywords="bridge, Ellersby,bridge",
            isAccessibleForFree=False,
        )
        + '<link rel="canonical" href="/politics/bridge">'
    )
    assert found.authors == ("Jane Doe", "John Roe")
    assert str(found.published) == "2024-05-31T09:30:00+02:00"
    assert str(found.modified) == "2024-06-01T08:00:00+02:00"
    assert found.section == "Politics"
    assert found.tags == ("bridge", "Ellersby")
    assert found.is_paid is True
    assert found.canonical_url == "https://harbour-post.example/politics/bridge"
    assert found.kind == "article"


def test_names_images_and_text_direction_are_read_from_declarations() -> None:
    found = metadata(
        head='<meta property="og:site_name" content="Harbour Post">'
        '<meta property="og:description" value="Council &amp;amp; bridge">'
        '<link rel="image_src" href="/bridge.jpg">'
        '<link rel="apple-touch-icon" href="/touch.png"><link rel="shortcut icon" href="/i.ico">',
        body=f"<div dir='RTL'>{BODY}</div>",
    )
    assert replace(found, kind="article") == ArticleMetadata(
        site_name="Harbour Post",
        description="Council & bridge",
        image="https://harbour-post.example/bridge.jpg",
        favicon="https://harbour-post.example/i.ico",
        text_direction="rtl",
    )


SITE_NAME = '<meta property="og:site_name" content="Harbour Post">'
BLOG_NAME = SITE_NAME.replace("Harbour Post", "Jane Doe")
PUBLISHER_AS_AUTHOR = '<meta name="author" content="Harbour Media Group">'
JANE = "<p>By Jane Doe</p>"
AUTHORS = [
    ("", SITE_NAME + json_ld(author={"name": "Harbour Post"}), ()),
    (JANE, PUBLISHER_AS_AUTHOR, ("Jane Doe",)),
    ("", PUBLISHER_AS_AUTHOR, ("Harbour Media Group",)),
    (JANE, json_ld(author={"name": "Harbour feed"}), ("Jane Doe",)),
    ("<p>By Jane Doe and John Roe</p>", json_ld(author="Jane Doe"), ("Jane Doe", "John Roe")),
    ("", BLOG_NAME + json_ld(author="Jane Doe"), ("Jane Doe",)),
    (f"<div class='byline'><p>Deal Diary</p>{JANE}</div>", "", ("Jane Doe",)),
    ("<p>North Sea</p><p>North Sea, 31 May 2024</p>", json_ld(articleSection="North Sea"), ()),
]
"""Markup above the body, elements of the head, and the authors: people, and never a section."""

UTC_TIME = "2024-05-31T09:30:00Z"
DATES = [
    ("<p>31 May 2024, 09:30</p>", "", "2024-05-31T09:30:00"),
    ("<time datetime='2024-05-31T09:30+02:00'>Friday</time>", "", "2024-05-31T09:30:00+02:00"),
    ("", '<meta name="date" content="2024-05-31">', "2024-05-31"),
    # The local time on the page reveals the time zone of a declared time in another zone.
    (
        "<p class='date'>31 May 2024, 11:30</p>",
        json_ld(datePublished=UTC_TIME),
        "2024-05-31T11:30:00+02:00",
    ),
    # If the visible and the declared date differ, the visible one takes precedence.
    ("<p class='date'>31 May 2024</p>", json_ld(datePublished="2023-01-01"), "2024-05-31"),
    ("<p>The fair will open on 3 May 2027.</p>", "", "None"),
    ("", f'<script>{{"createdAt": "{UTC_TIME}"}}</script>', "None"),
    # The date of a quotation in the text does not take precedence.
    (
        f"<p>{sentence(1)}</p><blockquote><time datetime='2018-03-27'>27 March</time></blockquote>",
        json_ld(datePublished="2018-05-23"),
        "2018-05-23",
    ),
    ("<p>Last update: 2 June 2024</p>", json_ld(datePublished="2024-05-31"), "2024-05-31"),
    ("<b data-timestamp='1717147800'>3 hours ago</b>", "", "2024-05-31T09:30:00+00:00"),
    # A modification date is better than no date.
    ("<p>Last updated: 31 May 2024</p>", "", "2024-05-31"),
    ("<p>Friday, 31 May 2024, 3:20 p.m.</p>", "", "2024-05-31T15:20:00"),
    ("<p>31 mai 2024</p><p>Rendez-vous le 3 mai 2027 sur le pont du port.</p>", "", "2024-05-31"),
]
IMAGE = {"@id": "/a.jpg", "@type": "ImageObject", "contentUrl": "/a.jpg"}
IMAGES = "/a.jpg", ["/a.jpg", "/b.jpg"], {"@type": "Image", "url": "/a.jpg"}, {"@id": "/a.jpg"}
LEAD = "The vote was close, the debate was long, and the ferry is to stay until spring."
LEADS = [
    (f"<p class='standfirst'>{LEAD}</p>", "", LEAD),
    (f"<div class='article__chapo'>{LEAD}</div>", "", LEAD),
    (f"<p>{LEAD}</p>", f'<meta property="og:description" content="{LEAD}">', LEAD),
    (f"<p>{LEAD}</p>", json_ld(description=LEAD), LEAD),
    (f"<p><strong>{LEAD}</strong></p>", "", LEAD),
    # A description that the page truncates, or does not display, is not a lead.
    ("", f'<meta name="description" content="{paragraphs(1)[0][:80]}…">', None),
    ("", f'<meta name="description" content="{LEAD}">', None),
]
AGES = [
    ("3 hours ago", "3 hours ago"),
    ("By Jane Doe | Yesterday at 7:05pm", "Yesterday at 7:05pm"),
    ("May 31", "May 31"),
    ("4 min read", ""),
    ("Updated 3 hours ago", ""),
    ("The ferry sank 3 days ago, and nobody has said a word about it.", ""),
    ("31 May 2024, 3 hours ago", ""),
    ("3 jam yang lalu", "3 jam yang lalu"),
]
NOT_IMAGES = ["data:image/png;base64,AAAA", "javascript:alert(1)", {}, [True]]
NOT_CANONICAL = [
    *("https://harbour-post.example/", "/index.html", "http://localhost:3000/politics/bridge"),
    *("javascript:void(0)", "http://[", "mailto:a@b"),
]
CANONICAL = [
    '<base href="/politics/"><link rel="canonical" href="bridge">',
    '<link rel="shortlink canonical" href="/politics/bridge">',
]


@pytest.mark.parametrize(
    ("field", "above", "head", "value"),
    [
        *(("authors", *each) for each in AUTHORS),
        *(("published", *each) for each in DATES),
        *(("lead", *each) for each in LEADS),
        *(("age", f"<p>{line}</p>", "", age) for line, age in AGES),
        *(
            ("image", "", json_ld(image=each, isPartOf=IMAGE), "https://harbour-post.example/a.jpg")
            for each in (*IMAGES, {"@id": "/a.jpg"})
        ),
        *(("image", "", json_ld(image=each), None) for each in NOT_IMAGES),
        *(
            ("canonical_url", "", f'<link rel="canonical" href="{each}">', None)
            for each in NOT_CANONICAL
        ),
        *(
            ("canonical_url", "", each, "https://harbour-post.example/politics/bridge")
            for each in CANONICAL
        ),
    ],
)
def test_values_are_declared_or_displayed(field: str, above: str, head: str, value: object) -> None:
    found = getattr(metadata(above, head), field)
    assert (str(found) if field == "published" else found) == value


@pytest.mark.parametrize(
    "line",
    [
        "First published: 31 May 2024. Last updated: 2 June 2024",
        "Last updated: 2 June 2024 | First published: 31 May 2024",
        "31 May 2024 | Updated 2 June 2024",
        "<time itemprop='dateModified' datetime='2024-06-02'>31 May 2024 | Updated 2 June 2024",
        "<time datetime='2024-05-31'>May</time><time class='updated' datetime='2024-06-02'>Now",
        "Опубликовано 31.05.2024, обновлено 02.06.2024",
        "등록 2024.05.31. 업데이트 2024.06.02.",
    ],
)
def test_a_line_may_contain_the_dates_of_publication_and_update(line: str) -> None:
    found = metadata(f"<p>{line}</p>")
    assert (str(found.published), str(found.modified)) == ("2024-05-31", "2024-06-02")


@pytest.mark.parametrize(
    "body",
    [
        f"<div><p>{sentence(1)} It burnt down on 31 May 1994. {sentence(2)}</p>{prose(1)}</div>",
        f"{BODY}<div class='comment'><p>Jane Doe, 31 May 2024</p><p>Well said.</p></div>",
    ],
    ids=["text", "comment"],
)
def test_dates_in_texts_and_comments_are_not_publication_dates(body: str) -> None:
    assert metadata(body=body).published is None


def test_a_link_to_the_comments_may_follow_the_date() -> None:
    line = "<p><span class='date'>31 May 2024</span> <a class='comments' href='#c'>11</a></p>"
    dated = page(f"{line}<h1>{TITLE}</h1>{BODY}", "", URL, "lang='en'")
    assert str(extract_article(dated, None).metadata.published) == "2024-05-31"


def test_an_author_who_is_also_on_another_page_belongs_to_the_template() -> None:
    def body(seed: int) -> str:
        title = f"Story number {seed} of the harbour"
        return f"<h1>{title}</h1><div>{prose(seed)}</div><p>Author: Max Moe</p>"

    first, other = page(body(1)), page(body(2))
    assert extract_article(first, None).metadata.authors == ("Max Moe",)
    knowledge = TemplateKnowledge.from_pages([other])
    assert extract_article(first, knowledge).metadata.authors == ()


@pytest.mark.parametrize(
    ("url", "head", "date"),
    [
        ("https://news.example/bridge", "", "2024-05-06"),
        ("https://news.example.co.uk/bridge", "", "2024-06-05"),
        ("https://news.example.io/bridge", "", "2024-05-06"),
        (URL, '<meta property="og:locale" content="en_GB">', "2024-06-05"),
        (URL, json_ld(datePublished="2024-06-05T09:30:00Z"), "2024-06-05T09:30:00+00:00"),
        ("https://news.example/2024/06/05/bridge", "", "2024-06-05"),
    ],
)
def test_day_and_month_depend_on_clear_dates_and_country(url: str, head: str, date: str) -> None:
    assert str(metadata("<p class='date'>05/06/2024</p>", head, url=url).published) == date


@pytest.mark.parametrize(
    ("above", "date"),
    [
        ("<p>3 hours ago</p>", "2024-06-04T21:00:00+00:00"),
        ("<p>Yesterday at 7:05pm</p>", "2024-06-04T19:05:00"),
        ("<p>2 weeks ago</p>", "None"),
        # With day and month exchanged, the date would be in the future.
        ("<p>07/05/2024</p>", "2024-05-07"),
        ("<p>05/07/2024</p>", "2024-05-07"),
    ],
)
def test_relative_and_ambiguous_dates_are_resolved_by_the_fetch_time(above: str, date: str) -> None:
    dated_page = page(f"<h1>{TITLE}</h1>{above}{BODY}", "", URL, "lang='en'")
    content = read_content(dated_page, fetched_at=datetime(2024, 6, 5, tzinfo=UTC))
    assert str(content.metadata.published) == date


@pytest.mark.parametrize(
    ("head", "url", "kind"),
    [
        (json_ld(**{"@type": "LiveBlogPosting"}), URL, "live"),
        ("", "https://news.example/liveticker/bridge", "live"),
        ('<meta property="og:type" content="video.other">', URL, "video"),
        ('<meta property="og:type" content="article">', "https://news.example/live-music", None),
        ("", "https://news.example/video/bridge", None),
        (json_ld(), "https://news.example/video/bridge", "article"),
        (json_ld(**{"@type": "ImageGallery"}), URL, "gallery"),
        (json_ld() * 3_000, URL, "article"),
    ],
)
def test_the_kind_of_a_page_is_read_from_declarations_and_url(
    head: str, url: str, kind: str | None
) -> None:
    found = metadata(head=head, url=url).kind
    assert found == kind if kind is not None else found not in ("live", "video")
