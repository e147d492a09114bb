from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import pytest

from detourage.article import ArticleEmbed, ArticleImage
from detourage.reader import extract_article
from tests.unit.reader.article_pages import article_around, page, prose

Medium = TypeVar("Medium", ArticleImage, ArticleEmbed)
SITE = "https://news.example"


def without_positions(media: Iterable[Medium]) -> list[Medium]:
    return [replace(each, block=None) for each in media]


@pytest.mark.parametrize(
    ("media", "names"),
    [
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', []),
        ('<img src="/pixel.gif" width="1" height="1">', []),
        ('<img src="/pixel.gif" width="1px">', []),
        ('<img src="/spacer.gif" width="500" height="0">', []),
        ('<img src="/pixel.gif" style="border:0; height:1px">', []),
        ('<img alt="No address"><img src="">', []),
        ('<p>Back <img class="emoji" src="/e.png"> home</p><img class="avatar" src="/me.png">', []),
        ('<img src="http://[broken/a.jpg"><img src="javascript:void(0)">', []),
        ('<div class="social"><a href="/share"><img src="/icon.png"></a></div>', []),
        ('<img src="/b.jpg"><img src="/a.jpg"><img src="/b.jpg">', ["b", "a"]),
        ('<img src="/blank.gif" data-src="/real.jpg">', ["real"]),
        ('<img src="data:image/gif;base64,AA" data-original="/real.jpg">', ["real"]),
        ('<img srcset="/small.jpg 300w, /large.jpg 1200w, /mid.jpg 600w">', ["large"]),
        ('<img srcset="/one.jpg, /two.jpg 2x">', ["two"]),
        ('<img data-src="/small.jpg 300w, /large.jpg 1200w">', ["large"]),
        ('<picture><source srcset="/p.webp 2x"><img alt="a"></picture>', ["p"]),
        (
            '<img src="data:image/gif;base64,AA"><noscript><img src="/real.jpg"></noscript>',
            ["real"],
        ),
        ('<p><img src="/real.jpg"><noscript><img src="/twin.jpg"></noscript></p>', ["real"]),
    ],
)
def test_images_are_listed_once_without_trackers_and_buttons(media: str, names: list[str]) -> None:
    urls = [image.url for image in article_around(media).images]
    assert [url.rpartition("/")[2].partition(".")[0] for url in urls] == names


@pytest.mark.parametrize(
    "figure",
    [
        '<figure><img src="/a.jpg" alt="Bridge"><figcaption>Seen at dawn</figcaption></figure>',
        '<figure><div><a href="/a.jpg"><img src="/a.jpg" alt="Bridge"></a></div>'
        "<figcaption><p>Seen at <b>dawn</b></p></figcaption></figure>",
        '<div class="wp-caption"><img src="/a.jpg" alt="Bridge">'
        '<p class="wp-caption-text">Seen at dawn</p></div>',
        '<div class="photoCaption"><img src="/a.jpg" alt="Bridge">Seen at dawn</div>',
    ],
)
def test_images_have_their_alternative_text_and_caption(figure: str) -> None:
    found = without_positions(article_around(figure).images)
    assert found == [ArticleImage(f"{SITE}/a.jpg", "Bridge", "Seen at dawn")]


