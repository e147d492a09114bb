"""Pages that need a browser, on a machine that has none."""

import subprocess
from pathlib import Path

import pytest

from tests.acceptance.command_line import BARE, DETOURAGE, read_lines, write_messages
from tests.pages import article_html, message

SHELL = (
    "<html><head><title>A story</title></head><body><div id='root'></div>"
    "<script src='/app.js'></script></body></html>"
)


@pytest.mark.parametrize("settings", [{}, {"DETOURAGE_RENDER_BROWSER": "/no/browser/here"}])
def test_a_page_that_needs_a_browser_is_told_and_holds_nothing_up(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    pages = write_messages(
        tmp_path / "pages.jsonl",
        [
            message("https://app.example/a", SHELL),
            message("https://plain.example/a", article_html(1)),
        ],
    )
    done = subprocess.run(
        [*DETOURAGE, "run", str(pages), "-o", str(tmp_path / "articles.jsonl")],
        env={**BARE, **settings},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "outcomes: article 1, needs-rendering 1" in done.stderr
    [article] = read_lines(tmp_path / "articles.jsonl")
    assert article["url"] == "https://plain.example/a"
