"""Create the screenshot of an explained page: ``python -m benchmarks.picture docs/explained.png``.

The page is from the sample crawl and is rendered with Debian's package ``chromium``.
"""

import base64
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from detourage.explain.marked_page import to_html
from detourage.html import Page, parse_page
from detourage.reader import NoArticleError, extract_article
from detourage.reader.article_and_comments import explain_content
from examples.sample_crawl import generate

TEMPLATE_CLASS = "harbour-post.example/2023/news"  # site, design and kind of the pages shown


def main(screenshot: Path) -> None:
    """Explain a page of the sample crawl line by line, and write a screenshot of the result."""
    pages = [
        parse_page(base64.b64decode(each.message["html_base64"]), each.message["url"])
        for each in generate()
        if each.gold["template_class"] == TEMPLATE_CLASS
    ]
    page = _first_with_an_article(pages)
    _take_screenshot(to_html(explain_content(page, pages[-1]), page, len(pages)), screenshot)


def _take_screenshot(html: str, screenshot: Path) -> None:
    """Render HTML with Chromium, without a window, and save a screenshot."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "page.html"
        file.write_text(html, encoding="utf-8")
        subprocess.run(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                # If a sandboxed frame runs in a separate process, it is often not rendered in time.
                "--disable-features=IsolateSandboxedIframes",
                "--disable-sync",
                "--hide-scrollbars",
                "--window-size=1616,1500",
                f"--user-data-dir={directory}/profile",
                f"--screenshot={screenshot.resolve()}",
                file.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def _first_with_an_article(pages: list[Page]) -> Page:
    """Return the first page whose article is found by comparison with the next."""
    for page, other in pairwise(pages):
        try:
            extract_article(page, other)
        except NoArticleError:
            continue
        return page
    raise SystemExit("the extractor found no article on any page of the sample crawl")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
