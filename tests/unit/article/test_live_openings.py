"""Entries of a live report are not mistaken for comments, even if a page has many of both."""

import json
import time

from worker.article.live import are_live_entries
from worker.html import Page, parse_page

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


def test_entries_and_records_are_not_compared_pairwise() -> None:
    entries = [opening(number) for number in range(20_000)]
    records = [opening(number) for number in range(20_000, 22_000)]
    page = page_of(records, entries)
    found = page.document.xpath("//div")
    began = time.process_time()
    assert not are_live_entries(page, found)
    # Comparing all pairs would take 40,000,000 searches, which is about ten seconds.
    assert time.process_time() - began < 3
