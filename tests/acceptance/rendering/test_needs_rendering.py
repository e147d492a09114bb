"""Pages that need a browser, when the configured browser does not exist.

`test_run` covers the case in which no browser is configured.
"""

import subprocess
from pathlib import Path

from tests.acceptance.command_line import BARE, DETOURAGE, SHELL, read_lines, write_messages
from tests.pages import article_html, message


def test_a_missing_browser_does_not_block_other_pages(tmp_path: Path) -> None:
    pages = write_messages(
        tmp_path / "pages.jsonl",
        [
            message("https://app.example/a", SHELL),
            message("https://plain.example/a", article_html(1)),
        ],
    )
    done = subprocess.run(
        [*DETOURAGE, "run", str(pages), "-o", str(tmp_path / "articles.jsonl")],
        env={**BARE, "DETOURAGE_RENDER_BROWSER": "/no/browser/here"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "outcomes: article 1, needs-rendering 1" in done.stderr
    [article] = read_lines(tmp_path / "articles.jsonl")
    assert article["url"] == "https://plain.example/a"
