"""A run over pages that have several URLs, become unavailable or cannot be used."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from detourage.limits import MAX_HTML_BYTES
from tests.acceptance.command_line import APP_SHELL, read_lines, run_command, write_messages
from tests.addressed import FIVE_URLS, PLAIN, article_under_five_urls
from tests.pages import article_html, message, paragraphs, site_messages

SEEDS = (7, 8, 9)
UNUSABLE = [b"{broken", message("ftp://a.example/")]
FETCH_ORDERS = [(0, 1, 2), (1, 2, 0)]
"""Orders in which fetches of a page arrive: 0 has an article, 1 status 403, and 2 status 404."""


def address(url: str, seed: int) -> str:
    """Replace seed 7 with another seed in one of the five URLs of an article."""
    return url.replace("bridge-7", f"bridge-{seed}")


def lost_url(order: tuple[int, ...]) -> str:
    return f"https://lost-{''.join(map(str, order))}.substack.com/p/story"


def articles_at_five_urls() -> list[bytes]:
    """Return, shuffled, messages for three articles at five URLs each, and for four other pages."""
    bodies = [
        message(
            address(url, seed),
            html.replace(PLAIN, address(PLAIN, seed)),
            fetched_at=f"2024-05-01T0{place}:00:00Z",
        )
        for seed in SEEDS
        for place, (url, html) in enumerate(article_under_five_urls(seed).items())
    ]
    bodies += [message(f"https://www.example.org/{n}/x", article_html(n)) for n in range(20, 24)]
    random.Random(5).shuffle(bodies)
    return bodies


def fetches_of_lost_page(order: tuple[int, ...]) -> list[bytes]:
    """Return messages for fetches of a page, in the given order (see `FETCH_ORDERS`)."""
    url = lost_url(order)
    fetches = [
        message(url, article_html(7), fetched_at="2026-03-01T01:00:00Z"),
        message(url, "", status=403, fetched_at="2026-03-01T02:00:00Z"),
        message(url, "", status=404, fetched_at="2026-03-01T03:00:00Z"),
    ]
    return [fetches[index] for index in order]


@dataclass(frozen=True)
class ExceptionalRun:
    """The lines that a run printed, and the contents of its output files."""

    messages: list[str]
    articles: list[dict[str, Any]]
    quarantine: list[dict[str, Any]]

    def articles_of(self, host: str) -> list[dict[str, Any]]:
        return [each for each in self.articles if host in each["url"]]


@pytest.fixture(scope="module")
def exceptional_run(tmp_path_factory: pytest.TempPathFactory) -> ExceptionalRun:
    """A run with two workers, whose configured browser does not exist."""
    directory = tmp_path_factory.mktemp("run")
    filler = f"<!--{'x' * (MAX_HTML_BYTES - 20_000)}-->"
    bodies = [
        *articles_at_five_urls(),
        *[body for order in FETCH_ORDERS for body in fetches_of_lost_page(order)],
        *site_messages("good.example", range(4)),
        message("https://good.example/largest", article_html(30) + filler),
        *UNUSABLE,
        message("https://app.example/a", APP_SHELL),
    ]
    pages = write_messages(directory / "pages.jsonl", bodies)
    output = directory / "articles.jsonl.gz"
    command = (pages, "-o", output, "--workers", "2")
    result = run_command(*command, code=3, render_browser="/no/browser/here")
    return ExceptionalRun(
        result.stderr.splitlines(),
        read_lines(output),
        read_lines(directory / "articles.jsonl.gz.quarantine.jsonl"),
    )


def test_articles_that_arrive_at_five_urls_are_written_once(
    exceptional_run: ExceptionalRun,
) -> None:
    articles_of_site = exceptional_run.articles_of("example.org/")
    articles = [each for each in articles_of_site if each["variants"]]
    assert sorted(each["canonical"] for each in articles) == [address(PLAIN, n) for n in SEEDS]
    for article, seed in zip(sorted(articles, key=lambda each: each["title"]), SEEDS, strict=True):
        all_urls = {address(url, seed) for url in FIVE_URLS}
        assert {article["canonical"], *article["variants"]} == all_urls
        assert article["title"] == f"Bridge story number {seed}"
    assert len(articles_of_site) == len(SEEDS) + 4


def test_a_run_keeps_an_article_whose_page_later_becomes_unavailable(
    exceptional_run: ExceptionalRun,
) -> None:
    results = []
    for order in FETCH_ORDERS:
        url = lost_url(order)
        (article,) = [each for each in exceptional_run.articles if each["url"] == url]
        results.append((article["text"], article["withdrawn"]))
    assert set(results) == {("\n\n".join(paragraphs(7)), None)}


def test_unusable_messages_are_saved_and_block_nothing(exceptional_run: ExceptionalRun) -> None:
    assert len(exceptional_run.articles_of("good.example/")) == 5
    assert "2 unusable messages" in exceptional_run.messages[-1]
    assert sorted(each["reason"] for each in exceptional_run.quarantine) == [
        "not-json",
        "unsupported-url",
    ]
    assert {each["body"] for each in exceptional_run.quarantine} == {
        body.decode() for body in UNUSABLE
    }


def test_a_missing_browser_does_not_block_other_pages(exceptional_run: ExceptionalRun) -> None:
    (outcomes,) = [line for line in exceptional_run.messages if line.startswith("outcomes: ")]
    gone_pages = len(FETCH_ORDERS)
    articles = len(exceptional_run.articles) - gone_pages
    assert outcomes == f"outcomes: article {articles}, gone {gone_pages}, needs-rendering 1"
    assert "0 failed pages" in exceptional_run.messages[-1]
    assert not exceptional_run.articles_of("app.example/")
