"""A run that several tests share, because a run takes seconds of CPU time to start."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.command_line import APP_SHELL, read_lines, run_command, write_messages
from tests.integration.service.crawl import page_with_metadata
from tests.pages import article_html, message, site_messages
from tests.parted_pages import part_messages


@dataclass(frozen=True)
class Run:
    """The messages of a run, the articles that it wrote and the summary that it printed."""

    bodies: list[bytes]
    articles: list[dict[str, Any]]
    summary: str


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with one worker on sites of each kind.

    One site has two templates, and others have a single page, a page with metadata, a page that
    only a browser can render, or an article in three parts. ``three.example`` has enough pages for
    a run to be interrupted during their extraction.
    """
    directory = tmp_path_factory.mktemp("run")
    bodies = [
        *site_messages("one.example", range(7)),
        *[
            message(f"https://one.example/b/{seed}", article_html(seed, template="table"))
            for seed in range(20, 26)
        ],
        *site_messages("two.example", range(30, 34)),
        message("https://alone.example/a", article_html(50)),
        page_with_metadata(0),
        message("https://app.example/a", APP_SHELL),
        *part_messages(),
        *site_messages("three.example", range(60, 90)),
    ]
    pages = write_messages(directory / "pages.jsonl", bodies)
    result = run_command(pages, "-o", directory / "articles.jsonl", "--workers", "1")
    return Run(bodies, read_lines(directory / "articles.jsonl"), result.stderr)
