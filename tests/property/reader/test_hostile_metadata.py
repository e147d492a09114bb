"""The article is extracted whatever metadata its page declares."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.html import parse_page
from detourage.metadata.bylines import names_in
from detourage.metadata.json_ld import parse_tolerant
from detourage.reader import extract_article
from detourage.text.dates import find_moments, parse_moment, without_dates

KEYS = st.sampled_from(
    [
        *("@type", "@id", "@graph", "@value", "@list", "name", "author", "headline"),
        *("datePublished", "articleSection", "keywords", "publisher", "mainEntityOfPage"),
        *("isAccessibleForFree", "url", "description", "comment"),
    ]
)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["NewsArticle", "WebPage", "#a", "2024-05-31", "http://[", "By Jane Doe", "//", '"', "\\"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXTS, inner, max_size=4),
    max_leaves=20,
)
PARAGRAPHS = "<p>The council met on Tuesday evening to decide about the old bridge.</p>" * 6


def article_text(script: str, head: str = "") -> str:
    body = script.replace("</", "<\\/")
    html = (
        f'<html><head><script type="application/ld+json">{body}</script>{head}</head>'
        f"<body><h1>Bridge</h1>{PARAGRAPHS}</body></html>"
    )
    return extract_article(parse_page(html, "https://news.example/a"), None).text


def with_faults(text: str, faults: list[tuple[int, str]]) -> str:
    for position, character in faults:
        text = text[:position] + character + text[position + 1 :]
    return text


JSON_TEXTS = VALUES.map(json.dumps)
FAULTS = st.lists(st.tuples(st.integers(0, 400), st.characters()), max_size=5)
ANY_TEXT = st.text() | st.binary().map(lambda data: data.decode("latin-1"))


@pytest.mark.parametrize(
    "scripts",
    [JSON_TEXTS, ANY_TEXT, st.builds(with_faults, JSON_TEXTS, FAULTS)],
    ids=["JSON", "any text", "malformed JSON"],
)
@given(data=st.data())
def test_scripts_are_read_or_ignored(scripts: st.SearchStrategy[str], data: st.DataObject) -> None:
    text = data.draw(scripts)
    assert article_text(text)
    parse_tolerant(text)


@given(TEXTS, TEXTS, TEXTS)
def test_any_head_element_is_read_or_ignored(name: str, content: str, address: str) -> None:
    def escape(text: str) -> str:
        return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")

    head = (
        f'<meta name="{escape(name)}" content="{escape(content)}">'
        f'<meta name="author" content="{escape(content)}">'
        f'<meta name="date" content="{escape(content)}">'
        f'<link rel="canonical" href="{escape(address)}">'
    )
    assert article_text("{}", head)


@given(st.text(), st.sampled_from(["en", "zh", "ar", "x", "", None]))
def test_dates_and_names_in_any_text_are_valid(text: str, language: str | None) -> None:
    parse_moment(text, language)
    list(find_moments(text, language))
    without_dates(text)
    for is_byline in (False, True):
        assert all(name.strip() for name in names_in(text, is_byline=is_byline))
