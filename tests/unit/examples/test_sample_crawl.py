"""The sample crawl is reproducible and varied, and its pages are read and grouped as intended."""

import base64
import gzip
import json
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from detourage.article import Article
from detourage.html import Page, parse_page
from detourage.messages import PageMessage
from detourage.reader.article_and_comments import read_content
from detourage.template.groups import group_site
from examples.sample_crawl import (
    SMALL_CRAWL,
    SamplePage,
    all_sites,
    generate,
    small_crawl,
    write_crawl,
)
from examples.sample_crawl.language import language


@cache
def crawl(noise: float = 0.3) -> tuple[SamplePage, ...]:
    return tuple(generate(pages_per_template=2, noise=noise))


def html_of(page: SamplePage) -> bytes:
    return base64.b64decode(page.message["html_base64"])


def parsed_page(page: SamplePage) -> Page:
    """Return the page as the worker parses it, in its declared encoding."""
    header = page.message["content_type"]
    return parse_page(html_of(page), page.message["url"], content_type=header)


def without_whitespace(text: str) -> str:
    """Return the text without whitespace, which these tests ignore."""
    return "".join(text.split())


@cache
def articles() -> tuple[tuple[SamplePage, Article], ...]:
    pages = [page for page in generate(pages_per_template=3) if page.gold["kind"] == "article"]
    return tuple((page, read_content(parsed_page(page))) for page in pages)


def test_a_small_crawl_is_the_beginning_of_a_large_one() -> None:
    site = list(all_sites())[-1]
    small = list(generate(pages_per_template=2, sites=[site]))
    large = list(generate(pages_per_template=4, sites=[site]))
    assert small == large[: len(small)]


def test_messages_satisfy_the_schema() -> None:
    for page in crawl():
        message = PageMessage.model_validate_json(json.dumps(page.message))
        assert message.content == html_of(page)
        assert message.fetched_at is not None
        assert message.site == page.gold["site"]
        assert message.site is not None
        assert message.site.endswith(".example")


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_texts_titles_authors_and_comments_are_visible_in_order(noise: float) -> None:
    for page in crawl(noise):
        if page.gold["kind"] != "article":
            continue
        texts = parsed_page(page).document.xpath(
            "//text()[not(ancestor::script or ancestor::style or ancestor::title)]"
        )
        text = without_whitespace("".join(map(str, texts)))
        end = 0
        for paragraph in page.gold["text"].split("\n\n"):
            end = text.index(without_whitespace(paragraph), end) + 1
        assert without_whitespace(page.gold["title"]) in text
        assert all(without_whitespace(author) in text for author in page.gold["authors"])
        end = 0
        for comment in page.gold["comments"]:
            for part in comment["text"].split("\n\n"):
                end = text.index(without_whitespace(part), end)
            assert without_whitespace(comment["author"]) in text
            assert without_whitespace(comment["date"]) in text


def test_sites_are_in_five_languages_and_one_is_redesigned() -> None:
    languages = {page.gold["site"]: page.gold["language"] for page in crawl()}
    assert len(set(languages.values())) == len(languages) == 5
    designs = {page.gold["template_class"].rsplit("/", 1)[0] for page in crawl(0.0)}
    assert Counter(design.split("/")[0] for design in designs).most_common(1)[0][1] == 2
    assert len(designs) == 6


def test_a_legacy_encoding_is_declared_only_in_the_page() -> None:
    declared = set()
    for page in crawl():
        charset = re.search(rb"<meta[^>]*charset=\"?([\w-]+)", html_of(page))
        assert charset
        declared.add(charset[1].lower())
        if charset[1].lower() != b"utf-8":
            assert "charset" not in page.message["content_type"]
    assert declared == {b"utf-8", b"windows-1250", b"gb2312"}


def test_pages_declared_as_xhtml_strict_are_well_formed() -> None:
    strict = [page for page in crawl(1.0) if b"XHTML 1.0 Strict" in html_of(page)]
    assert strict
    for page in strict:
        assert etree.fromstring(html_of(page)).tag == "{http://www.w3.org/1999/xhtml}html"


def test_noise_adds_pages_without_a_template() -> None:
    def one_offs(noise: float) -> list[str]:
        classes = [page.gold["template_class"] for page in crawl(noise)]
        return [name for name in classes if "/one-off/" in name]

    assert not one_offs(0.0)
    assert len(one_offs(1.0)) == len(set(one_offs(1.0))) >= 5


def test_written_crawls_are_identical_byte_for_byte(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_crawl(tmp_path / name, pages_per_template=1, sites=list(all_sites())[:2])
    for file in ("pages.jsonl.gz", "gold.jsonl.gz"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_small_crawl_is_up_to_date() -> None:
    packed = SMALL_CRAWL.read_bytes()
    assert gzip.decompress(packed) == small_crawl(), "run python -m examples.sample_crawl"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"sites": ["nowhere.example"]}, "unknown site"),
        ({"noise": 1.5}, "noise"),
        ({"pages_per_template": 0}, "pages_per_template"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        generate(**arguments)


def test_articles_have_their_authors() -> None:
    urls_with_wrong_authors = [
        page.gold["url"]
        for page, article in articles()
        if list(article.metadata.authors) != page.gold["authors"]
    ]
    # The exception is a column whose comments are longer than its text and are mistaken for it.
    assert len(urls_with_wrong_authors) <= 1, urls_with_wrong_authors


def test_every_article_has_the_right_day_and_no_wrong_time() -> None:
    for page, article in articles():
        published = article.metadata.published
        assert published is not None, page.gold["url"]
        true_date, extracted_date = page.gold["published_at"], str(published)
        assert true_date.startswith(extracted_date) or extracted_date == true_date, page.gold["url"]


def test_most_leads_are_found_and_correct() -> None:
    are_correct = [
        article.metadata.lead == " ".join(page.gold["lead"].split())
        for page, article in articles()
        if article.metadata.lead is not None
    ]
    # A wrong lead includes the caption of a picture above the text, or is the first paragraph.
    assert sum(are_correct) > max(0.85 * len(are_correct), len(articles()) / 2)


@pytest.mark.parametrize("code", sorted({site.language.code for site in all_sites().values()}))
def test_every_line_of_every_language_can_be_generated(code: str) -> None:
    sample_language = language(code)
    for topic in sample_language.topics:
        rng = random.Random(topic)
        voice = sample_language.voice(rng, topic)
        for rule in sample_language.rules:
            if "." in rule and not rule.startswith(f"{topic}."):
                continue
            for _ in sample_language.rules[rule]:
                text = voice.expand(rule)
                assert text
                assert not re.search(r"[{}*]", text), text


@pytest.mark.parametrize("site", all_sites())
def test_pages_of_one_template_are_nearer_than_pages_of_two(site: str) -> None:
    pages = [
        page
        for page in generate(pages_per_template=5, sites=[site])
        if "/one-off/" not in page.gold["template_class"]
    ]
    trees = [parsed_page(page).tree for page in pages]
    classes = np.array([page.gold["template_class"] for page in pages])
    matrix = group_site(site, [page.message["url"] for page in pages], trees).distances
    have_same_template = classes[:, None] == classes[None, :]
    distances_within = matrix[have_same_template & ~np.eye(len(matrix), dtype=bool)]
    distances_between = matrix[~have_same_template]
    assert np.median(distances_within) < 0.35 < np.quantile(distances_between, 0.05)
    assert np.median(distances_between) > 0.45
