"""Entries of a live report are text, not comments, even if a page has many of both."""

import json

from detourage.html import Page, parse_page
from detourage.reader.comment_exclusion import are_live_entries
from detourage.reader.content import read_content
from tests.counted import LINEAR, Work, growth

WORDS = ("river", "bridge", "mayor", "fence", "ferry", "bank", "crowd", "rain", "queue", "morning")


def opening(number: int) -> str:
    return " ".join(WORDS[int(digit)] for digit in f"{number:08}")


def page_of(records: list[str], entries: list[str]) -> Page:
    updates = [{"@type": "BlogPosting", "headline": each} for each in entries]
    report = json.dumps({"@type": "LiveBlogPosting", "liveBlogUpdate": updates})
    body = "".join(f"<div class=c><p>{each}</p></div>" for each in records)
    return parse_page(
        f"<html><head><script type='application/ld+json'>{report}</script></head>"
        f"<body>{body}</body></html>",
        "https://news.example/live",
    )


def test_records_that_begin_like_declared_entries_are_not_comments() -> None:
    entries = [opening(number) for number in range(12)]
    page = page_of([f"11:05 {each} and more" for each in entries], entries)
    assert are_live_entries(page, page.document.xpath("//div"))
    page = page_of([f"I saw the {WORDS[number]}" for number in range(9)], entries)
    assert not are_live_entries(page, page.document.xpath("//div"))


def test_the_text_of_displayed_entries_is_in_the_article() -> None:
    said = [
        f"At {hour} the {what} was still closed, and the people on the {bank} bank waited."
        for hour, what, bank in (("ten", "bridge", "east"), ("nine", "road", "west"))
    ]
    shown = "".join(
        f"<div itemprop='liveBlogUpdate'><h3>{10 - place}:05</h3><p>{text}</p></div>"
        for place, text in enumerate(said)
    )
    page = parse_page(f"<main><h1>The bridge opens</h1>{shown}</main>", "https://news.example/live")
    content = read_content(page)
    assert all(text in content.text for text in said)
    assert content.comments == ()


def test_entries_and_records_are_not_compared_pairwise() -> None:
    def prepared(number: int) -> Work:
        entries = [opening(each) for each in range(number)]
        page = page_of([opening(each) for each in range(number, 2 * number)], entries)
        found = page.document.xpath("//div")
        return lambda: refuse(are_live_entries(page, found))

    def refuse(are_entries: bool) -> None:
        assert not are_entries

    assert growth(prepared, 300) < LINEAR