@pytest.mark.parametrize(
    ("markup", "url", "kind"),
    [
        ('<iframe src="//v.example/1" width="560"></iframe>', "https://v.example/1", "iframe"),
        ('<iframe data-src="//v.example/1"></iframe>', "https://v.example/1", "iframe"),
        ('<video src="/clip.mp4"></video>', f"{SITE}/clip.mp4", "video"),
        ('<video><source src="/1.webm"><source src="/1.mp4"></video>', f"{SITE}/1.webm", "video"),
        ('<audio src="/talk.mp3"></audio>', f"{SITE}/talk.mp3", "audio"),
        ('<object><param name="movie" value="/1.swf"></object>', f"{SITE}/1.swf", "object"),
        ('<embed src="/clip.swf">', f"{SITE}/clip.swf", "embed"),
        ('<iframe src="https://ads.example/t" width="1" height="1"></iframe>', "", ""),
        ('<iframe src="about:blank"></iframe><iframe src="javascript:false"></iframe>', "", ""),
        ('<iframe src="https://www.facebook.com/plugins/like.php?href=x"></iframe>', "", ""),
        ("<video></video>", "", ""),
        ("<blockquote><p>Words of a person, no post at all.</p></blockquote>", "", ""),
        (
            '<blockquote class="twitter-tweet"><p>A post of some length.</p>'
            '<a href="https://t.example/someone">Someone</a> '
            '<a href="https://t.example/status/1">1 May</a></blockquote>',
            "https://t.example/status/1",
            "blockquote",
        ),
        (
            '<blockquote class="instagram-media" data-instgrm-permalink="https://i.example/p/1/">'
            "<p>A picture of some interest.</p></blockquote>",
            "https://i.example/p/1/",
            "blockquote",
        ),
    ],
)
def test_embedded_objects_are_extracted_and_buttons_and_trackers_are_not(
    markup: str, url: str, kind: str
) -> None:
    assert without_positions(article_around(markup).embeds) == (
        [ArticleEmbed(url, kind)] if url else []
    )


HEADLINE = "<h1>The ferry returns to the northern islands after nine years</h1>"
OPENING = "<figure><img src='/lead.jpg'><figcaption>The ferry. Photo: A. Doe</figcaption></figure>"


def article_images(content: str, head: str = "") -> list[ArticleImage]:
    body = f"<main><article>{content}</article><aside><img src='/ad.jpg'></aside></main>"
    return without_positions(extract_article(page(body, head), None).images)


@pytest.mark.parametrize(
    "content",
    [
        f"<header>{HEADLINE}</header><div>{OPENING}</div><div>{prose(4)}</div>",
        f"{OPENING}<header>{HEADLINE}</header><div>{prose(4)}</div>",
        f"<header>{HEADLINE}</header>{prose(1)}<div>{OPENING}</div><div>{prose(9)}</div>",
    ],
)
def test_the_image_above_the_text_comes_first_with_its_caption(content: str) -> None:
    images = article_images(content.replace(prose(4), f"{prose(4)}<img src='/next.jpg'>{prose(2)}"))
    assert images[0] == ArticleImage(f"{SITE}/lead.jpg", caption="The ferry. Photo: A. Doe")
    assert f"{SITE}/ad.jpg" not in [image.url for image in images]


@pytest.mark.parametrize(
    "other",
    [
        "<div class='author'><img src='/portrait.jpg'> Ann Doe</div>",
        "<img src='/portrait.jpg' width='48'>",
        "<img src='/sign.svg'>",
        "<nav><img src='/menu.jpg'></nav>",
        "<div><img src='/other.jpg'><a href='/other'>Another story of the islands</a></div>",
        "<a href='/other'><img src='/other.jpg'></a>",
    ],
)
def test_unrelated_images_above_the_text_are_omitted(other: str) -> None:
    assert article_images(f"<header>{HEADLINE}</header>{other}<div>{prose(4)}</div>") == []


def test_images_are_relative_to_the_base_and_a_declared_one_may_link_to_a_gallery() -> None:
    article = article_around('<img src="a.jpg">', head='<base href="/media/">')
    assert [image.url for image in article.images] == [f"{SITE}/media/a.jpg"]
    linked = "<a href='/gallery'><img src='/640x360/ferry-640x360.jpg'></a>"
    head = "<meta property='og:image' content='https://cdn.example/ferry-1200x675.png'>"
    content = f"<header>{HEADLINE}</header>{linked}<div>{prose(4)}</div>"
    assert [each.url for each in article_images(content, head)] == [
        f"{SITE}/640x360/ferry-640x360.jpg"
    ]
