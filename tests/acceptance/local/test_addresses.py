"""Articles with five URLs each, in a run with several workers."""

import random
from pathlib import Path

from tests.acceptance.command_line import detourage, read_lines, write_messages
from tests.addressed import FIVE, PLAIN, five_pages
from tests.pages import article_html, message

SEEDS = (7, 8, 9)


def address(url: str, seed: int) -> str:
    return url.replace("bridge-7", f"bridge-{seed}")


def test_articles_that_arrive_at_five_urls_are_written_once(tmp_path: Path) -> None:
    bodies = [
        message(
            address(url, seed),
            html.replace(PLAIN, address(PLAIN, seed)),
            fetched_at=f"2024-05-01T0{place}:00:00Z",
        )
        for seed in SEEDS
        for place, (url, html) in enumerate(five_pages(seed).items())
    ]
    bodies += [message(f"https://www.example.org/{n}/x", article_html(n)) for n in range(20, 24)]
    random.Random(5).shuffle(bodies)
    pages = write_messages(tmp_path / "pages.jsonl", bodies)
    done = detourage("run", pages, "-o", tmp_path / "articles.jsonl", "--workers", "2")
    assert done.returncode == 0, done.stderr
    articles = [each for each in read_lines(tmp_path / "articles.jsonl") if each["variants"]]
    assert sorted(each["canonical"] for each in articles) == [address(PLAIN, n) for n in SEEDS]
    for article, seed in zip(sorted(articles, key=lambda each: each["title"]), SEEDS, strict=True):
        every = {address(url, seed) for url in FIVE}
        assert {article["canonical"], *article["variants"]} == every
        assert article["title"] == f"Bridge story number {seed}"
    assert len(read_lines(tmp_path / "articles.jsonl")) == len(SEEDS) + 4
