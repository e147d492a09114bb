"""Locations of the parts of an article in its page."""

import re
from typing import Any

import pytest

from detourage import Page, extract
from detourage.article import Article
from detourage.html import parse_page
from detourage.html.locations import Location
from detourage.html.nodes import index_at
from detourage.messages import ArticleMessage, PageMessage
from detourage.reader.locations import LocationError
from examples.sample_crawl import generate
from inspector.views.locations import locate_in_message, text_fragment
from tests.counted import MAX_LINEAR_GROWTH, Work, growth
from tests.unit.reader.article_pages import prose

HEAD = (
    '<meta name="author" content="Ann Olsen">'
    '<meta property="article:published_time" content="2024-05-31T10:00:00+02:00">'
)
PAGE = (
    f"<html><head>{HEAD}</head><body><div><h1>The bridge over the river opens in May</h1>{prose(1)}"
    '<p>The <b>mayor</b> of <a href="/x">Aber&shy;don</a>, Ms Olsen, <!-- -->said: &quot;Nobody '
    '&amp; nothing\n   will   stop it.&quot;</p><figure><img src="a.jpg"></figure><blockquote>'
    "<p>Nobody expected that the work would be finished so early.</p></blockquote>"
    f"{prose(2)}</div></body></html>"
).encode()
URL = "https://news.example/2024/05/story.html"


@pytest.fixture(scope="module")
def article() -> Article:
    found = extract(PAGE, URL)
    assert found is not None
    return found


def source_at(location: Location | None) -> str:
    assert location is not None
    assert location.start is not None
    return PAGE[location.start : location.end].decode()


def test_each_text_node_of_a_block_has_its_location(article: Article) -> None:
    block = next(each for each in article.blocks if "mayor" in each.text)
    assert block.xpath == "p[7]"
    spans = [(article.text[each.start : each.end], each.xpath, each.offset) for each in block.texts]
    assert spans[:4] == [("The", "", 0), ("mayor", "b", 0), ("of", "", 5), ("Aberdon", "a", 0)]
    sources = [PAGE[each.byte_start : each.byte_end] for each in block.texts]
    assert sources[:4] == [b"The", b"mayor", b"of", b"Aber&shy;don"]
    assert sources[4].startswith(b", Ms Olsen, <!-- -->said")


def test_a_range_of_the_text_is_found_in_the_page(article: Article) -> None:
    start = article.text.index("Aberdon, Ms")
    passages = article.locate(start, start + len("Aberdon, Ms"))
    assert [
        (each.text, each.xpath, PAGE[each.byte_start : each.byte_end]) for each in passages
    ] == [
        ("Aber\u00addon", "/html/body/div/p[7]/a", b"Aber&shy;don"),
        (", Ms", "/html/body/div/p[7]", b", Ms"),
    ]


def test_values_and_images_have_their_locations(article: Article) -> None:
    locations = article.locations
    assert locations is not None
    assert source_at(locations.title) == article.title
    (author,) = locations.authors
    assert author is not None
    assert author.attribute == "content"
    assert source_at(author) == '<meta name="author" content="Ann Olsen">'
    assert locations.published is not None
    assert locations.published.xpath == "/html/head/meta[2]"
    assert locations.modified is None
    (image,) = article.images
    assert image.location is not None
    assert image.location.xpath == "figure/img"
    assert source_at(image.location) == '<img src="a.jpg">'


def test_an_article_from_a_script_has_no_locations() -> None:
    body = " ".join(re.findall(r"<p>(.*?)</p>", prose(3)))
    script = (
        f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{body}"}}'
    )
    found = extract(f"<head><title>A title of some words</title>{script}</script><p>Loading", URL)
    assert found is not None
    assert found.method == "articleBody"
    assert all(each.xpath is None and not each.texts for each in found.blocks)
    with pytest.raises(ValueError, match="not part of a block"):
        found.locate(0, 5)


def test_a_message_has_locations_relative_to_its_blocks(article: Article) -> None:
    block = next(each for each in article.to_dict()["blocks"] if "mayor" in each["text"])
    assert block["texts"][0][:2] == [0, 3]
    start, length = block["texts"][1][2:4]
    assert PAGE[start : start + length] == b"mayor"
    assert block["texts"][1][4:] == ["b", 0]


def test_many_text_nodes_are_one_location_in_a_message() -> None:
    code = "".join(f"<i>{each}</i>" for each in ["for", "x", "in", "range(10):", "print(x)"]) * 9
    page = f"<h1>How to print numbers</h1>{prose(1)}<pre>{code}</pre>{prose(2)}".encode()
    found = extract(page, URL)
    assert found is not None
    block = next(each for each in found.to_dict()["blocks"] if each["type"] == "code")
    ((_, length, start, size),) = block["texts"]
    assert length == len(block["text"])
    assert page[start : start + size].decode() in code
    (passage, *_) = found.locate(block["start"], block["start"] + 3)
    assert page[passage.byte_start : passage.byte_end] == b"for"


