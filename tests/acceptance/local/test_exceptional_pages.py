"""A run over pages at several URLs, and pages that become unavailable or cannot be used."""

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
ORDERS_OF_A_LOSS = [(0, 1, 2), (1, 2, 0)]


def address(url: str, seed: int) -> str:
    return url.replace("bridge-7", f"bridge-{seed}")


def lost(order: tuple[int, ...]) -> str:
    return f"https://lost-{''.join(map(str, order))}.substack.com/p/story"


def five_urls_each() -> list[bytes]:
    """Return three articles at five URLs each, and four others, in random order."""
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


def page_that_is_lost(order: tuple[int, ...]) -> list[bytes]:
    """Return an article, and two later fetches without it."""
    url = lost(order)
    fetches = [
        message(url, article_html(7), fetched_at="2026-03-01T01:00:00Z"),
        message(url, "", status=403, fetched_at="2026-03-01T02:00:00Z"),
        message(url, "", status=404, fetched_at="2026-03-01T03:00:00Z"),
    ]
    return [fetches[place] for place in order]


@dataclass(frozen=True)
class ExceptionalRun:
    """The messages and files of the run."""

    messages: list[str]
    articles: list[dict[str, Any]]
    quarantine: list[dict[str, Any]]

    def of_site(self, host: str) -> list[dict[str, Any]]:
        return [each for each in self.articles if host in each["url"]]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> ExceptionalRun:
    """A run with two workers and a browser that does not exist."""
    directory = tmp_path_factory.mktemp("run")
    filler = f"<!--{'x' * (MAX_HTML_BYTES - 20_000)}-->"
    bodies = [
        *five_urls_each(),
        *[body for order in ORDERS_OF_A_LOSS for body in page_that_is_lost(order)],
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


def test_articles_that_arrive_at_five_urls_are_written_once(done: ExceptionalRun) -> None:
    of_site = done.of_site("example.org/")
    articles = [each for each in of_site if each["variants"]]
    assert sorted(each["canonical"] for each in articles) == [address(PLAIN, n) for n in SEEDS]
    for article, seed in zip(sorted(articles, key=lambda each: each["title"]), SEEDS, strict=True):
        every = {address(url, seed) for url in FIVE_URLS}
        assert {article["canonical"], *article["variants"]} == every
        assert article["title"] == f"Bridge story number {seed}"
    assert len(of_site) == len(SEEDS) + 4


def test_a_run_keeps_an_article_whose_page_later_becomes_unavailable(done: ExceptionalRun) -> None:
    written = []
    for order in ORDERS_OF_A_LOSS:
        url = lost(order)
        (article,) = [each for each in done.articles if each["url"] == url]
        written.append((article["text"], article["withdrawn"]))
    assert set(written) == {("\n\n".join(paragraphs(7)), None)}


def test_unusable_messages_are_saved_and_block_nothing(done: ExceptionalRun) -> None:
    assert len(done.of_site("good.example/")) == 5
    assert "2 unusable messages" in done.messages[-1]
    assert sorted(each["reason"] for each in done.quarantine) == ["not-json", "unsupported-url"]
    assert {each["body"] for each in done.quarantine} == {body.decode() for body in UNUSABLE}


def test_a_missing_browser_does_not_block_other_pages(done: ExceptionalRun) -> None:
    (outcomes,) = [line for line in done.messages if line.startswith("outcomes: ")]
    gone = len(ORDERS_OF_A_LOSS)
    articles = len(done.articles) - gone
    assert outcomes == f"outcomes: article {articles}, gone {gone}, needs-rendering 1"
    assert "0 failed pages" in done.messages[-1]
    assert not done.of_site("app.example/")
