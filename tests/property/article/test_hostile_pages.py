"""Hostile pages are processed in a time that grows linearly with their length."""

import time
from contextlib import suppress

import pytest

from detourage.html import PageError, parse_page
from detourage.reader import NoArticleError
from detourage.reader.content import read_content
from tests.hostile_pages import baits

SMALL, LARGE = 3_000, 30_000
MAX_GROWTH = 40
"""Maximum growth of the time for a page ten times as long: linear time grows tenfold, quadratic
time a hundredfold."""
LEAST = 0.05
"""Minimum duration, in seconds, for growth to be measured."""


def seconds(html: str) -> float:
    started = time.process_time()
    with suppress(PageError, NoArticleError):
        read_content(parse_page(html, "http://paper.example/news/bridge-story"))
    return time.process_time() - started


def test_every_hostile_page_is_read_or_rejected() -> None:
    pages = baits()
    assert len(pages) > 500
    assert max(seconds(make(300)) for make in pages.values()) < 5


@pytest.mark.parametrize(
    "name",
    [
        "remarks in structured data",
        "escapes in structured data",
        "escapes in value of structured data",
        "numbers in structured data",
        "hexadecimal in class",
        "bars in byline",
        "spaces in comments",
        "many comments",
        "reply links in a single comment",
        "replies in a chain",
        "fields, and classes shared by two elements each",
    ],
)
def test_time_grows_linearly_with_the_page(name: str) -> None:
    make = baits()[name]
    small = min(seconds(make(SMALL)) for _ in range(2))
    assert seconds(make(LARGE)) < MAX_GROWTH * max(small, LEAST)