def test_every_block_of_generated_pages_is_found_again() -> None:
    checked_blocks = 0
    for sample in generate(pages_per_template=1, noise=1.0):
        html = PageMessage.model_validate(sample.message).content
        article = extract(html, sample.message["url"])
        if article is None or article.method not in ("lines", "sentences"):
            continue
        page = parse_page(html).flat
        for block in article.blocks:
            passages = article.locate(block.start, block.end)
            located_text = "".join(passage.text for passage in passages)
            assert "".join(located_text.split()) == "".join(block.text.split())
            assert all(index_at(page, passage.xpath) is not None for passage in passages)
            checked_blocks += 1
    assert checked_blocks > 50


def test_a_text_is_located_after_the_page_around_it_changed(article: Article) -> None:
    changed_page = PAGE.replace(b"<body>", b"<body><!-- served at 10:02 -->")
    start = article.text.index("mayor")
    (passage,) = article.locate(start, start + 5, Page(changed_page, URL))
    assert changed_page[passage.byte_start : passage.byte_end] == b"mayor"


def test_a_repeated_text_is_found_where_it_is() -> None:
    sentence = "Yes, said the man, and went on to talk about it for a while.<br><br>"
    others = prose(1).replace("p>", "i>")
    page = f"<h1>What the man said</h1><div>{sentence}{others}<br><br>{sentence}</div>"
    found = extract(page, URL)
    assert found is not None
    first, last = (block for block in found.blocks if block.text.startswith("Yes, said"))
    places = [found.locate(each.start, each.end)[0].byte_start for each in (first, last)]
    assert places == [page.index("Yes"), page.rindex("Yes")]


def test_deep_pages_have_bounded_locations() -> None:
    deep = "<span>" * 450 + "<i>a</i>" * 8_000
    found = extract(f"<h1>A long headline here</h1>{prose(6)}<p>{deep}</p>", URL)
    assert found is not None
    assert len(found.to_json()) < 2_000_000


@pytest.mark.parametrize("added", ["", "<!-- new -->"], ids=["same page", "page with an addition"])
def test_articles_of_many_blocks_are_located_in_linear_time(added: str) -> None:
    def prepare(number: int) -> Work:
        lines = "".join(f"Some words here, {each}.<br><br>" for each in range(number))
        html = f"<h1>A long headline here</h1><div>{lines}</div>"
        article = extract(html, URL)
        assert article is not None
        page = Page(added + html, URL)
        return lambda: article.locate(0, len(article.text), page)

    assert growth(prepare, 300) < MAX_LINEAR_GROWTH


@pytest.mark.parametrize(("start", "end"), [(-5, 3), (5, 5), (9, 2)])
def test_a_range_without_characters_is_refused(article: Article, start: int, end: int) -> None:
    with pytest.raises(ValueError, match="is not a range"):
        article.locate(start, end)


def test_another_page_and_a_rendered_article_are_refused(article: Article) -> None:
    other = PAGE.replace(b"mayor", b"major")
    start = article.text.index("mayor")
    with pytest.raises(LocationError, match="the page has no text 'The mayor"):
        article.locate(start, start + 5, Page(other, URL))
    values: Any = {**article.to_dict(), "method": "rendered-lines"}
    with pytest.raises(LocationError, match="rendered"):
        locate_in_message(PAGE, None, ArticleMessage.model_construct(**values), 0, 5)


@pytest.mark.parametrize(
    ("text", "quoted", "fragment"),
    [
        ("The mayor said yes.", "mayor", "The-,mayor,-said%20yes."),
        ("A – mayor, or so", "mayor", "A%20%E2%80%93-,mayor"),
        ("one\n\ntwo words", "one\n\ntwo", "one,two,-words"),
        ("x" * 10 + " " + "y " * 150 + "z", "y " * 150 + "z", "xxxxxxxxxx-,y%20y%20y,y%20y%20z"),
        ("a-b, c", "a-b", "a%2Db"),
        ("x" * 300, "x" * 300, f"{'x' * 60},{'x' * 60}"),
    ],
)  # fmt: skip
def test_a_fragment_quotes_words_around_the_range(text: str, quoted: str, fragment: str) -> None:
    start = text.index(quoted)
    found = text_fragment("https://a.example/x#y", text, start, start + len(quoted))
    assert found == f"https://a.example/x#:~:text={fragment}"
