"""Hostile pages are processed with work that grows linearly with their length."""

from contextlib import suppress
from functools import partial

import pytest

from detourage.html import PageError, parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from tests.counted import MAX_LINEAR_GROWTH, Work, growth
from tests.hostile_pages import hostile_page_generators

SIZE = 15_000


def read(html: str) -> None:
    with suppress(PageError, NoArticleError):
        read_content(parse_page(html, "http://paper.example/news/bridge-story"))


@pytest.mark.timeout(90)
def test_every_hostile_page_is_read_or_rejected() -> None:
    pages = hostile_page_generators()
    assert len(pages) > 500
    for generate in pages.values():
        read(generate(150))
    # Code in C++ executes no counted steps: at this size, quadratic code would take minutes.
    read(f"<p>A bridge was built.<span style='{';' * 10_000_000}'>It is long.")


@pytest.mark.parametrize(
    "name",
    [
        *("remarks in structured data", "escapes in structured data"),
        *("escapes in value of structured data", "numbers in structured data"),
        *("hexadecimal in class", "bars in byline", "spaces in comments", "many comments"),
        *("reply links in a single comment", "replies in a chain", "numbered images"),
        "fields, and classes shared by two elements each",
    ],
)
def test_work_grows_linearly_with_the_page(name: str) -> None:
    def prepare(size: int) -> Work:
        return partial(read, hostile_page_generators()[name](size))

    assert growth(prepare, SIZE) < MAX_LINEAR_GROWTH
