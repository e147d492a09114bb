"""Hostile markup, texts and addresses neither prevent extraction nor endanger readers."""

import json

import pytest

from detourage import read
from detourage.addresses import refusal_of
from detourage.html import Response
from detourage.reader import extract_article
from tests.unit.reader.article_pages import article_around, page, paragraphs, prose, sentence

DEPTH = 480  # Pages with a depth of 512 or more are rejected.
MANY_ELEMENTS = 8_000
RIGHT_TO_LEFT_OVERRIDE, END_OF_OVERRIDE = "\u202e", "\u202c"


@pytest.mark.parametrize("element", ["div", "span", "blockquote", "figure", "section"])
def test_a_deep_page_yields_its_article(element: str) -> None:
    deep_page, other_page = (
        page(f"<{element} class='a'>" * DEPTH + prose(seed) + f"</{element}>" * DEPTH)
        for seed in (1, 2)
    )
    for pivot in (None, other_page):
        assert extract_article(deep_page, pivot).text == "\n\n".join(paragraphs(1))


@pytest.mark.parametrize(
    "repeated",
    [
        *("<img src='/a.jpg'>", "<noscript><img src='/a.jpg'></noscript>", "<h1>Again</h1>"),
        *("<figure><img src='/a.jpg'></figure>", "<i></i>", "<br>", "<p class='caption'></p>"),
    ],
)
def test_a_page_with_very_many_elements_yields_its_article(repeated: str) -> None:
    text = article_around(repeated * MANY_ELEMENTS).text
    assert text.startswith(paragraphs(1)[0])
    assert text.endswith(paragraphs(2)[-1])


@pytest.mark.parametrize("run", ["." * 200_000, "? " * 100_000, " " * 200_000, "-" * 200_000])
def test_long_runs_of_one_character_are_harmless(run: str) -> None:
    html_page = page(f"<div>{prose(1)}<p>{run}</p></div>", f"<title>{run}</title>")
    assert extract_article(html_page, None).text == "\n\n".join(paragraphs(1))


def test_links_are_resolved_as_in_a_browser() -> None:
    article = article_around(
        f'<p>{sentence(1)} <a href="https://news.example@evil.example/">One</a>'
        f' <a href="https://a.example\\@evil.example">two</a>'
        f' <a href="https://a.example:99999/">three</a></p>'
        f'<img src="https://me:secret@cdn.example/{RIGHT_TO_LEFT_OVERRIDE}gpj.a">'
        '<iframe src="https://video.example:0/1"></iframe>'
        '<iframe src="https://me@video.example/2"></iframe>',
        '<link rel="canonical" href="https://me:secret@news.example/story">',
    )
    links = [link.url for block in article.blocks for link in block.links]
    assert links == ["https://evil.example/", "https://a.example/@evil.example"]
    assert [image.url for image in article.images] == ["https://cdn.example/gpj.a"]
    assert [embed.url for embed in article.embeds] == ["https://video.example/2"]
    assert article.metadata.canonical_url == "https://news.example/story"


def test_titles_names_and_texts_are_in_display_order() -> None:
    declared = {
        "@type": "NewsArticle",
        "author": {"name": f"Jane {RIGHT_TO_LEFT_OVERRIDE}Doe{END_OF_OVERRIDE}"},
    }
    article = article_around(
        f"<p>{sentence(1)} {RIGHT_TO_LEFT_OVERRIDE}Turned{END_OF_OVERRIDE}.</p>"
        f'<figure><img src="/a.jpg" alt="The {RIGHT_TO_LEFT_OVERRIDE}bridge"></figure>',
        f"<title>Old {RIGHT_TO_LEFT_OVERRIDE}bridge{END_OF_OVERRIDE} to open</title>"
        f'<script type="application/ld+json">{json.dumps(declared)}</script>',
    )
    assert (article.title, article.metadata.authors) == ("Old bridge to open", ("Jane Doe",))
    assert f"{sentence(1)} Turned." in article.text
    assert article.images[0].alt == "The bridge"


@pytest.mark.parametrize(
    "address",
    [
        *("http://[", "//[::1", "https://[v1.x]/", "http://a]b/"),
        *("", "no address", "ftp://x/y", "//", "\x00"),
    ],
)
def test_an_invalid_address_anywhere_removes_only_its_link(address: str) -> None:
    html = (
        f'<html><head><link rel="canonical" href="{address}"><base href="{address}">'
        f'<meta property="og:url" content="{address}"></head><body>'
        f'<h1><a href="{address}">Harbour to reopen in spring</a></h1>'
        f'<article>{prose(2)}<p><a href="{address}">{sentence(3)}</a></p>'
        f'<img src="{address}"></article><a rel="next" href="{address}">Next</a></body></html>'
    )
    article = read(html, address).article
    assert article is not None
    assert article.to_dict()["url"] == address
    assert sentence(3) in article.text
    assert refusal_of(address, Response(200, address)) is None
