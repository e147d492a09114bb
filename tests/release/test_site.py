"""The documentation as a website is complete, has no broken link and loads nothing external."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html

ROOT = Path(__file__).parents[2]
UNREACHABLE_PROXY = "http://127.0.0.1:9"
EXTERNAL = re.compile(r"<(?:link|script|img)\b[^>]*\b(?:href|src)=\"(?:https?:)?//", re.IGNORECASE)
# Markup that is visible on a page because of a mistake in its source.
GARBLED = {
    "unrendered Markdown": re.compile(
        r"\]\(|\]\[|\*\*|(?<!\w)__\w|``|^#{1,6} |^[|>] ", re.MULTILINE
    ),
    "an escaped character": re.compile(r"&(?:amp|lt|gt|quot|#\d+);"),
    "a placeholder": re.compile(r"\{\w*\}|\{\{|\}\}|\bTODO\b|\bTBD\b"),
    "half of a marker": re.compile(r"<==|==>|<<<<|>>>>"),
    "a doubled word": re.compile(r"\b(?!that\b|had\b)([a-z]{2,})[ \n]+\1\b", re.IGNORECASE),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the site, built as by ``make site``, which treats warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"),
            *("--doctree-dir", folder / "doctrees", "--conf-dir", "docs", ".", folder / "site"),
        ],
        cwd=ROOT,
        env={**os.environ, "http_proxy": UNREACHABLE_PROXY, "https_proxy": UNREACHABLE_PROXY},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return folder / "site"


def test_every_document_is_a_page_in_the_navigation(site: Path) -> None:
    documents = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
    pages = {str(each.relative_to(ROOT).with_suffix(".html")) for each in documents}
    first_page = (site / "README.html").read_text()
    linked = set(re.findall(r'<a class="reference internal" href="([^"#]+)"', first_page))
    assert pages <= linked
    assert all((site / page).is_file() for page in pages)


def test_pages_load_nothing_from_other_hosts_and_search_has_an_index(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not EXTERNAL.search(page.read_text()), page
    assert '"quarantin"' in (site / "searchindex.js").read_text()


def test_the_start_page_redirects_to_an_existing_page(site: Path) -> None:
    (target,) = re.findall(r"url=([^\"]+)", (site / "index.html").read_text())
    assert (site / target).is_file()


def test_no_page_contains_unrendered_markup(site: Path) -> None:
    documents = [ROOT / "README.md", ROOT / "SECURITY.md", *ROOT.glob("docs/**/*.md")]
    problems: list[tuple[str, ...]] = []
    for document in documents:
        page = site / document.relative_to(ROOT).with_suffix(".html")
        (article,) = html.parse(page, html.HTMLParser(encoding="utf-8")).xpath("//article")
        if article.xpath(".//pre[not(normalize-space())]"):
            problems.append((page.name, "an empty code block"))
        for prose in _prose(article):
            problems += [
                (page.name, kind, prose)
                for kind, pattern in GARBLED.items()
                if pattern.search(prose)
            ]
    assert problems == []


def _prose(article: html.HtmlElement) -> Iterator[str]:
    """Yield the paragraphs, items, cells and headings of a page, without code and its anchors."""
    for code in article.xpath(".//code[not(contains(., '<==') or contains(., '==>'))]"):
        code.text, code[:] = "…", []
    for aside in article.xpath(".//pre | .//a[@class='headerlink']"):
        aside.drop_tree()
    for each in article.xpath(".//*[self::p or self::li or self::td or self::th][not(p)] | .//h2"):
        yield " ".join(each.text_content().split())
